import type { FastifyInstance } from 'fastify';
import { PunctualError } from '../../domain/errors.ts';
import { type Authenticator, callerOf } from '../authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { EventFeed } from '../events/feed.ts';
import { EventStream } from '../events/stream.ts';
import { streamOperation } from '../operation.ts';

const MOST_LISTENERS = 20;

/** `GET /v1/event`: a stream, and so described in words and not by a schema of its answer. */
export function events(app: FastifyInstance, deps: ApiDeps, authenticator: Authenticator): void {
  const { store, clock, log } = deps;
  const feed = new EventFeed(store.figures, clock, error =>
    log.warn({ err: error }, 'events could not be read; they are read again'),
  );
  const streams = new Set<EventStream>();
  // A stream never ends by itself, and a graceful end waits for what is open.
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.end();
  });
  const schema = streamOperation({
    operationId: 'listenToEvents',
    summary: 'What happens, as it happens: Server-Sent Events',
    description:
      '`run.ended` carries a Run (also one that was skipped or missed), `schedule.changed` a ' +
      'Schedule, `breaker.opened` and `breaker.closed` a Breaker, `gap` says that more happened ' +
      'between `from` and `to` than is told one by one. `Last-Event-ID` goes on after a break; ' +
      `what happened just before it may come twice. ${MOST_LISTENERS} listeners of one client at most.`,
    tag: 'figures',
  });
  app.get('/event', { schema }, async (request, reply) => {
    const { clientKey } = callerOf(request);
    if (request.method === 'HEAD') return reply.type('text/event-stream').send('');
    if (feed.listenersOf(clientKey) >= MOST_LISTENERS) {
      throw new PunctualError(
        'request_invalid',
        `This client has ${MOST_LISTENERS} listeners already; close one of them first.`,
      );
    }
    const lastEventId = request.headers['last-event-id'];
    const missed = typeof lastEventId === 'string' ? await feed.since(clientKey, lastEventId) : [];
    reply.hijack();
    const stream = new EventStream(reply.raw, clock, () => authenticator.isValid(request));
    streams.add(stream);
    stream.send(missed);
    const leave = feed.join(clientKey, news => stream.send(news));
    reply.raw.once('close', () => {
      leave();
      streams.delete(stream);
    });
  });
}
