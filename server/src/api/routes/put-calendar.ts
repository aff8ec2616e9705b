import type * as Wire from '@punctual/client';
import type { GivenSource } from '../../domain/calendar/exclusion/calendar-source.ts';
import { PunctualError } from '../../domain/errors.ts';
import { type AllowTargets, checkTargetUrl } from '../../domain/schedule/target.ts';
import { callerOf } from '../access/authenticate.ts';
import { presentCalendar } from '../calendars.ts';
import { checkResourceName } from '../http/resource-name.ts';
import { nextSlice } from '../http/slices.ts';
import { EXAMPLE_CALENDAR, EXAMPLE_PERIODS } from '../openapi/examples/calendars.ts';
import { Calendar, CalendarInput } from '../openapi/schemas/calendar.ts';
import { route } from '../route.ts';

export const putCalendar = route({
  method: 'PUT',
  path: '/v1/calendar/:calendarName',
  operationId: 'putCalendar',
  summary: 'Make or replace a calendar: named days and times without firings',
  description:
    'Schedules name it in `exclude`. Dates are judged in the time zone of each schedule. A change takes ' +
    'effect for all of its schedules within seconds. A url is read at once; where that fails, the answer is a 400.',
  tag: 'calendars',
  body: CalendarInput,
  bodyLimit: 'calendarBodyBytes',
  answer: Calendar,
  example: { body: { periods: EXAMPLE_PERIODS }, answer: EXAMPLE_CALENDAR },
  handle:
    ({ store, clock, allow, engine, calendarPort }) =>
    async request => {
      const { clientRowId } = callerOf(request);
      const { calendarName: name } = request.params;
      checkResourceName(name, 'calendar');
      const given = sourceOf(request.body, allow);
      // To read a calendar takes more than a moment.
      await nextSlice(clientRowId);
      await calendarPort.put(clientRowId, name, given);
      engine.calendarsChanged();
      return presentCalendar(store, clientRowId, name, clock.now());
    },
});

/** @throws PunctualError `body_invalid`, `target_invalid`, `target_refused` */
function sourceOf({ ics, url, periods }: Wire.CalendarInput, allow: AllowTargets): GivenSource {
  const given: GivenSource[] = [];
  if (ics !== undefined) given.push({ kind: 'ics', ics });
  if (url !== undefined) given.push({ kind: 'url', url });
  if (periods !== undefined) given.push({ kind: 'periods', periods });
  const [source] = given;
  if (source === undefined || given.length > 1) {
    throw new PunctualError(
      'body_invalid',
      'The body must have exactly one of ics, url and periods.',
    );
  }
  if (source.kind === 'url') checkTargetUrl(source.url, allow, 'url');
  return source;
}
