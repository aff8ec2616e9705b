import { Queue, Worker } from 'bullmq';
import { bePeer, EVERY_MINUTE } from './peer.ts';

/** One job scheduler for each schedule. Jobs that succeeded are not kept: that is the fastest. */
const NAME = 'burst';
const AT_ONCE = 200;
const CONCURRENCY = 500;

await bePeer(async ({ schedules, redis }, call) => {
  const queue = new Queue(NAME, { connection: redis });
  for (let first = 0; first < schedules; first += AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(AT_ONCE, schedules - first) },
      (_, at) => first + at,
    );
    await Promise.all(
      numbers.map(schedule =>
        queue.upsertJobScheduler(
          `s${schedule}`,
          { pattern: EVERY_MINUTE, tz: 'UTC' },
          { name: 'call', data: { schedule }, opts: { removeOnComplete: true } },
        ),
      ),
    );
  }
  const worker = new Worker(NAME, ({ data }) => call(data.schedule), {
    connection: redis,
    concurrency: CONCURRENCY,
  });
  await worker.waitUntilReady();
});
