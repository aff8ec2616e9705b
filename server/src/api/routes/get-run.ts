import type { FastifyInstance } from 'fastify';
import { PunctualError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import { callerOf } from '../access/authenticate.ts';
import { runAnswer } from '../answers.ts';
import type { ApiDeps } from '../deps.ts';
import { operation } from '../openapi/operation.ts';
import { Run } from '../openapi/schemas/run.ts';
import { type ByRunId, RUN_ID } from './params.ts';

export function getRun(app: FastifyInstance, { store, clock }: ApiDeps): void {
  const schema = operation({
    operationId: 'getRun',
    summary: 'Get a run, with what was answered and with its callbacks',
    description:
      'A run is one firing of a schedule: its attempts, their answers, and the callbacks that its end caused.',
    tag: 'runs',
    params: RUN_ID,
    answer: Run,
  });
  app.get<ByRunId>('/run/:runId', { schema }, async request => {
    const { clientRowId } = callerOf(request);
    const { runId } = request.params;
    const run = isId(runId) ? await store.runs.find(clientRowId, runId, clock.now()) : null;
    if (run === null) throw new PunctualError('not_found', 'There is no run with this id.');
    return runAnswer(run, await store.runs.callbacks(clientRowId, runId));
  });
}
