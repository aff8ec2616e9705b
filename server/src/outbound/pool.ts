import type { Clock } from '../clock.ts';
import type { Attempt, Carrier } from './attempt.ts';
import { Connection, type Home } from './connection.ts';
import type { Deadlines } from './deadlines.ts';
import { type Guard, Opening, type Target } from './guard.ts';
import { CALLED_BACK } from './lookups.ts';
import { Waiting } from './waiting.ts';

/** What all pools of a sender share. */
export interface PoolOptions {
  readonly guard: Guard;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly connectionsPerOrigin: number;
  readonly keepAliveMs: number;
  /** Told when a pool gets an attempt after having had none, and when it has none any more. */
  readonly onBusy: (pool: Pool) => void;
  readonly onQuiet: (pool: Pool) => void;
}

/**
 * The connections to one origin, and the attempts that wait for one: clients in turn.
 *
 * An attempt takes the connection that was used last, or opens its own, so it knows which phases
 * were its own; connections that are not needed grow old and close. An attempt's time begins when
 * it gets a connection or a place to open one, not while it waits here. Until it gets a connection or a
 * turn to look up the name, it can be called back.
 */
export class Pool implements Carrier, Home {
  readonly target: Target;
  /** As a carrier: there is none yet. */
  readonly socket = null;
  /** Places taken: connections being opened, and sockets until they have closed. */
  size = 0;
  readonly #options: PoolOptions;
  readonly #kept: Connection[] = [];
  /** Attempts begun and not over. */
  #active = 0;
  readonly #waiting = new Waiting();
  #drainScheduled = false;
  #sweepScheduled = false;
  readonly #onCancelled = () => this.#sweepSoon();

  constructor(target: Target, options: PoolOptions) {
    this.target = target;
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get kept(): number {
    return this.#kept.length;
  }

  /** Without attempts. Where `size` is 0 too, nothing is left of it. */
  get isQuiet(): boolean {
    return this.#active === 0 && this.waiting === 0;
  }

  take(attempt: Attempt): void {
    if (this.isQuiet) this.#options.onBusy(this);
    if (this.waiting === 0 && this.#hasPlace) this.#start(attempt);
    else if (attempt.request.ticket?.isCancelled) attempt.cancel(this.#options.clock.now());
    else this.#append(attempt);
  }

  /** The attempts that wait, and no longer do. */
  dismiss(): Attempt[] {
    const dismissed: Attempt[] = [];
    while (this.waiting > 0) dismissed.push(this.#waiting.shift());
    return dismissed;
  }

  /** Those that wait and were called back leave at once, as if they had never come. */
  sweep(): void {
    const cancelled: Attempt[] = [];
    for (const attempt of this.dismiss()) {
      if (attempt.request.ticket?.isCancelled) cancelled.push(attempt);
      else this.#append(attempt);
    }
    const now = this.#options.clock.now();
    for (const attempt of cancelled) attempt.cancel(now);
  }

  closeKept(): void {
    for (const connection of this.#kept.splice(0)) connection.destroy();
  }

  ended(attempt: Attempt): void {
    attempt.opening?.cancel();
    if (attempt.slot === -1) this.#settleDown();
    else this.#over(attempt);
  }

  /**
   * The next one takes it at once: for undici it has waited then, and is written without one more look
   * at whether an idle connection was closed. Not where every answer may be the connection's last.
   */
  release(connection: Connection, attempt: Attempt): void {
    this.#kept.push(connection);
    if (connection.hasLasted && this.waiting > 0) this.#start(this.#waiting.shift());
    this.#over(attempt);
  }

  drop(connection: Connection, attempt: Attempt): void {
    connection.destroy();
    this.#over(attempt);
  }

  /** Goes beyond `connectionsPerOrigin` rather than let an attempt wait whose time is running. */
  stale(attempt: Attempt): void {
    this.#carry(attempt);
  }

  closed(connection: Connection): void {
    const place = this.#kept.indexOf(connection);
    if (place !== -1) this.#kept.splice(place, 1);
    this.size--;
    this.#settleDown();
  }

  get #hasPlace(): boolean {
    return this.#kept.length > 0 || this.size < this.#options.connectionsPerOrigin;
  }

  #start(attempt: Attempt): void {
    const now = this.#options.clock.now();
    if (this.#kept.length > 0 ? !attempt.start() : attempt.isCancelled) {
      attempt.cancel(now);
      return;
    }
    this.#active++;
    attempt.begin(now);
    this.#options.deadlines.add(attempt);
    this.#carry(attempt);
  }

  #carry(attempt: Attempt): void {
    const connection = this.#takeKept();
    if (connection !== null) connection.send(attempt);
    else void this.#open(attempt);
  }

  async #open(attempt: Attempt): Promise<void> {
    this.size++;
    const { guard, keepAliveMs, clock } = this.#options;
    attempt.opening = new Opening(this.target, guard, attempt);
    this.#hearOfCancelled(attempt);
    attempt.onto(this);
    try {
      const socket = await attempt.opening.open();
      if (attempt.settled) {
        socket.destroy();
        throw new Error('too late');
      }
      new Connection(this.target.origin, socket, keepAliveMs, this).send(attempt);
    } catch (error) {
      this.size--;
      if (error === CALLED_BACK) attempt.cancel(clock.now());
      else attempt.fail(error);
      this.#settleDown();
    }
  }

  /** A connection that is about to close, as after `Connection: close`, is as good as closed. */
  #takeKept(): Connection | null {
    while (true) {
      const connection = this.#kept.pop();
      if (connection === undefined) return null;
      if (!connection.socket.destroyed) return connection;
    }
  }

  #over(attempt: Attempt): void {
    this.#active--;
    this.#options.deadlines.remove(attempt);
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

  #append(attempt: Attempt): void {
    this.#hearOfCancelled(attempt);
    this.#waiting.add(attempt);
  }

  #hearOfCancelled({ request: { ticket } }: Attempt): void {
    if (ticket !== undefined) ticket.onCancelled = this.#onCancelled;
  }
}
