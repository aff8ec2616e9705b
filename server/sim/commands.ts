import type { Store } from '../src/store/contract/store.ts';
import { storeOn } from '../src/store/sqlite/open.ts';
import { AGAIN_MS } from './call-once.ts';
import type { Owner } from './machine.ts';
import type { Surroundings } from './node.ts';
import type { Random } from './random.ts';
import { storeThrough } from './store/way.ts';

/** The commands of an operator: processes of their own beside the service. */
export class Commands {
  readonly #around: Surroundings;
  /** Of their ways to the store. */
  readonly #random: Random;

  constructor(around: Surroundings, random: Random) {
    this.#around = around;
    this.#random = random;
  }

  /**
   * One that the store refuses is given again, and so is one that was cut off.
   *
   * @param cutOffMs after so long; null: it is not
   */
  async give<Done>(
    work: (store: Store) => Promise<Done>,
    cutOffMs: number | null = null,
  ): Promise<Done> {
    const { machine, tell } = this.#around;
    for (let cutMs = cutOffMs; ; cutMs = null) {
      const owner = { name: 'command', isDead: false };
      const { promise, resolve } = Promise.withResolvers<{ done: Done } | { why: string }>();
      const ended = (end: { done: Done } | { why: string }) =>
        machine.after(0, () => resolve(end), machine.world);
      const begin = () =>
        void work(this.#storeOf(owner)).then(
          done => ended({ done }),
          (error: Error) => ended({ why: error.message }),
        );
      machine.after(0, begin, owner);
      if (cutMs !== null) {
        const cutOff = () => {
          owner.isDead = true;
          resolve({ why: 'It was cut off.' });
        };
        machine.after(cutMs, cutOff, machine.world);
      }
      const end = await promise;
      if ('done' in end) return end.done;
      tell(`a command fails: ${end.why}`);
      await machine.sleep(AGAIN_MS, machine.world);
    }
  }

  #storeOf(owner: Owner): Store {
    const { machine, database, faults } = this.#around;
    const own = storeOn(database, ':memory:');
    return storeThrough(own, { machine, owner, faults: [faults], random: this.#random });
  }
}
