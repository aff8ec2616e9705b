import { PunctualError } from '../../domain/errors.ts';

/** Streams of one client, and of all together: each may hold 1 MiB unread. */
export const MOST_OF_CLIENT = 20;
export const MOST_OF_ALL = 1_000;

/** The slots of listeners: a slot is taken before the first await, and released once. */
export class ListenerSlots {
  readonly #taken = new Map<number, number>();
  #all = 0;

  /**
   * @returns what gives the seat back; a second call does nothing
   * @throws PunctualError `request_invalid` where the client, or all together, have as many as there are
   */
  take(clientRowId: number): () => void {
    const taken = this.#taken.get(clientRowId) ?? 0;
    if (taken >= MOST_OF_CLIENT) {
      throw refused(
        `This client has ${MOST_OF_CLIENT} listeners already; close one of them first.`,
      );
    }
    if (this.#all >= MOST_OF_ALL) {
      throw refused(`This node has ${MOST_OF_ALL} listeners already; try again later.`);
    }
    this.#taken.set(clientRowId, taken + 1);
    this.#all += 1;
    let isMine = true;
    return () => {
      if (isMine) this.#giveBack(clientRowId);
      isMine = false;
    };
  }

  #giveBack(clientRowId: number): void {
    const left = this.#taken.get(clientRowId)! - 1;
    if (left === 0) this.#taken.delete(clientRowId);
    else this.#taken.set(clientRowId, left);
    this.#all -= 1;
  }
}

function refused(sentence: string): PunctualError {
  return new PunctualError('request_invalid', sentence);
}
