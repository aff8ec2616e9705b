import { callerOf } from '../access/authenticate.ts';
import { presentCalendar } from '../calendars.ts';
import { nextSlice } from '../http/slices.ts';
import { noResource } from '../named-resources.ts';
import { EXAMPLE_CALENDAR } from '../openapi/examples/calendars.ts';
import { Calendar } from '../openapi/schemas/calendar.ts';
import { route } from '../route.ts';

export const refreshCalendar = route({
  method: 'POST',
  path: '/v1/calendar/:calendarName/refresh',
  operationId: 'refreshCalendar',
  summary: 'Read the url of a calendar now',
  description:
    'If it cannot be read, the last good version stays, and `fault` says why. A calendar without a url is expanded ' +
    'anew.',
  tag: 'calendars',
  answer: Calendar,
  example: { answer: EXAMPLE_CALENDAR },
  handle:
    ({ store, clock, engine, calendarPort }) =>
    async request => {
      const { clientRowId } = callerOf(request);
      const { calendarName: name } = request.params;
      await nextSlice(clientRowId);
      if (!(await calendarPort.refresh(clientRowId, name))) throw noResource('calendar');
      engine.calendarsChanged();
      return presentCalendar(store, clientRowId, name, clock.now());
    },
});
