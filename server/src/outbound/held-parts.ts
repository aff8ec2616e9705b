import { LRUCache } from 'lru-cache';
import type { CommonPart } from './send.ts';

/** Parts that requests have in common, on their way to a sender thread: each part goes there once. */

/** A part in a message: by its number alone if the thread holds it. */
export type PartMessage = number | [number: number, part: CommonPart];

/** A thread holds at most this many parts, with this many characters in all. */
const MOST_PARTS = 1_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Knows which parts one thread holds. A number never comes back, so it never stands for another part. */
export class HeldParts {
  readonly #numbers: LRUCache<CommonPart, number>;
  #lastNumber = 0;

  /** @param forget told the number of a part that makes room: the thread forgets it before it gets the next one */
  constructor(forget: (number: number) => void) {
    this.#numbers = new LRUCache({
      max: MOST_PARTS,
      maxSize: MOST_CHARACTERS,
      sizeCalculation: (_number, part) => Math.min(sizeOf(part), MOST_CHARACTERS),
      dispose: number => forget(number),
    });
  }

  /** To be called in the order in which the messages leave. */
  messageOf(part: CommonPart): PartMessage {
    const known = this.#numbers.get(part);
    if (known !== undefined) return known;
    this.#lastNumber += 1;
    this.#numbers.set(part, this.#lastNumber);
    return [this.#lastNumber, part];
  }
}

/** In characters, and never 0. */
function sizeOf({ tls, secrets = [] }: CommonPart): number {
  const ofTls = (tls?.certificate?.length ?? 0) + (tls?.key?.length ?? 0) + (tls?.ca?.length ?? 0);
  return secrets.reduce((size, secret) => size + secret.length, 1 + ofTls);
}
