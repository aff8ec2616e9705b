import type { Clock } from '../../../src/clock.ts';
import type { Store } from '../../../src/store/contract/store.ts';

/**
 * The process that an engine runs in, as far as a test needs one: once it has died, nothing is done that it
 * asks for, nothing answers it, and no timer calls it back.
 */
export class Process {
  #isAlive = true;

  die(): void {
    this.#isAlive = false;
  }

  does<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.#isAlive) return;
      work().then(
        result => this.#isAlive && resolve(result),
        error => this.#isAlive && reject(error),
      );
    });
  }

  /** The clock as it has it. */
  itsClock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs, callback) => clock.after(delayMs, () => this.#isAlive && callback()),
    };
  }

  /** The store as it has it. */
  itsStore(store: Store): Store {
    return new Proxy(store, {
      get: (_, name) => {
        const part: unknown = Reflect.get(store, name);
        return typeof part === 'object' && part !== null ? this.#itsPart(part) : part;
      },
    });
  }

  #itsPart(part: object): object {
    return new Proxy(part, {
      get: (_, name) => {
        const method = Reflect.get(part, name) as (...parameters: unknown[]) => Promise<unknown>;
        return (...parameters: unknown[]) => this.does(() => method.apply(part, parameters));
      },
    });
  }
}
