import type { ServerResponse } from 'node:http';
import type * as Wire from '@punctual/client';
import type { Clock, Timer } from '../../clock.ts';

/** Proxies and browsers give up on a silent connection; this service does after a minute. */
const HEARTBEAT_MS = 10_000;
/** How often it is looked whether the caller may still listen. */
const RECHECK_MS = 1_000;
/** A reader that leaves this much unread is cut off: it comes back with its last id. */
const MOST_UNREAD_BYTES = 1024 * 1024;

/** One listener's answer, as Server-Sent Events. Ends by itself when the reader is gone or too slow. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();

  /**
   * @param mayListen asked again and again; false ends the stream
   * @param isResumed the listener named the event that it goes on from
   */
  constructor(
    response: ServerResponse,
    clock: Clock,
    mayListen: () => Promise<boolean>,
    isResumed: boolean,
  ) {
    this.#response = response;
    this.#clock = clock;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'X-Accel-Buffering': 'no',
    });
    response.once('close', () => this.#stopTimers());
    response.on('error', () => this.end());
    // An id without an event: who hears nothing until the connection breaks can go on from here.
    const start = isResumed ? '' : `id: ${clock.now()}-open\n`;
    this.#write(`retry: 2000\n${start}\n`);
    this.#every(HEARTBEAT_MS, async () => this.#write(': still here\n\n'));
    this.#every(RECHECK_MS, async () => {
      if (!(await mayListen().catch(() => true))) this.end();
    });
  }

  send(events: Wire.PunctualEvent[]): void {
    for (const { id, type, data } of events) {
      this.#write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    }
  }

  end(): void {
    this.#stopTimers();
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.write(text);
    if (this.#response.writableLength > MOST_UNREAD_BYTES) this.#response.destroy();
  }

  #every(ms: number, work: () => Promise<void>): void {
    const timer = this.#clock.after(ms, async () => {
      this.#timers.delete(timer);
      await work();
      if (!this.#response.writableEnded && !this.#response.destroyed) this.#every(ms, work);
    });
    this.#timers.add(timer);
  }

  #stopTimers(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}
