import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Gives an every-second schedule a past, as it would have been written: nobody waits for a week of it.
 * The service has to be stopped.
 *
 * @param seconds how long it has run
 * @param every each how many-th time failed
 */
export function giveHistory(folder: string, scheduleId: string, seconds: number, every: number) {
  const database = new DatabaseSync(join(folder, 'data/punctual.db'));
  try {
    const now = Math.floor(Date.now() / 1_000) * 1_000;
    const createdAt = now - (seconds + 60) * 1_000;
    database.prepare('UPDATE schedules SET created_at = ? WHERE id = ?').run(createdAt, scheduleId);
    database.exec(`
      WITH RECURSIVE ago (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ago WHERE n < ${seconds})
      INSERT INTO runs (client_key, scheduled_for, schedule_key, manual_id, trigger, status,
        started_at, finished_at, attempts)
      SELECT client_key, ${now} - n * 1000, schedule_key, '', 'schedule',
        CASE WHEN n % ${every} = 0 THEN 'failed' ELSE 'succeeded' END,
        ${now} - n * 1000 + 5, ${now} - n * 1000 + 12, '[]'
      FROM ago, schedules WHERE id = '${scheduleId}' ON CONFLICT DO NOTHING`);
  } finally {
    database.close();
  }
}
