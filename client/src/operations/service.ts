import { type EventOptions, follow } from '../follow.ts';
import type { CallOptions } from '../transport.ts';
import type * as Wire from '../wire.ts';
import { Operations } from './operations.ts';

/** The operations on the service itself. */
export class Service extends Operations {
  /** Whether requests can be served, what will trouble them, and whether nothing fires. No key is needed. */
  getReadiness(options: CallOptions = {}): Promise<Wire.Health> {
    return this.read('getReadiness', '/readyz', options);
  }

  /**
   * Streams events as they happen, until `signal` is aborted. If the stream breaks off (the service
   * restarts, the network fails, 30 s of silence), the client reopens it with `Last-Event-ID` and
   * receives the events missed.
   *
   * It rejects if the first connection fails, or if another attempt cannot help (such as after a
   * 401).
   */
  events(options: EventOptions = {}): AsyncGenerator<Wire.PunctualEvent, void, undefined> {
    return follow((lastEventId, isFirst) => {
      const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
      const call = { operation: 'events', method: 'GET', path: '/v1/event', headers };
      const { signal } = options;
      return this.transport.stream(call, { ...(signal && { signal }) }, isFirst ? undefined : 0);
    }, options);
  }
}
