import type { Run, RunPage } from '@punctual/client';
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
    'One schedule': {
      itself: `/schedule/${ofSchedule}`,
      'its next times': `/schedule/${ofSchedule}/next?count=50`,
      'its timeline': `/run?limit=100&scheduleId=${ofSchedule}&from=${iso(now - 7 * DAY_MS)}`,
      'its runs': `/run?limit=20&scheduleId=${ofSchedule}`,
      'runs of one that is tried again': `/run?limit=20&scheduleId=${ofRetrying}`,
      'one without runs': `/run?limit=20&scheduleId=${id}`,
      'a run': `/run/${run.id}`,
      'a run that is tried again': `/run/${retrying.id}`,
      'why it ran': `/schedule/${ofSchedule}/explain?at=${run.scheduledFor}`,
      'why it did not': `/schedule/${ofSchedule}/explain?at=${iso(now - 2 * DAY_MS)}`,
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
    },
    Keys: { keys: '/key' },
  };
  return Object.entries(asked).flatMap(([page, of]) =>
    Object.entries(of).map(([name, path]) => ({ page, name, path: `/v1${path}` })),
  );
}
