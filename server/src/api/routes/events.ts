import type { IncomingMessage, ServerResponse } from 'node:http';
import { callerOf } from '../access/authenticate.ts';
import { EventFeed } from '../events/feed.ts';
import { ListenerSlots, MOST_OF_CLIENT } from '../events/listener-slots.ts';
import { EventStream } from '../events/stream.ts';
import { RUN_ID } from '../openapi/examples/ids.ts';
import { EXAMPLE_RUN } from '../openapi/examples/runs.ts';
import { EVENT_STREAM } from '../openapi/operation.ts';
import { route } from '../route.ts';

/** A stream of events, which the document describes in words: no schema has its answer. */
export const listenToEvents = route({
  method: 'GET',
  path: '/v1/event',
  operationId: 'listenToEvents',
  summary: 'Listen to events as they happen: Server-Sent Events',
  description:
    '`run.ended` carries a Run, even if it was skipped or missed. `schedule.changed` carries a ' +
    'Schedule without its headers and data, `breaker.opened` and `breaker.closed` a Breaker. ' +
    '`gap` says that too many events happened between `from` and `to` to send them singly. ' +
    '`Last-Event-ID` resumes after a break, from an event or from the id at the start of the ' +
    'stream. Events just before it may come twice. ' +
    `A client may have ${MOST_OF_CLIENT} listeners at most.`,
  tag: 'figures',
  answer: EVENT_STREAM,
  example: {
    answer: `retry: 2000\nid: 1780295400000-open\n\nid: 1780295400091-${RUN_ID}\nevent: run.ended\ndata: ${JSON.stringify(EXAMPLE_RUN)}\n\n`,
  },
  handle: ({ store, clock, log, authenticator, beforeClose }) => {
    const feed = new EventFeed(store, clock, error =>
      log.warn({ err: error }, 'events could not be read; they are read again'),
    );
    const seats = new ListenerSlots();
    const streams = new Set<EventStream>();
    // A stream never ends by itself, and a graceful end waits for what is open.
    beforeClose(() => {
      for (const stream of streams) stream.end();
    });
    return async (request, reply) => {
      const { clientRowId } = callerOf(request);
      if (request.method === 'HEAD') return reply.type('text/event-stream').send('');
      // Also where the first read fails, or goes on for long.
      whenLeft(request.raw, reply.raw, seats.take(clientRowId));
      const lastEventId = request.headers['last-event-id'];
      const isResumed = typeof lastEventId === 'string';
      const missed = isResumed ? await feed.since(clientRowId, lastEventId) : [];
      reply.hijack();
      if (reply.raw.closed) return;
      const stream = new EventStream(
        reply.raw,
        clock,
        () => authenticator.isValid(request),
        isResumed,
      );
      streams.add(stream);
      stream.send(missed);
      const told = isResumed ? [lastEventId, ...missed.map(({ id }) => id)] : undefined;
      const leaveFeed = feed.join(clientRowId, news => stream.send(news), told);
      whenLeft(request.raw, reply.raw, () => {
        stream.end();
        leaveFeed();
        streams.delete(stream);
      });
    };
  },
});

/**
 * Calls `left` once: when the caller ends its side, or the connection is closed.
 *
 * A caller who ends its side still gets an answer. A stream has no end to wait for: the caller has left.
 */
function whenLeft(request: IncomingMessage, response: ServerResponse, left: () => void): void {
  const { socket } = request;
  if (response.closed || socket.readableEnded) {
    left();
    return;
  }
  const once = () => {
    socket.off('end', once);
    response.off('close', once);
    left();
  };
  socket.once('end', once);
  response.once('close', once);
}
