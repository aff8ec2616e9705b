import { callerOf } from '../access/authenticate.ts';
import { DEFAULT_LIMIT } from '../http/pagination.ts';
import { EXAMPLE_VERSION } from '../openapi/examples/schedules.ts';
import { VersionPage, VersionsQuery } from '../openapi/schemas/version.ts';
import { route } from '../route.ts';
import { listVersions } from '../versions.ts';

export const listScheduleVersions = route({
  method: 'GET',
  path: '/v1/schedule/:scheduleId/version',
  operationId: 'listVersions',
  summary: 'List the versions of a schedule, newest first',
  description:
    'Each with who stored it and what it changed. The last 1,000 are kept, as long as failed runs are.',
  tag: 'schedules',
  query: VersionsQuery,
  answer: VersionPage,
  example: { query: { limit: 20 }, answer: { items: [EXAMPLE_VERSION] } },
  handle:
    ({ store }) =>
    request => {
      const { limit = DEFAULT_LIMIT, cursor } = request.query;
      const { scheduleId } = request.params;
      return listVersions(store, callerOf(request), scheduleId, { limit, cursor });
    },
});
