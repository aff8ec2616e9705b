import type { Endpoint } from './route.ts';
import { advice } from './routes/advice.ts';
import { getBands } from './routes/bands.ts';
import { checkSchedule } from './routes/check.ts';
import { complete } from './routes/complete.ts';
import { createSchedules } from './routes/create-batch.ts';
import { createSchedule } from './routes/create-schedule.ts';
import { deleteCalendar } from './routes/delete-calendar.ts';
import { deleteDestination } from './routes/delete-destination.ts';
import { deleteSchedule } from './routes/delete-schedule.ts';
import { endOneSession, endSession } from './routes/end-session.ts';
import { listenToEvents } from './routes/events.ts';
import { explain } from './routes/explain.ts';
import { getForecast } from './routes/forecast.ts';
import { getCalendar } from './routes/get-calendar.ts';
import { getDestination } from './routes/get-destination.ts';
import { getRun } from './routes/get-run.ts';
import { getRunRequest } from './routes/get-run-request.ts';
import { getSchedule } from './routes/get-schedule.ts';
import { getVersion } from './routes/get-version.ts';
import { getHealth, getReadiness } from './routes/health.ts';
import { getHistory } from './routes/history.ts';
import { listIncidents } from './routes/incidents.ts';
import { intervalWords } from './routes/interval-words.ts';
import { createKey, listKeys, revokeKey } from './routes/keys.ts';
import { listCalendars } from './routes/list-calendars.ts';
import { listDestinations } from './routes/list-destinations.ts';
import { listHealth } from './routes/list-health.ts';
import { listRuns } from './routes/list-runs.ts';
import { listSchedules } from './routes/list-schedules.ts';
import { listSessions } from './routes/list-sessions.ts';
import { listScheduleVersions } from './routes/list-versions.ts';
import { llms } from './routes/llms.ts';
import { metrics } from './routes/metrics.ts';
import { nextTimes } from './routes/next-times.ts';
import { openapi } from './routes/openapi.ts';
import { patchSchedules } from './routes/patch-many.ts';
import { patchSchedule } from './routes/patch-schedule.ts';
import { previewTimes } from './routes/preview.ts';
import { putCalendar } from './routes/put-calendar.ts';
import { putDestination } from './routes/put-destination.ts';
import { refreshCalendar } from './routes/refresh-calendar.ts';
import { replaceSchedule } from './routes/replace-schedule.ts';
import { endOverlap, getSecret, rotateSecret } from './routes/secret.ts';
import { beginSession, getSession } from './routes/session.ts';
import { simulate } from './routes/simulate.ts';
import { getStats } from './routes/stats.ts';
import { getTimeline } from './routes/timeline.ts';
import { listTimezones } from './routes/timezones.ts';
import { triggerSchedule } from './routes/trigger-schedule.ts';
import { trySchedule } from './routes/try.ts';
import { getTzdata } from './routes/tzdata.ts';
import { jwks, openidConfiguration } from './routes/well-known.ts';
import { zoneOffsets } from './routes/zone-offsets.ts';

/** Every endpoint. The document has them in this order; those under `/v1` that have a body come before the others. */
export const ENDPOINTS: readonly Endpoint[] = [
  getHealth,
  getReadiness,
  metrics,
  openapi,
  listTimezones,
  llms,
  openidConfiguration,
  jwks,
  createSchedule,
  createSchedules,
  patchSchedules,
  replaceSchedule,
  patchSchedule,
  previewTimes,
  checkSchedule,
  simulate,
  trySchedule,
  putCalendar,
  putDestination,
  createKey,
  rotateSecret,
  getSchedule,
  listSchedules,
  listHealth,
  deleteSchedule,
  triggerSchedule,
  complete,
  nextTimes,
  listScheduleVersions,
  getVersion,
  listRuns,
  getRun,
  getRunRequest,
  explain,
  intervalWords,
  zoneOffsets,
  getTzdata,
  getCalendar,
  listCalendars,
  refreshCalendar,
  deleteCalendar,
  getDestination,
  listDestinations,
  deleteDestination,
  getHistory,
  getTimeline,
  getBands,
  getStats,
  listIncidents,
  getForecast,
  advice,
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
