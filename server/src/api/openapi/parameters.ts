import { CALENDAR_NAME } from './examples/calendars.ts';
import { DESTINATION_NAME } from './examples/destinations.ts';
import { KEY_ID, RUN_ID, SCHEDULE_ID, SESSION_ID } from './examples/ids.ts';

/** Path parameters. They are judged where they are looked up: a text that is no id is a 404. */
export const PARAMETERS = {
  scheduleId: {
    description:
      'The id of a schedule, or `ext:` and its external id: `ext:invoice-nightly`, as long as it is not deleted.',
    example: SCHEDULE_ID,
  },
  keyId: { description: 'The id of a key.', example: KEY_ID },
  sessionId: { description: 'The id of a session.', example: SESSION_ID },
  version: { description: 'The number of a version, as its ETag says it.', example: '1' },
  runId: { description: 'The id of a run.', example: RUN_ID },
  token: {
    description: 'The end of the url in `Punctual-Completion-Url`.',
    example: 'cHJvb2Y',
  },
  calendarName: { description: 'The name of a calendar.', example: CALENDAR_NAME },
  destinationName: { description: 'The name of a destination.', example: DESTINATION_NAME },
};
