import { callerOf } from '../access/authenticate.ts';
import { findRun } from '../find-run.ts';
import { EXAMPLE_RUN } from '../openapi/examples/runs.ts';
import { Run } from '../openapi/schemas/run.ts';
import { route } from '../route.ts';

export const getRun = route({
  method: 'GET',
  path: '/v1/run/:runId',
  operationId: 'getRun',
  summary: 'Get a run, with what was answered and with its callbacks',
  description:
    'A run is one firing of a schedule: its attempts, their answers, and the callbacks that its end caused.',
  tag: 'runs',
  answer: Run,
  example: {
    answer: {
      ...EXAMPLE_RUN,
      attempts: [
        {
          ...EXAMPLE_RUN.attempts[0]!,
          responseHeaders: { 'content-type': 'application/json' },
          responseBody: '{"ok":true}',
        },
      ],
    },
  },
  handle:
    ({ store, clock }) =>
    request =>
      findRun(store, callerOf(request), request.params.runId, clock.now()),
});
