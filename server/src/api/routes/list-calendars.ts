import { callerOf } from '../access/authenticate.ts';
import { calendarAnswers } from '../calendars.ts';
import { listResources } from '../named-resources.ts';
import { EXAMPLE_CALENDAR } from '../openapi/examples/calendars.ts';
import { CalendarPage, CalendarQuery } from '../openapi/schemas/calendar.ts';
import { route } from '../route.ts';

export const listCalendars = route({
  method: 'GET',
  path: '/v1/calendar',
  operationId: 'listCalendars',
  summary: 'List calendars by name',
  description: 'A page is continued by `cursor`.',
  tag: 'calendars',
  query: CalendarQuery,
  answer: CalendarPage,
  example: { query: { limit: 20 }, answer: { items: [EXAMPLE_CALENDAR] } },
  handle:
    ({ store, clock }) =>
    async request => {
      const { clientRowId } = callerOf(request);
      return listResources(store.calendars, clientRowId, request.query, page =>
        calendarAnswers(store, clientRowId, page, clock.now()),
      );
    },
});
