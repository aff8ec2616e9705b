import type { Exchange } from './exchange.ts';

/** The exchanges of one client, first in, first out. */
interface ClientQueue {
  readonly clientRowId: number;
  first: Exchange;
  last: Exchange;
}

/** Connection queue: the exchanges that wait for a connection to one origin. Clients take turns. */
export class ConnectionQueue {
  size = 0;
  /** None of them is empty. */
  readonly #clients: ClientQueue[] = [];
  readonly #byClient = new Map<number, ClientQueue>();
  /** The index of the client whose turn it is. */
  #turn = 0;

  add(exchange: Exchange): void {
    const { clientRowId = 0 } = exchange.request;
    const queue = this.#byClient.get(clientRowId);
    if (queue === undefined) {
      const own = { clientRowId, first: exchange, last: exchange };
      this.#clients.push(own);
      this.#byClient.set(clientRowId, own);
    } else {
      queue.last.next = exchange;
      queue.last = exchange;
    }
    this.size += 1;
  }

  /** The next exchange. There must be one. */
  shift(): Exchange {
    const queue = this.#clients[this.#turn]!;
    const { first } = queue;
    if (first.next === null) {
      this.#clients.splice(this.#turn, 1);
      this.#byClient.delete(queue.clientRowId);
    } else {
      queue.first = first.next;
      first.next = null;
      this.#turn += 1;
    }
    if (this.#turn >= this.#clients.length) this.#turn = 0;
    this.size -= 1;
    return first;
  }
}
