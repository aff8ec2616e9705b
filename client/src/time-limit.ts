/** The longest that `setTimeout` can wait. */
export const MOST_MS = 2 ** 31 - 1;

/** Aborts its signal when the caller's is aborted, or when the time is up. */
export class TimeLimit {
  readonly #abort = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #endsAt: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  /** @param timeoutMs Infinity for none */
  constructor(timeoutMs: number, caller?: AbortSignal) {
    this.#caller = caller;
    this.#endsAt = Date.now() + timeoutMs;
    if (timeoutMs <= MOST_MS) this.#timer = setTimeout(this.#timeIsUp, timeoutMs);
    if (caller?.aborted) this.#callerAborted();
    else caller?.addEventListener('abort', this.#callerAborted);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether it was the time that ended it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get leftMs(): number {
    return this.#endsAt - Date.now();
  }

  /** The answer has begun: from now on only the caller ends it. */
  stopClock(): void {
    clearTimeout(this.#timer);
  }

  /** Leaves no timer and no listener behind. */
  release(): void {
    this.stopClock();
    this.#caller?.removeEventListener('abort', this.#callerAborted);
  }

  readonly #timeIsUp = () => {
    this.#isOver = true;
    this.#abort.abort();
  };

  readonly #callerAborted = () => this.#abort.abort(this.#caller!.reason);
}

/** @throws RangeError where it is not a span that a call can be limited to */
export function checkedTimeout(timeoutMs: number): number {
  if (timeoutMs > 0) return timeoutMs;
  throw new RangeError(`timeoutMs is ${timeoutMs}: give milliseconds above 0, or Infinity.`);
}

/** Waits; an abort ends the wait without an error. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
