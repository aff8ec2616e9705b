import { hashApiKey, newSessionToken } from '../../domain/access/credential.ts';
import type { Caller } from '../../store/contract/keys.ts';

/** How long a link may lie in a terminal before somebody opens it. */
const LINK_MS = 10 * 60_000;

/**
 * The link of `punctual dev` that signs in once. Its token stands behind the `#` of an address, which a browser sends to
 * nobody, and the page hands it in. It is kept in memory, as a hash.
 */
export class SignInLink {
  readonly #monotonicMs: () => number;
  #made: { hash: string; caller: Caller; until: number } | null = null;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** @returns the token; the one before counts no more */
  make(caller: Caller): string {
    const token = newSessionToken();
    this.#made = { hash: hashApiKey(token), caller, until: this.#monotonicMs() + LINK_MS };
    return token;
  }

  /** @returns whose it was; null where it never was, was used, or is too old */
  take(token: string): Caller | null {
    const made = this.#made;
    if (made === null || made.hash !== hashApiKey(token)) return null;
    this.#made = null;
    return this.#monotonicMs() < made.until ? made.caller : null;
  }
}
