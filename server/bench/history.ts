import { DatabaseSync } from 'node:sqlite';
import { migrateAt } from '../src/store/sqlite/open.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const BITE = 100_000;
/** The record of a firing, as the store writes it. */
export const ATTEMPTS = JSON.stringify([
  {
    number: 1,
    startedAt: 1_700_000_000_004,
    outcome: 'response',
    durationMs: 12,
    responseStatus: 200,
    phases: { firstByteMs: 8 },
    responseHeaders: {
      server: 'nginx/1.22.1',
      date: 'Sat, 21 Nov 2026 12:00:00 GMT',
      'content-type': 'application/octet-stream',
      'content-length': '2',
      connection: 'keep-alive',
    },
    responseBody: 'ok',
  },
]);

/**
 * Fills a new embedded store with history that is older than a day, so that retention deletes as
 * much as firings add. So a test need not last days to see whether the disk stays flat. It shows
 * that space is freed and used again at this rate.
 *
 * @param url of a store that nobody has opened yet
 */
export function fillWithOldHistory(url: string, runs: number, schedules: number): void {
  const path = url.slice('sqlite:'.length);
  migrateAt(path);
  const database = new DatabaseSync(path);
  const from = Math.floor((Date.now() - 4 * DAY_MS) / DAY_MS) * DAY_MS;
  // The first client of the store has key 1; schedules are numbered from 1 too. Numbers are bound as
  // REAL, which divide with a rest.
  const insert = database.prepare(`
    INSERT INTO runs
    WITH RECURSIVE numbers (n) AS (
      SELECT CAST(:first AS INTEGER) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :end)
    SELECT 1, :from + n / CAST(:schedules AS INTEGER) * :minute, 1 + n % :schedules, '', 'schedule', 'succeeded',
      :from, :from, :attempts, NULL, NULL FROM numbers`);
  for (let first = 0; first < runs; first += BITE) {
    const end = Math.min(runs, first + BITE);
    insert.run({ first, end, from, schedules, minute: MINUTE_MS, attempts: ATTEMPTS });
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}
