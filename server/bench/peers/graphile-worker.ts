import { run } from 'graphile-worker';
import { bePeer, EVERY_MINUTE } from './peer.ts';

/** One line of its crontab for each schedule: it has no schedules that are made while it runs. */
const CONCURRENCY = 128;
const POLL_MS = 100;
const CONNECTIONS = 20;

await bePeer(async ({ schedules, postgres }, call) => {
  const lines = Array.from(
    { length: schedules },
    (_, schedule) => `${EVERY_MINUTE} call ?id=s${schedule} {"schedule":${schedule}}`,
  );
  await run({
    connectionString: postgres,
    concurrency: CONCURRENCY,
    pollInterval: POLL_MS,
    maxPoolSize: CONNECTIONS,
    noHandleSignals: true,
    crontab: lines.join('\n'),
    taskList: { call: payload => call((payload as { schedule: number }).schedule) },
  });
});
