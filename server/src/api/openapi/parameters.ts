import { KEY_ID, RUN_ID, SCHEDULE_ID, SESSION_ID } from './examples/ids.ts';

/** Path parameters. They are judged where they are looked up: a text that is no id is a 404. */
export const PARAMETERS = {
  scheduleId: { description: 'The id of a schedule.', example: SCHEDULE_ID },
  keyId: { description: 'The id of a key.', example: KEY_ID },
  sessionId: { description: 'The id of a session.', example: SESSION_ID },
  runId: { description: 'The id of a run.', example: RUN_ID },
};
