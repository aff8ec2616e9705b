import type { Store } from '../../../src/store/contract/store.ts';
import { quiet } from '../clock.ts';

/** A store as an engine has it, and whether calls of it are under way. */
export class WatchedStore {
  readonly store: Store;
  readonly #calls = new Set<Promise<unknown>>();
  readonly #parts = new Map<object, object>();

  constructor(store: Store) {
    this.store = new Proxy(store, {
      get: (_, name) => {
        const part: unknown = Reflect.get(store, name);
        return typeof part === 'object' && part !== null ? this.#partOf(part) : part;
      },
    });
  }

  /** Resolves when no call is under way, and none follows from the last ones without a clock that goes on. */
  async idle(): Promise<void> {
    await quiet();
    while (this.#calls.size > 0) {
      await Promise.allSettled(this.#calls);
      await quiet();
    }
  }

  /** What a test replaces in it is called instead, and counts as well. */
  #partOf(part: object): object {
    const known = this.#parts.get(part);
    if (known !== undefined) return known;
    const watched = new Proxy(part, {
      get: (_, name) => {
        const member: unknown = Reflect.get(part, name);
        if (typeof member !== 'function') return member;
        return (...parameters: unknown[]) => this.#watched(member.apply(part, parameters));
      },
    });
    this.#parts.set(part, watched);
    return watched;
  }

  #watched(result: unknown): unknown {
    if (!(result instanceof Promise)) return result;
    this.#calls.add(result);
    const ended = () => this.#calls.delete(result);
    result.then(ended, ended);
    return result;
  }
}
