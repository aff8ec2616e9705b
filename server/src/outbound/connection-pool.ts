import type { Clock } from '../clock.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import { ConnectionQueue } from './connection-queue.ts';
import type { Deadlines } from './deadlines.ts';
import type { Exchange, Transport } from './exchange.ts';
import { Dialer, type Guard, type Target } from './guard.ts';
import { LOOKUP_CANCELLED } from './lookups.ts';

/** Shared by all pools of a sender. */
export interface PoolOptions {
  readonly guard: Guard;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly connectionsPerOrigin: number;
  readonly keepAliveMs: number;
  /** Told before a connection is opened, and when it has closed. */
  readonly onOpen: () => void;
  readonly onClosed: () => void;
  /** Told when a pool gets an exchange after having had none, and when it has none any more. */
  readonly onBusy: (pool: ConnectionPool) => void;
  readonly onQuiet: (pool: ConnectionPool) => void;
}

/**
 * The connections to one origin with the same TLS settings, and the exchanges that wait for one: clients in turn.
 *
 * An exchange takes the connection that was used last, or opens its own, so it knows which phases
 * were its own; connections that are not needed grow old and close. An exchange's time begins when
 * it gets a connection or a place to open one, not while it waits here. Until it gets a connection or a
 * turn to look up the name, it can be cancelled. Until its own connection is open, it can be abandoned,
 * and the lease of its node can end.
 */
export class ConnectionPool implements Transport, ConnectionOwner {
  readonly target: Target;
  /** Of all pools of the sender. */
  readonly key: string;
  /** As a transport: there is no connection yet. */
  readonly socket = null;
  readonly status = 0;
  readonly hasBegun = false;
  /** Connections being opened, and sockets until they have closed. */
  size = 0;
  readonly #options: PoolOptions;
  readonly #idle: Connection[] = [];
  /** Attempts begun and not over. */
  #active = 0;
  readonly #waiting = new ConnectionQueue();
  #drainScheduled = false;
  #sweepScheduled = false;
  readonly #onCancelled = () => this.#sweepSoon();

  constructor(target: Target, options: PoolOptions, key = target.origin) {
    this.target = target;
    this.key = key;
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get idleCount(): number {
    return this.#idle.length;
  }

  /** Without exchanges. If `size` is 0 too, the pool is empty. */
  get isQuiet(): boolean {
    return this.#active === 0 && this.waiting === 0;
  }

  take(exchange: Exchange): void {
    if (this.isQuiet) this.#options.onBusy(this);
    if (this.waiting === 0 && this.#hasPlace) this.#start(exchange);
    else if (exchange.request.permit?.isCancelled) exchange.cancel(this.#options.clock.now());
    else this.#append(exchange);
  }

  /** The exchanges that wait, and no longer do. */
  dismiss(): Exchange[] {
    const dismissed: Exchange[] = [];
    while (this.waiting > 0) dismissed.push(this.#waiting.shift());
    return dismissed;
  }

  /** Exchanges that wait and were cancelled leave the queue at once. */
  sweep(): void {
    const cancelled: Exchange[] = [];
    for (const exchange of this.dismiss()) {
      if (exchange.request.permit?.isCancelled) cancelled.push(exchange);
      else this.#append(exchange);
    }
    const now = this.#options.clock.now();
    for (const exchange of cancelled) exchange.cancel(now);
  }

  closeKept(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  /** Nothing is written without a connection. */
  written(): void {}

  ended(exchange: Exchange): void {
    exchange.dialer?.cancel();
    if (exchange.slot === -1) this.#settleDown();
    else this.#over(exchange);
  }

  /**
   * The next one takes it at once: for undici it has waited then, and is written without one more look
   * at whether an idle connection was closed. Not where every answer may be the connection's last.
   */
  release(connection: Connection, exchange: Exchange): void {
    this.#idle.push(connection);
    if (connection.hasLasted && this.waiting > 0) this.#start(this.#waiting.shift());
    this.#over(exchange);
  }

  drop(connection: Connection, exchange: Exchange): void {
    connection.destroy();
    this.#over(exchange);
  }

  /** Goes beyond `connectionsPerOrigin` rather than let an exchange wait whose time is running. */
  stale(exchange: Exchange): void {
    this.#carry(exchange);
  }

  /** On no kept connection: the target may have closed them all. */
  sendAgain(exchange: Exchange): void {
    void this.#open(exchange);
  }

  closed(connection: Connection): void {
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    this.#closed();
    this.#settleDown();
  }

  #closed(): void {
    this.size--;
    this.#options.onClosed();
  }

  get #hasPlace(): boolean {
    return this.#idle.length > 0 || this.size < this.#options.connectionsPerOrigin;
  }

  #start(exchange: Exchange): void {
    const now = this.#options.clock.now();
    if (this.#idle.length > 0 ? !exchange.start() : exchange.isCancelled) {
      exchange.cancel(now);
      return;
    }
    this.#active++;
    exchange.begin(now);
    this.#options.deadlines.add(exchange);
    this.#carry(exchange);
  }

  #carry(exchange: Exchange): void {
    const connection = this.#takeKept();
    if (connection !== null) connection.send(exchange);
    else void this.#open(exchange);
  }

  async #open(exchange: Exchange): Promise<void> {
    this.size++;
    this.#options.onOpen();
    const { guard, keepAliveMs, clock } = this.#options;
    exchange.dialer = new Dialer(this.target, guard, exchange);
    this.#hearOfCancelled(exchange);
    exchange.onto(this);
    try {
      const socket = await exchange.dialer.open();
      // It may have been abandoned while its connection was opened, or its node may have lost the lease.
      if (exchange.settled || exchange.request.permit?.leave() === false) {
        socket.destroy();
        throw new Error('too late');
      }
      new Connection(this.target.origin, socket, keepAliveMs, this).send(exchange);
    } catch (error) {
      this.#closed();
      if (error === LOOKUP_CANCELLED || exchange.isCancelled) exchange.cancel(clock.now());
      else exchange.fail(error);
      this.#settleDown();
    }
  }

  /** A connection that is about to close, as after `Connection: close`, is as good as closed. */
  #takeKept(): Connection | null {
    while (true) {
      const connection = this.#idle.pop();
      if (connection === undefined) return null;
      if (!connection.socket.destroyed) return connection;
    }
  }

  #over(exchange: Exchange): void {
    this.#active--;
    this.#options.deadlines.remove(exchange);
    this.#settleDown();
  }

  #settleDown(): void {
    if (this.waiting > 0) this.#drainSoon();
    else if (this.isQuiet) this.#options.onQuiet(this);
  }

  /** A little later, when undici is through with the answer and it shows whether it closes. */
  #drainSoon(): void {
    if (this.#drainScheduled) return;
    this.#drainScheduled = true;
    queueMicrotask(() => {
      this.#drainScheduled = false;
      while (this.waiting > 0 && this.#hasPlace) this.#start(this.#waiting.shift());
    });
  }

  #sweepSoon(): void {
    if (this.#sweepScheduled) return;
    this.#sweepScheduled = true;
    queueMicrotask(() => {
      this.#sweepScheduled = false;
      this.sweep();
      this.#options.guard.lookups.sweep();
    });
  }

  #append(exchange: Exchange): void {
    this.#hearOfCancelled(exchange);
    this.#waiting.add(exchange);
  }

  #hearOfCancelled({ request: { permit } }: Exchange): void {
    if (permit !== undefined) permit.onCancelled = this.#onCancelled;
  }
}
