import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import { EXAMPLE_SCHEDULE } from '../openapi/examples/schedules.ts';
import { Schedule } from '../openapi/schemas/schedule.ts';
import { route } from '../route.ts';
import { findVersion, heldSince } from '../versions.ts';

export const getVersion = route({
  method: 'GET',
  path: '/v1/schedule/:scheduleId/version/:version',
  operationId: 'getVersion',
  summary: 'Get a schedule as it was',
  description:
    'The whole configuration of one version: a PUT of it restores it. A 404 where the version is not kept any more.',
  tag: 'schedules',
  answer: Schedule,
  example: { answer: EXAMPLE_SCHEDULE },
  handle:
    ({ store }) =>
    async request => {
      const { scheduleId, version } = request.params;
      const schedule = await findVersion(store, callerOf(request), scheduleId, version);
      return scheduleAnswer(schedule, heldSince(schedule));
    },
});
