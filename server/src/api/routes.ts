import type { Endpoint } from './route.ts';
import { checkSchedule } from './routes/check.ts';
import { createSchedules } from './routes/create-batch.ts';
import { createSchedule } from './routes/create-schedule.ts';
import { deleteSchedule } from './routes/delete-schedule.ts';
import { endOneSession, endSession } from './routes/end-session.ts';
import { listenToEvents } from './routes/events.ts';
import { explain } from './routes/explain.ts';
import { getForecast } from './routes/forecast.ts';
import { getRun } from './routes/get-run.ts';
import { getSchedule } from './routes/get-schedule.ts';
import { getHealth, getReadiness } from './routes/health.ts';
import { getHistory } from './routes/history.ts';
import { createKey, listKeys, revokeKey } from './routes/keys.ts';
import { listRuns } from './routes/list-runs.ts';
import { listSchedules } from './routes/list-schedules.ts';
import { listSessions } from './routes/list-sessions.ts';
import { llms } from './routes/llms.ts';
import { metrics } from './routes/metrics.ts';
import { nextTimes } from './routes/next-times.ts';
import { openapi } from './routes/openapi.ts';
import { patchSchedule } from './routes/patch-schedule.ts';
import { previewTimes } from './routes/preview.ts';
import { replaceSchedule } from './routes/replace-schedule.ts';
import { endOverlap, getSecret, rotateSecret } from './routes/secret.ts';
import { beginSession, getSession } from './routes/session.ts';
import { getStats } from './routes/stats.ts';
import { listTimezones } from './routes/timezones.ts';
import { triggerSchedule } from './routes/trigger-schedule.ts';
import { trySchedule } from './routes/try.ts';
import { zoneOffsets } from './routes/zone-offsets.ts';

/** Every endpoint. The document has them in this order; those under `/v1` that have a body come before the others. */
export const ENDPOINTS: readonly Endpoint[] = [
  getHealth,
  getReadiness,
  metrics,
  openapi,
  listTimezones,
  llms,
  createSchedule,
  createSchedules,
  replaceSchedule,
  patchSchedule,
  previewTimes,
  checkSchedule,
  trySchedule,
  createKey,
  rotateSecret,
  getSchedule,
  listSchedules,
  deleteSchedule,
  triggerSchedule,
  nextTimes,
  listRuns,
  getRun,
  explain,
  zoneOffsets,
  getHistory,
  getStats,
  getForecast,
  listenToEvents,
  beginSession,
  getSession,
  listSessions,
  endSession,
  endOneSession,
  listKeys,
  revokeKey,
  getSecret,
  endOverlap,
];
