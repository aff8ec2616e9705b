import { callerOf } from '../access/authenticate.ts';
import { RUN_ID, SCHEDULE_ID, TARGET } from '../openapi/examples/ids.ts';
import { RunRequest, RunRequestQuery } from '../openapi/schemas/version.ts';
import { route } from '../route.ts';
import { findRunRequest } from '../run-request.ts';

export const getRunRequest = route({
  method: 'GET',
  path: '/v1/run/:runId/request',
  operationId: 'getRunRequest',
  summary: 'Get the request of a run as it was sent',
  description:
    'Made anew from the schedule as it was then, by the code that made it then. The signature, and the headers that a ' +
    'destination adds, are masked. Sentences say what is not known any more.',
  tag: 'runs',
  query: RunRequestQuery,
  answer: RunRequest,
  example: {
    answer: {
      runId: RUN_ID,
      scheduleId: SCHEDULE_ID,
      attempt: 1,
      version: 1,
      presentVersion: 1,
      request: {
        method: 'POST',
        url: TARGET,
        headers: {
          'User-Agent': 'Punctual/1.0.0',
          'Content-Type': 'application/json',
          'Punctual-Schedule-Id': SCHEDULE_ID,
          'Punctual-Scheduled-For': '2026-06-01T06:30:00.000Z',
          'Punctual-Fence': '[not kept]',
          'Punctual-Attempt': '1',
          'webhook-id': RUN_ID,
          'webhook-timestamp': '[not kept]',
          'webhook-signature': '[secret]',
        },
        body: '{"format":"pdf"}',
      },
      masked: ['Punctual-Fence', 'webhook-timestamp', 'webhook-signature'],
      notes: [],
    },
  },
  handle: deps => request =>
    findRunRequest(deps, callerOf(request), request.params.runId, request.query.attempt),
});
