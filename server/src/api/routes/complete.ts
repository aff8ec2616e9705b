import type { FastifyInstance } from 'fastify';
import { type CompletionTicket, openedTicket } from '../../domain/access/completion-ticket.ts';
import { PunctualError } from '../../domain/errors.ts';
import { heard, type Said } from '../../domain/run/completion.ts';
import { allSecrets, redactCut, secretsAmong } from '../../domain/run/redaction.ts';
import type { ApiDeps, EnginePort } from '../deps.ts';
import { nothingHere } from '../http/failure.ts';
import { readJson } from '../http/json.ts';
import { CompletionAnswer, CompletionInput } from '../openapi/schemas/completion.ts';
import { route } from '../route.ts';

/** Not under `/v1`: the url itself is the proof that it may. */
export const complete = route({
  method: 'POST',
  path: '/complete/:token',
  operationId: 'complete',
  summary: 'Say how a run ended whose target answered 202',
  description:
    'The whole url stands in `Punctual-Completion-Url` of a request of a schedule with `policy.completion`. It needs ' +
    'no key, and names one attempt. A body is optional, and its Content-Type does not matter. It is a 410 where the ' +
    'attempt has ended, a newer one has begun, or the deadline has passed.',
  tag: 'runs',
  body: CompletionInput,
  answer: CompletionAnswer,
  statuses: [404, 410],
  bodyLimit: 'completionBytes',
  example: { body: { status: 'failed', message: 'Disk full.' }, answer: { success: true } },
  handle:
    ({ completionKey, ...deps }) =>
    async request => {
      const { store, clock, engine } = deps;
      const { token } = request.params;
      const key = (await completionKey?.()) ?? null;
      const ticket = key && openedTicket(token, key);
      if (ticket === null) throw nothingHere();
      const said = await keptOf(request.body, ticket, token, deps);
      const row = await store.completions.say(ticket, said, clock.now());
      if (row === null) throw ended();
      tell(engine, row, ticket.scheduleId);
      return { success: true };
    },
});

/** The call as it is kept: what is secret of the request stays out of its message, as it stays out of answers. */
async function keptOf(
  said: Said,
  ticket: CompletionTicket,
  token: string,
  { store, secretsToward }: Pick<ApiDeps, 'store' | 'secretsToward'>,
): Promise<Said> {
  if (said.message === undefined) return said;
  const clientRowId = await store.completions.clientOf(ticket);
  if (clientRowId === null) return said;
  const found = await store.schedules.find(clientRowId, ticket.scheduleId);
  if (found === null) return said;
  const { schedule } = found;
  const { message, ...rest } = heard(said, schedule.policy);
  if (message === undefined) return rest;
  const ofDestination = await secretsToward?.(schedule, clientRowId);
  const own = allSecrets([token], secretsAmong(schedule.headers));
  return { ...rest, message: redactCut(message, allSecrets(ofDestination, own)) };
}

function tell(
  engine: EnginePort,
  { dueAt, isManual }: { dueAt: number; isManual: boolean },
  scheduleId: string,
): void {
  if (isManual) engine.wakeOutbox(scheduleId);
  else engine.wake(dueAt);
}

function ended(): PunctualError {
  return new PunctualError(
    'completion_ended',
    'The attempt has ended, a newer one has begun, or its deadline has passed.',
  );
}

/** The body as JSON, whatever its Content-Type says; none is an empty object. */
export function readCompletions(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    try {
      done(null, bytes.length === 0 ? {} : readJson(bytes));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('preValidation', (request, _reply, done) => {
    // Not where it is null: somebody has written that.
    if (request.body === undefined) request.body = {};
    done();
  });
}
