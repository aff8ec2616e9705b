import type { Run, RunPage, SchedulePage } from '@punctual/client';
import { cursorAfter } from '../src/api/http/pagination.ts';
import { api } from './api.ts';
import { idOf } from './filled-store.ts';
import { RARE_LABEL } from './filling-sql.ts';

/** One thing that a page of the dashboard asks for. */
export interface Question {
  page: string;
  name: string;
  path: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Everything that the pages of the dashboard ask for (dashboard/src/pages), with each kind of search and
 * filter, of a store that was filled (filling-sql.ts).
 *
 * @param schedules that were filled in
 */
export async function questionsOf(base: string, schedules: number): Promise<Question[]> {
  const now = Date.now();
  const iso = (instant: number) => new Date(instant).toISOString();
  // Of client 1: a number that does not end in 9.
  const middle = Math.floor(schedules / 20) * 10 + 2;
  const [id, deep] = [idOf(middle), `&cursor=${cursorAfter(idOf(middle))}`];
  const end = `&cursor=${cursorAfter(idOf(Math.floor(schedules / 100)))}`;
  const first = async (query: string) =>
    ((await api(base, 'GET', `/v1/run?limit=50&${query}`)) as RunPage).items.at(-1) as Run;
  const run = await first(`to=${iso(now - HOUR_MS)}`);
  const retrying = await first('status=retrying');
  const old = await first(`to=${iso(now - 3 * DAY_MS)}`);
  const [ofSchedule, ofRetrying] = [run.scheduleId, retrying.scheduleId];
  const after = (one: Run) => `&cursor=${cursorAfter(one.id)}`;
  const range = `&from=${iso(now - 3 * DAY_MS)}&to=${iso(now - 2 * DAY_MS)}`;
  const listed = (await api(base, 'GET', '/v1/schedule?limit=50')) as SchedulePage;
  const lanes = listed.items.map(one => `scheduleId=${one.id}`).join('&');
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const week = `from=${iso(hour - 7 * DAY_MS)}&to=${iso(hour)}`;
  const hours = `from=${iso(hour - 2 * HOUR_MS)}&to=${iso(hour + 2 * HOUR_MS)}`;
  const asked: Record<string, Record<string, string>> = {
    Overview: { 'the last hour': '/stats?minutes=60' },
    Schedules: {
      'first page': '/schedule?limit=50',
      'a page in the middle': `/schedule?limit=50${deep}`,
      'a page near the end': `/schedule?limit=50${end}`,
      paused: '/schedule?limit=50&status=disabled',
      'paused, in the middle': `/schedule?limit=50&status=disabled${deep}`,
      deleted: '/schedule?limit=50&status=deleted',
      'label that many have': '/schedule?limit=50&label=invoice',
      'the same, in the middle': `/schedule?limit=50&label=invoice${deep}`,
      'label that few have': `/schedule?limit=50&label=${encodeURIComponent(RARE_LABEL)}`,
      'label of one': `/schedule?limit=50&label=${encodeURIComponent(`#${middle}`)}`,
      'label of none': '/schedule?limit=50&label=nowhere',
      'label of none, one letter': '/schedule?limit=50&label=~',
      'label, paused': '/schedule?limit=50&status=disabled&label=stock',
      'label of none, paused': '/schedule?limit=50&status=disabled&label=nowhere',
      'host of a url': '/schedule?limit=50&url=.customer-123.example',
      'end of a url': '/schedule?limit=50&url=order%3D4711',
      'url of none': '/schedule?limit=50&url=nowhere.example',
      'label and url': '/schedule?limit=50&label=backup&url=.customer-77.',
      'label and url, each of many, together of none': '/schedule?limit=50&label=invoice&url=/v1/3',
    },
    'Health of schedules': {
      'newest first': '/schedule/health?limit=50',
      'newest, in the middle': `/schedule/health?limit=50${deep}`,
      'worst first': '/schedule/health?limit=50&sort=worst',
      'slowest first': '/schedule/health?limit=50&sort=slowest',
      'next first': '/schedule/health?limit=50&sort=next',
      'worst, paused': '/schedule/health?limit=50&sort=worst&status=disabled',
      'worst, label that many have': '/schedule/health?limit=50&sort=worst&label=invoice',
      'worst, label that few have': `/schedule/health?limit=50&sort=worst&label=${encodeURIComponent(RARE_LABEL)}`,
      'label of none': '/schedule/health?limit=50&label=nowhere',
      'of one host': '/schedule/health?limit=50&host=api-123.customer-123.example',
      'hosts with their numbers': '/schedule/health?limit=1&groupBy=host',
      'tags with their numbers': '/schedule/health?limit=1&groupBy=tag',
    },
    'One schedule': {
      itself: `/schedule/${ofSchedule}`,
      'its next times': `/schedule/${ofSchedule}/next?count=50`,
      'its timeline, 7 days': `/timeline?scheduleId=${ofSchedule}&${week}&stepSeconds=3600`,
      'its timeline, one by one': `/run?limit=100&scheduleId=${ofSchedule}&from=${iso(now - HOUR_MS)}`,
      'spans without firings': `/schedule/${ofSchedule}/band?${week}`,
      'its changes': `/schedule/${ofSchedule}/version?limit=20`,
      'its runs': `/run?limit=20&scheduleId=${ofSchedule}`,
      'runs of one that is tried again': `/run?limit=20&scheduleId=${ofRetrying}`,
      'one without runs': `/run?limit=20&scheduleId=${id}`,
      'a run': `/run/${run.id}`,
      'the request of a run': `/run/${run.id}/request`,
      'a run that is tried again': `/run/${retrying.id}`,
      'why it ran': `/schedule/${ofSchedule}/explain?at=${run.scheduledFor}`,
      'why it did not': `/schedule/${ofSchedule}/explain?at=${iso(now - 2 * DAY_MS)}`,
    },
    Timeline: {
      '50 lanes, 4 hours': `/timeline?${lanes}&${hours}&stepSeconds=60`,
      '50 lanes, 7 days': `/timeline?${lanes}&${week}&stepSeconds=3600`,
    },
    Incidents: {
      '24 hours': '/incident',
      '7 days': `/incident?from=${iso(hour - 7 * DAY_MS + HOUR_MS)}`,
    },
    Runs: {
      'first page': '/run?limit=50',
      'a page days back': `/run?limit=50${after(old)}`,
      'of a day': `/run?limit=50${range}`,
      succeeded: '/run?limit=50&status=succeeded',
      failed: '/run?limit=50&status=failed',
      'failed, of a day': `/run?limit=50&status=failed${range}`,
      skipped: '/run?limit=50&status=skipped',
      missed: '/run?limit=50&status=missed',
      running: '/run?limit=50&status=running',
      queued: '/run?limit=50&status=queued',
      'tried again': '/run?limit=50&status=retrying',
      'tried again, next page': `/run?limit=50&status=retrying${after(retrying)}`,
    },
    Forecast: {
      '24 hours': '/forecast?span=day',
      '7 days': '/forecast?span=week',
      'of one host': '/forecast?span=day&host=api-123.customer-123.example',
      advice: '/advice',
    },
    Keys: { keys: '/key' },
  };
  return Object.entries(asked).flatMap(([page, of]) =>
    Object.entries(of).map(([name, path]) => ({ page, name, path: `/v1${path}` })),
  );
}
