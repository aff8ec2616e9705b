import { PunctualConnectionError } from './errors.ts';
import type { PunctualEvent } from './wire.ts';

/** How far a stream was read, and how long to wait before the next connection. */
export interface Position {
  lastEventId?: string | undefined;
  retryMs?: number;
}

/** The service writes a comment every 10 s; a connection that is silent for this long is broken. */
export const SILENCE_MS = 30_000;

/**
 * Reads a stream of Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html)
 * as this service writes it: comments and unknown fields are skipped, an event may come in any pieces.
 *
 * @param position follows what was read
 * @throws PunctualConnectionError where the connection breaks or falls silent
 */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  position: Position = {},
  silenceMs = SILENCE_MS,
): AsyncGenerator<PunctualEvent, void, undefined> {
  let rest = '';
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await nextPiece(reader, silenceMs);
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const event = eventFrom(block, position);
        if (event !== null) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function nextPiece(reader: ReadableStreamDefaultReader<Uint8Array>, silenceMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    const sentence = `The stream of events was silent for ${silenceMs} ms.`;
    timer = setTimeout(() => reject(new Error(sentence)), silenceMs);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (cause) {
    throw new PunctualConnectionError('events', 'The stream of events broke off.', { cause });
  } finally {
    clearTimeout(timer);
  }
}

function eventFrom(block: string, position: Position): PunctualEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  const [id, type, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
  const retry = fields.get('retry');
  if (retry !== undefined && /^\d+$/.test(retry)) position.retryMs = Number(retry);
  // Counts also without an event: from here on nothing was missed.
  if (id !== undefined) position.lastEventId = id;
  if (id === undefined || type === undefined || data === undefined) return null;
  return { id, type, data: JSON.parse(data) } as PunctualEvent;
}
