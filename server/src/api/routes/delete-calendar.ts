import { callerOf } from '../access/authenticate.ts';
import { deleteResource } from '../named-resources.ts';
import { CalendarDeletion } from '../openapi/schemas/calendar.ts';
import { route } from '../route.ts';

const CALENDAR = { kind: 'calendar', holder: 'the exclude of its schedules' };

export const deleteCalendar = route({
  method: 'DELETE',
  path: '/v1/calendar/:calendarName',
  operationId: 'deleteCalendar',
  summary: 'Delete a calendar that no schedule names',
  description: 'It is a 400 while a schedule that is not deleted names it in `exclude`.',
  tag: 'calendars',
  answer: CalendarDeletion,
  example: { answer: { success: true } },
  handle:
    ({ store, clock }) =>
    async request => {
      const { clientRowId } = callerOf(request);
      const { calendarName: name } = request.params;
      return deleteResource(store.calendars, CALENDAR, clientRowId, name, clock.now());
    },
});
