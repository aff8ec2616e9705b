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

/**
 * The store as a process has it: each call takes time, and while something is wrong it is refused before its work, or slow.
 * After the death of the process nothing is done and nothing answers.
 */
export function storeThrough(
  store: Store,
  {
    machine,
    owner,
    faults,
    random,
  }: { machine: Machine; owner: Owner; faults: StoreFaults; random: Random },
): Store {
  const call = (work: () => Promise<unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const now = machine.elapsedMs;
      const isSlow = now < faults.slowUntil;
      const wayMs = random.between(0.02, 0.2) + (isSlow ? random.next() * faults.slowByMs : 0);
      const isRefused = now < faults.refusesUntil && random.chance(REFUSED);
      machine.after(
        wayMs,
        () => {
          if (isRefused) return reject(storeUnavailable(new Error('played')));
          const back = () => random.between(0.01, 0.1);
          work().then(
            answer => machine.after(back(), () => resolve(answer), owner),
            error => machine.after(back(), () => reject(error), owner),
          );
        },
        owner,
      );
    });
  const partThrough = (part: object) =>
    new Proxy(part, {
      get: (_, name) => {
        const method = Reflect.get(part, name);
        if (typeof method !== 'function') return method;
        return (...parameters: unknown[]) => call(() => method.apply(part, parameters));
      },
    });
  return new Proxy(store, {
    get: (_, name) => {
      const part: unknown = Reflect.get(store, name);
      return typeof part === 'object' && part !== null ? partThrough(part) : part;
    },
  });
}
