import { Logger, run } from 'graphile-worker';
import { bePeer, EVERY_MINUTE } from './peer.ts';

/** One line of its crontab for each schedule: it has no schedules that are made while it runs. */
const CONCURRENCY = 50;
const POLL_MS = 100;
/** Fetched at once, and completed in batches: what its documentation has for speed. */
const WORKER = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

await bePeer(async ({ schedules, postgres }, call) => {
  const lines = Array.from(
    { length: schedules },
    (_, schedule) => `${EVERY_MINUTE} call ?id=s${schedule} {"schedule":${schedule}}`,
  );
  await run({
    connectionString: postgres,
    concurrency: CONCURRENCY,
    pollInterval: POLL_MS,
    maxPoolSize: CONCURRENCY,
    preset: { worker: WORKER },
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
    crontab: lines.join('\n'),
    taskList: { call: payload => call((payload as { schedule: number }).schedule) },
  });
});
