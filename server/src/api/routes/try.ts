import { draftNew } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { attemptAnswer } from '../answers.ts';
import { EXAMPLE_INPUT } from '../openapi/examples/schedules.ts';
import { TryResult } from '../openapi/schemas/check.ts';
import { ScheduleInput } from '../openapi/schemas/schedule.ts';
import { referencesFor } from '../references.ts';
import { route } from '../route.ts';

export const trySchedule = route({
  method: 'POST',
  path: '/v1/try',
  operationId: 'trySchedule',
  summary: 'Send the request of a schedule once, without storing anything',
  description:
    'Not retried; it has 30 seconds at most. Signed and guarded as a firing is. Of a client, 10 are in ' +
    'flight at most, and 100 of all clients: one more is a 400.',
  tag: 'runs',
  body: ScheduleInput,
  answer: TryResult,
  example: {
    body: EXAMPLE_INPUT,
    answer: {
      attempt: {
        number: 1,
        startedAt: '2026-05-31T14:19:50.007Z',
        durationMs: 84.2,
        outcome: 'response',
        phases: { dnsMs: 3.1, connectMs: 11.8, tlsMs: 22.4, firstByteMs: 45.9 },
        responseStatus: 200,
        responseHeaders: { 'content-type': 'application/json' },
        responseBody: '{"ok":true}',
      },
    },
  },
  handle:
    ({ store, clock, allow, tryOut }) =>
    async request => {
      const { body } = request;
      const caller = callerOf(request);
      const references = await referencesFor(store, caller.clientRowId, [body]);
      const attempt = await tryOut(draftNew(body, clock.now(), allow, references), caller);
      return { attempt: attemptAnswer(attempt) };
    },
});
