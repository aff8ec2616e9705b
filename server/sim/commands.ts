import type { Store } from '../src/store/contract/store.ts';
import { storeOn } from '../src/store/sqlite/open.ts';
import { AGAIN_MS } from './call-once.ts';
import type { Owner } from './machine.ts';
import type { HaltSeen } from './model/evidence-of-halts.ts';
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

  /** Has something halted by a command. @param halts what is known of those before, and of this one from then on */
  async halt(halts: HaltSeen[], work: (store: Store) => Promise<unknown>): Promise<HaltSeen> {
    const { machine } = this.#around;
    const halt = { from: machine.now, by: Infinity, until: Infinity, backBy: Infinity };
    halts.push(halt);
    await this.give(work);
    halt.by = machine.now;
    return halt;
  }

  /** Has it go on by a command, unless somebody has done so. @param what is told then */
  async goOn(
    halt: HaltSeen,
    what: string,
    work: (store: Store) => Promise<unknown>,
  ): Promise<void> {
    const { machine, tell } = this.#around;
    // A command that is given again comes after this one otherwise, and it stays halted.
    while (halt.by === Infinity) await machine.sleep(AGAIN_MS, machine.world);
    if (halt.until < Infinity) return;
    tell(what);
    halt.until = machine.now;
    await this.give(work);
    halt.backBy = machine.now;
  }

  #storeOf(owner: Owner): Store {
    const { machine, database, faults } = this.#around;
    const own = storeOn(database, ':memory:');
    return storeThrough(own, { machine, owner, faults: [faults], random: this.#random });
  }
}
