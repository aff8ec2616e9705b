/** Path parameters. They are judged where they are looked up: a text that is no id is a 404. */

export const SCHEDULE_ID = { scheduleId: 'The id of a schedule.' };
export const KEY_ID = { keyId: 'The id of a key.' };
export const SESSION_ID = { sessionId: 'The id of a session.' };
export const RUN_ID = { runId: 'The id of a run.' };

export interface ByScheduleId {
  Params: { scheduleId: string };
}

export interface ByRunId {
  Params: { runId: string };
}
