import { callerOf } from '../access/authenticate.ts';
import { presentCalendar } from '../calendars.ts';
import { EXAMPLE_CALENDAR } from '../openapi/examples/calendars.ts';
import { Calendar } from '../openapi/schemas/calendar.ts';
import { route } from '../route.ts';

export const getCalendar = route({
  method: 'GET',
  path: '/v1/calendar/:calendarName',
  operationId: 'getCalendar',
  summary: 'Get a calendar with its next entries',
  description: 'Its text and its periods are not answered.',
  tag: 'calendars',
  answer: Calendar,
  example: { answer: EXAMPLE_CALENDAR },
  handle:
    ({ store, clock }) =>
    async request => {
      const { clientRowId } = callerOf(request);
      const { calendarName } = request.params;
      return presentCalendar(store, clientRowId, calendarName, clock.now());
    },
});
