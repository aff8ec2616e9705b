import type { Socket } from 'node:net';
import { Client } from 'undici';
import { AnswerFilter } from './answer-filter.ts';
import { type Exchange, STALE, type Transport } from './exchange.ts';

/** The pool that a connection belongs to. */
export interface ConnectionOwner {
  /** The exchange is over and the connection free again. */
  release(connection: Connection, exchange: Exchange): void;
  /** The exchange is over, and the connection with it. */
  drop(connection: Connection, exchange: Exchange): void;
  /** The exchange needs another connection. */
  stale(exchange: Exchange): void;
  /** The exchange needs a connection of its own. */
  sendAgain(exchange: Exchange): void;
  /** Its socket has closed, whoever closed it. */
  closed(connection: Connection): void;
}

/**
 * One connection: an undici client on a socket that is already open. The client never gets another
 * socket.
 *
 * undici would reconnect and send the requests that still wait in the client. Here it asks for a
 * second socket in vain. The exchange, without a byte written, learns that the connection is stale.
 * A request written on a connection that then breaks is sent again only where its exchange says so.
 */
export class Connection implements Transport {
  readonly socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #client: Client;
  readonly #answerFilter: AnswerFilter;
  #handed = false;
  #answers = 0;

  /** @param keepAliveMs how long it may rest between two requests */
  constructor(origin: string, socket: Socket, keepAliveMs: number, owner: ConnectionOwner) {
    this.socket = socket;
    this.#owner = owner;
    this.#answerFilter = new AnswerFilter(socket);
    this.#client = new Client(origin, {
      connect: (_options, callback) => {
        if (this.#handed) return callback(STALE, null);
        this.#handed = true;
        // undici forgets to write if it is called back before its own call has returned.
        queueMicrotask(() => callback(null, socket));
      },
      allowH2: false,
      pipelining: 1,
      // The exchange's time limit is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
      // A server's `Keep-Alive: timeout` can only shorten it: 2 s before that time the connection is
      // no longer used, so that a request does not cross the server's close on its way.
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      keepAliveTimeoutThreshold: 2_000,
      // undici refuses what has as many bytes as this.
      maxHeaderSize: MAX_ANSWER_HEADERS + 1,
    });
    socket.once('close', () => owner.closed(this));
  }

  /** It outlived an answer before the one that ended last. */
  get hasLasted(): boolean {
    return this.#answers > 1;
  }

  get hasBegun(): boolean {
    return this.#answerFilter.hasBegun;
  }

  get status(): number {
    return this.#answerFilter.status;
  }

  send(exchange: Exchange): void {
    exchange.onto(this);
    const { method, headers, body } = exchange.request;
    this.#client.dispatch(
      { path: exchange.path, method, headers, body, blocking: false },
      exchange,
    );
  }

  written(exchange: Exchange): void {
    this.#answerFilter.expectAnswer(exchange);
  }

  ended(exchange: Exchange, reusable: boolean): void {
    this.#answers++;
    if (reusable && !this.#answerFilter.isIrregular) this.#owner.release(this, exchange);
    else this.#owner.drop(this, exchange);
  }

  stale(exchange: Exchange): void {
    // A connection that was gone before its first request is the target's doing, not bad timing.
    if (this.#answers > 0) this.#owner.stale(exchange);
    else exchange.fail(this.socket.errored ?? STALE);
  }

  sendAgain(exchange: Exchange): void {
    this.#owner.sendAgain(exchange);
  }

  /** Closes it at once, whatever is under way. */
  destroy(): void {
    void this.#client.destroy();
  }
}

/** Names and values together, of the headers and of the trailers each. */
const MAX_ANSWER_HEADERS = 16 * 1024;
