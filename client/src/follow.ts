import { type Position, readEvents } from './events.ts';
import { isPassing, reconnectWaitMs } from './retry.ts';
import { pause } from './time-limit.ts';
import type { OpenStream } from './transport.ts';
import type { PunctualEvent } from './wire.ts';

export interface EventOptions {
  signal?: AbortSignal;
  /** Called whenever the stream is open, before its first event. */
  onOpen?: () => void;
  /** Called whenever the stream broke off and is opened again in `waitMs`. */
  onBreak?: (error: unknown, waitMs: number) => void;
  /** The id of the last event that was handled: what happened since is told first. */
  lastEventId?: string;
  /** Whether a stream that broke off is opened again: true by default. */
  reconnect?: boolean;
}

/** After a break the service repeats a few seconds of events. */
const MOST_REMEMBERED = 10_000;
const FIRST_WAIT_MS = 2_000;

/**
 * Events over any number of connections. The first one must open; a later one is tried for as long as it takes, but
 * for an answer that another attempt cannot change (such as 401).
 *
 * @param open `isFirst` for the first connection
 */
export async function* follow(
  open: (lastEventId: string | undefined, isFirst: boolean) => Promise<OpenStream>,
  options: EventOptions,
): AsyncGenerator<PunctualEvent, void, undefined> {
  const { signal, onOpen, onBreak, reconnect = true } = options;
  const position: Position = { lastEventId: options.lastEventId };
  const told = new Set<string>();
  let isFirst = true;
  for (let failures = 1; ; failures += 1) {
    let broken: unknown;
    try {
      const stream = await open(position.lastEventId, isFirst);
      isFirst = false;
      failures = 0;
      onOpen?.();
      try {
        for await (const event of readEvents(stream.body, position)) {
          if (isNew(told, event.id)) yield event;
        }
      } finally {
        stream.close();
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isFirst || !reconnect || !isPassing(error)) throw error;
      broken = error;
    }
    if (!reconnect) return;
    const waitMs = reconnectWaitMs(
      position.retryMs ?? FIRST_WAIT_MS,
      Math.max(1, failures),
      Math.random(),
    );
    onBreak?.(broken, waitMs);
    await pause(waitMs, signal);
    signal?.throwIfAborted();
  }
}

function isNew(told: Set<string>, id: string): boolean {
  if (told.has(id)) return false;
  told.add(id);
  if (told.size > MOST_REMEMBERED) told.delete(told.values().next().value!);
  return true;
}
