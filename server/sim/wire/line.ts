import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Machine, Owner } from '../machine.ts';
import type { LineSeen } from '../model/wire-evidence.ts';
import { type RequestRead, RequestReader } from './request-reader.ts';

/** The other end of a connection. */
export interface LineEnd {
  /** The process has written a request, all of it. */
  written(request: RequestRead): void;
  /** The process has closed its end. */
  closed(): void;
}

/**
 * One connection of a process to a target: a socket that the sender takes for one of Node's, and what the target does with
 * the other end. Bytes come in their order, and what is closed at one end is known at the other one a while later.
 */
export class Line {
  readonly seen: LineSeen;
  readonly socket: Socket;
  /** The target has closed it: what comes is not read. */
  isLeft = false;
  readonly #machine: Machine;
  readonly #wire: Owner;
  readonly #reader = new RequestReader();
  readonly #end: LineEnd;
  /** When what was sent last comes to the process, ms since the machine started. */
  #lastMs = 0;

  constructor(machine: Machine, wire: Owner, seen: LineSeen, end: (line: Line) => LineEnd) {
    this.#machine = machine;
    this.#wire = wire;
    this.seen = seen;
    this.#end = end(this);
    this.socket = new PlayedSocket({
      write: bytes => {
        for (const request of this.#reader.take(bytes)) this.#end.written(request);
      },
      closed: done => {
        seen.closedMs = machine.monotonicMs;
        this.#end.closed();
        // As Node does it, in another turn.
        machine.after(0, done, wire);
      },
    }) as unknown as Socket;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && !this.#wire.isDead;
  }

  /** Something comes to the process `ms` later, behind what came before, whether it is suspended or not; then it reads it. */
  comes(ms: number, call: () => void): void {
    const { world, elapsedMs } = this.#machine;
    this.#lastMs = Math.max(this.#lastMs, elapsedMs + ms);
    const arrive = () => {
      if (!this.isOpen) return;
      const read = () => {
        if (this.isOpen) call();
      };
      this.#machine.after(0, read, this.#wire);
    };
    this.#machine.after(this.#lastMs - elapsedMs, arrive, world);
  }

  connected(isSecure: boolean, handshakeMs: number): void {
    this.seen.connectedMs = this.#machine.monotonicMs;
    this.socket.emit('connect');
    if (isSecure) this.comes(handshakeMs, () => this.socket.emit('secureConnect'));
  }

  bytes(bytes: Buffer): void {
    this.socket.push(bytes);
  }

  ends(): void {
    this.socket.push(null);
  }

  fails(code: string): void {
    this.socket.destroy(Object.assign(new Error(`read ${code}`), { code }));
  }
}

interface Wires {
  write(bytes: Buffer): void;
  /** @param done the socket says that it has closed */
  closed(done: () => void): void;
}

class PlayedSocket extends Duplex {
  readonly #wires: Wires;

  constructor(wires: Wires) {
    super({ allowHalfOpen: false });
    this.#wires = wires;
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#wires.write(bytes);
    done();
  }

  override _writev(parts: { chunk: Buffer }[], done: () => void): void {
    this.#wires.write(Buffer.concat(parts.map(({ chunk }) => chunk)));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#wires.closed(() => done(error));
  }
}
