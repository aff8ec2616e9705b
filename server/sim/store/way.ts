import type { Store } from '../../src/store/contract/store.ts';
import { storeUnavailable } from '../../src/store/fault.ts';
import type { Machine, Owner } from '../machine.ts';
import type { Random } from '../random.ts';

/** What is wrong with the way to the store. */
export interface StoreFaults {
  /** Ms of the machine: until then most calls are refused. */
  refusesUntil: number;
  /** Until then a call takes up to `slowByMs` longer. */
  slowUntil: number;
  slowByMs: number;
}

/** Of the calls in a window of refusals. */
const REFUSED = 0.7;

export interface WayOptions {
  machine: Machine;
  /** The process that asks. */
  owner: Owner;
  /** Who does the work that has been asked for. Beside a process it is the process; a server goes on without it. */
  server?: Owner;
  faults: readonly StoreFaults[];
  random: Random;
  /** Whether the answer is lost after the work was done. */
  isLost?: (part: string, method: string, parameters: unknown[], answer: unknown) => boolean;
}

/**
 * The store as a process has it: each call takes time, and while something is wrong it is refused before its work, or slow.
 * After the death of the process nothing is asked for and nothing answers.
 */
export function storeThrough(
  store: Store,
  { machine, owner, server = owner, faults, random, isLost = () => false }: WayOptions,
): Store {
  const call = (
    part: string,
    method: string,
    parameters: unknown[],
    work: () => Promise<unknown>,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const now = machine.elapsedMs;
      const slow = faults.filter(({ slowUntil }) => now < slowUntil);
      const slowByMs = Math.max(...slow.map(({ slowByMs }) => slowByMs));
      const wayMs = random.between(0.02, 0.2) + (slow.length > 0 ? random.next() * slowByMs : 0);
      const isRefused =
        faults.some(({ refusesUntil }) => now < refusesUntil) && random.chance(REFUSED);
      // Who reads a clock supposes that both ways are alike.
      const isClock = part === 'cluster' && method === 'now';
      const refuse = () => reject(storeUnavailable(new Error('played')));
      machine.after(
        isClock ? wayMs / 2 : wayMs,
        () => {
          if (isRefused) return server === owner ? refuse() : void machine.after(0, refuse, owner);
          const back = () => (isClock ? wayMs / 2 : random.between(0.01, 0.1));
          work().then(
            answer => {
              const lost = isLost(part, method, parameters, answer);
              machine.after(back(), lost ? refuse : () => resolve(answer), owner);
            },
            error => machine.after(back(), () => reject(error), owner),
          );
        },
        server,
      );
    });
  const partThrough = (name: string, part: object) =>
    new Proxy(part, {
      get: (_, method: string) => {
        const work = Reflect.get(part, method);
        // It is no question: from then on the process is told.
        if (typeof work !== 'function' || method === 'listen') return work;
        return (...parameters: unknown[]) =>
          call(name, method, parameters, () => work.apply(part, parameters));
      },
    });
  return new Proxy(store, {
    get: (_, name: string) => {
      const part: unknown = Reflect.get(store, name);
      return typeof part === 'object' && part !== null ? partThrough(name, part) : part;
    },
  });
}
