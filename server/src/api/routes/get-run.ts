import { PunctualError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import { callerOf } from '../access/authenticate.ts';
import { runAnswer } from '../answers.ts';
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
    async request => {
      const { clientRowId } = callerOf(request);
      const { runId } = request.params;
      const run = isId(runId) ? await store.runs.find(clientRowId, runId, clock.now()) : null;
      if (run === null) throw new PunctualError('not_found', 'There is no run with this id.');
      return runAnswer(run, await store.runs.callbacks(clientRowId, runId));
    },
});
