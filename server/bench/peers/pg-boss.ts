import { PgBoss } from 'pg-boss';
import { bePeer, EVERY_MINUTE } from './peer.ts';

/** One schedule each, looked at as often as it can: every second. */
const QUEUE = 'burst';
const BATCH = 500;
const AT_ONCE = 20;

await bePeer(async ({ schedules, postgres }, call) => {
  const boss = new PgBoss({
    connectionString: postgres,
    cronMonitorIntervalSeconds: 1,
    cronWorkerIntervalSeconds: 1,
  });
  boss.on('error', error => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  await boss.createQueue(QUEUE);
  for (let first = 0; first < schedules; first += AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(AT_ONCE, schedules - first) },
      (_, at) => first + at,
    );
    await Promise.all(
      numbers.map(schedule =>
        boss.schedule(QUEUE, EVERY_MINUTE, { schedule }, { key: `s${schedule}`, tz: 'UTC' }),
      ),
    );
  }
  const options = { batchSize: BATCH, pollingIntervalSeconds: 0.5 };
  await boss.work<{ schedule: number }>(QUEUE, options, async jobs => {
    await Promise.all(jobs.map(({ data }) => call(data.schedule)));
  });
});
