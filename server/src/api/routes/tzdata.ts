import { callerOf } from '../access/authenticate.ts';
import { ZoneReport } from '../openapi/schemas/tzdata.ts';
import { route } from '../route.ts';
import { zoneReport } from '../zone-report.ts';

export const getTzdata = route({
  method: 'GET',
  path: '/v1/tzdata',
  operationId: 'getTzdata',
  summary: 'The rules of time zones in use, and the times that their last change has moved',
  description:
    'Of the changed time zones in which this client has enabled schedules: the schedules that move within 90 days, ' +
    'with the first 20 times of each, before and after.',
  tag: 'times',
  answer: ZoneReport,
  example: { answer: { version: '2026f', zones: [] } },
  handle:
    ({ store, clock }) =>
    request =>
      zoneReport(store, callerOf(request).clientRowId, clock.now()),
});
