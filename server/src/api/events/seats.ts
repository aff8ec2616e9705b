import { PunctualError } from '../../domain/errors.ts';

/** Streams of one client, and of all together: each may hold 1 MiB unread. */
export const MOST_OF_CLIENT = 20;
export const MOST_OF_ALL = 1_000;

/** Who listens, or is about to: a seat is taken before anything is waited for, and given back once. */
export class Seats {
  readonly #taken = new Map<number, number>();
  #all = 0;

  /**
   * @returns what gives the seat back; a second call does nothing
   * @throws PunctualError `request_invalid` where the client, or all together, have as many as there are
   */
  take(clientKey: number): () => void {
    const taken = this.#taken.get(clientKey) ?? 0;
    if (taken >= MOST_OF_CLIENT) {
      throw refused(
        `This client has ${MOST_OF_CLIENT} listeners already; close one of them first.`,
      );
    }
    if (this.#all >= MOST_OF_ALL) {
      throw refused(`This node has ${MOST_OF_ALL} listeners already; try again later.`);
    }
    this.#taken.set(clientKey, taken + 1);
    this.#all += 1;
    let isMine = true;
    return () => {
      if (isMine) this.#giveBack(clientKey);
      isMine = false;
    };
  }

  #giveBack(clientKey: number): void {
    const left = this.#taken.get(clientKey)! - 1;
    if (left === 0) this.#taken.delete(clientKey);
    else this.#taken.set(clientKey, left);
    this.#all -= 1;
  }
}

function refused(sentence: string): PunctualError {
  return new PunctualError('request_invalid', sentence);
}
