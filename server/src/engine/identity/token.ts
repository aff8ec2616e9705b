import type { Clock } from '../../clock.ts';
import type { CommonPart } from '../../outbound/send.ts';

/** A token that requests carry, and how long to use it: from `issuedAt` until before `usableUntil`, epoch ms. */
export interface Token {
  /** The value of `Authorization`. */
  authorization: string;
  issuedAt: number;
  usableUntil: number;
  /** The part of all requests that carry it. */
  common: CommonPart;
}

/** Why there is no token, in one sentence. */
export class TokenFault extends Error {}

/** A token is replaced this long before its use ends, so that no firing waits for the next one. */
const RENEWED_AHEAD_MS = 30_000;
/** For so long nobody asks again after a failure. A retry comes later than that. */
const FAULT_KEPT_MS = 2_000;

/**
 * One token, shared by all requests that need it.
 *
 * Guarantees: it is asked for once at a time, whoever waits for it. A failure is told to all that ask within the next two
 * seconds, so thousands of firings ask a failing endpoint once.
 */
export class SharedToken {
  readonly #issue: (now: number) => Promise<Token>;
  readonly #clock: Clock;
  #present: Token | null = null;
  #coming: Promise<Token> | null = null;
  #fault: { at: number; error: TokenFault } | null = null;

  /** @param issue rejects with a `TokenFault` where there is none */
  constructor(issue: (now: number) => Promise<Token>, clock: Clock) {
    this.#issue = issue;
    this.#clock = clock;
  }

  /** The token that may be used now; null: it has to be waited for. */
  get present(): Token | null {
    const now = this.#clock.now();
    const token = this.#present;
    // By a clock that was set back it is of an instant to come.
    return token !== null && token.issuedAt <= now && now < token.usableUntil ? token : null;
  }

  /** Asks for the next one where the present one is missing or soon ends. */
  renew(): void {
    const now = this.#clock.now();
    const { present } = this;
    if (present !== null && now < present.usableUntil - RENEWED_AHEAD_MS) return;
    if (this.#faultAt(now) === null) this.#come().catch(() => {});
  }

  /** @throws TokenFault */
  async take(): Promise<Token> {
    const { present } = this;
    if (present !== null) return present;
    const fault = this.#faultAt(this.#clock.now());
    if (fault !== null && this.#coming === null) throw fault;
    return this.#come();
  }

  /** A target refused it: it is used no more. Another one may have taken its place. */
  drop(token: Token): void {
    if (this.#present === token) this.#present = null;
  }

  #faultAt(now: number): TokenFault | null {
    const fault = this.#fault;
    return fault !== null && fault.at <= now && now < fault.at + FAULT_KEPT_MS ? fault.error : null;
  }

  #come(): Promise<Token> {
    this.#coming ??= this.#ask().finally(() => {
      this.#coming = null;
    });
    return this.#coming;
  }

  async #ask(): Promise<Token> {
    try {
      this.#present = await this.#issue(this.#clock.now());
      this.#fault = null;
      return this.#present;
    } catch (cause) {
      const error =
        cause instanceof TokenFault ? cause : new TokenFault('No token could be made.', { cause });
      this.#fault = { at: this.#clock.now(), error };
      throw error;
    }
  }
}
