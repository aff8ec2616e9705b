import { iso } from '../../domain/iso.ts';
import { draftNew } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { EXAMPLE_INPUT } from '../openapi/examples/schedules.ts';
import { TryResult } from '../openapi/schemas/check.ts';
import { ScheduleInput } from '../openapi/schemas/schedule.ts';
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
    ({ clock, allow, tryOut }) =>
    async request => {
      const draft = draftNew(request.body, clock.now(), allow);
      const attempt = await tryOut(draft, callerOf(request));
      return { attempt: { ...attempt, startedAt: iso(attempt.startedAt) } };
    },
});
