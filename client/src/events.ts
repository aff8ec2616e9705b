import type { PunctualEvent } from './wire.ts';

/**
 * Reads a stream of Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html)
 * as this service writes it: comments and unknown fields are skipped, an event may come in any pieces.
 */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<PunctualEvent, void, undefined> {
  let rest = '';
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const event = eventFrom(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function eventFrom(block: string): PunctualEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  const [id, type, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
  if (id === undefined || type === undefined || data === undefined) return null;
  return { id, type, data: JSON.parse(data) } as PunctualEvent;
}
