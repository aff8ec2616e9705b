import type { Socket } from 'node:net';
import { coded } from './fault.ts';

/**
 * Address race: the addresses of a host are dialled one after the other, and the first that connects
 * is taken (RFC 8305, "Happy Eyeballs").
 *
 * The next address is dialled as soon as one has failed, or has not answered for a while. The slow ones go on:
 * the slowest may be the only one that works. Node's `autoSelectFamily` would give them up.
 */

/** An address that was dialled before the one that connected. */
export interface DeadAddress {
  address: string;
  /** Of its fault; null: it did not answer in time. */
  code: string | null;
}

/** One that wants a connection. */
export interface RaceRequester {
  /** Begins to connect to an address. */
  open(address: string): Socket;
  /** Told once. @param dead in the order in which they were dialled */
  connected(socket: Socket, address: string, dead: DeadAddress[]): void;
  /** No address is left, with the fault of the last one; or the connection has ended, maybe told twice. */
  failed(error: Error): void;
}

export class AddressRace {
  readonly #addresses: readonly string[];
  readonly #patienceMs: number;
  readonly #requester: RaceRequester;
  /** By their addresses, as the next two. */
  readonly #sockets: Socket[] = [];
  readonly #faults: (Error | undefined)[] = [];
  #winner: Socket | null = null;
  #cancelled = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param addresses in the order in which they are dialled, at least one */
  constructor(addresses: readonly string[], patienceMs: number, requester: RaceRequester) {
    this.#addresses = addresses;
    this.#patienceMs = patienceMs;
    this.#requester = requester;
    this.#dialNext();
  }

  /** Closes everything, also a connection that it has told of. */
  cancel(): void {
    this.#cancelled = true;
    clearTimeout(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  get #canDial(): boolean {
    const isOpen = this.#winner === null && !this.#cancelled;
    return isOpen && this.#sockets.length < this.#addresses.length;
  }

  #dialNext(): void {
    const at = this.#sockets.length;
    const socket = this.#requester.open(this.#addresses[at]!);
    this.#sockets.push(socket);
    socket.on('error', error => this.#over(at, error));
    socket.once('close', () => this.#over(at, coded('CLOSED')));
    socket.once('connect', () => this.#connected(at));
    clearTimeout(this.#timer);
    if (this.#canDial) this.#dialLater();
  }

  /** Timers come before sockets are read: an answer that came while the process was busy counts. */
  #dialLater(): void {
    const dialled = this.#sockets.length;
    this.#timer = setTimeout(() => {
      setImmediate(() => {
        if (this.#canDial && this.#sockets.length === dialled) this.#dialNext();
      });
    }, this.#patienceMs);
  }

  #connected(at: number): void {
    if (this.#winner !== null) return;
    const winner = this.#sockets[at]!;
    this.#winner = winner;
    clearTimeout(this.#timer);
    for (const socket of this.#sockets) if (socket !== winner) socket.destroy();
    const dead = this.#addresses.slice(0, at).map((address, nth) => {
      const fault = this.#faults[nth];
      return { address, code: fault === undefined ? null : codeOf(fault) };
    });
    this.#requester.connected(winner, this.#addresses[at]!, dead);
  }

  #over(at: number, error: Error): void {
    if (this.#winner !== null) {
      if (this.#winner === this.#sockets[at]) this.#requester.failed(error);
      return;
    }
    if (this.#faults[at] !== undefined) return;
    this.#faults[at] = error;
    if (this.#canDial) this.#dialNext();
    else if (this.#sockets.every((_, nth) => this.#faults[nth] !== undefined)) {
      this.#requester.failed(error);
    }
  }
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.name;
}

/** A part of a sentence. @param subject the address */
export function deadClause(subject: string, code: string | null, patienceMs: number): string {
  if (code === null) return `${subject} did not answer within ${patienceMs} ms`;
  if (code === 'ECONNREFUSED') return `${subject} refused the connection`;
  return `${subject} could not be reached (${code})`;
}
