import type { Attempt } from './attempt.ts';

/** Those of one client, first come, first served. */
interface Line {
  readonly clientKey: number;
  first: Attempt;
  last: Attempt;
}

/** Waiting: the attempts that wait for a connection to one origin. Clients take turns. */
export class Waiting {
  size = 0;
  /** None is empty. Mostly there is one. */
  readonly #lines: Line[] = [];
  readonly #lineOf = new Map<number, Line>();
  /** Whose turn it is. */
  #turn = 0;

  add(attempt: Attempt): void {
    const { clientKey = 0 } = attempt.request;
    const line = this.#lineOf.get(clientKey);
    if (line === undefined) {
      const own = { clientKey, first: attempt, last: attempt };
      this.#lines.push(own);
      this.#lineOf.set(clientKey, own);
    } else {
      line.last.next = attempt;
      line.last = attempt;
    }
    this.size += 1;
  }

  /** The next one. There must be one. */
  shift(): Attempt {
    const line = this.#lines[this.#turn]!;
    const { first } = line;
    if (first.next === null) {
      this.#lines.splice(this.#turn, 1);
      this.#lineOf.delete(line.clientKey);
    } else {
      line.first = first.next;
      first.next = null;
      this.#turn += 1;
    }
    if (this.#turn >= this.#lines.length) this.#turn = 0;
    this.size -= 1;
    return first;
  }
}
