import type { Arrivals, Counted } from '../arrivals.ts';
import { fillWithOldHistory } from '../history.ts';
import { until } from '../processes.ts';
import { type Database, type Punctual, sumOf, unwantedOf } from '../punctual.ts';
import { curveOf, type Figure, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import { createSchedules, everyMinute } from '../schedules.ts';
import type { Scene, Session } from '../session.ts';
import { nextStart, type Sample, sampledByMinute, watchWindow } from '../window.ts';
import { minutesOf } from './steady.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const MB = 2 ** 20;
/**
 * The share by which the store may grow in the window: some noise, and its write-ahead log, which
 * restarts at 16 MB.
 */
const FLAT_SHARE = 0.05;
const FLAT_BYTES = 64 * MB;
/** Until all schedules are there and each has fired once, while retention is at work already. */
const BEFORE_WINDOW_MINUTES = 3;
const READY_WITHIN_MS = 5_000;
const KILLED_AFTER_MS = 5_300;
/** The shortest that there is. */
const RETENTION = { PUNCTUAL_KEEP_RUNS_DAYS: '1', PUNCTUAL_KEEP_FAILED_RUNS_DAYS: '1' };

interface Stage {
  session: Session;
  arrivals: Arrivals;
  nodes: Punctual[];
  database: Database;
}

export const million: Scene = {
  name: 'million',
  about: '1,000,000 every-minute schedules spread over the seconds, with retention; then killed',
  defaults: { schedules: 1_000_000, duration: 600 },
  async run(session) {
    const { schedules, duration, store } = session.options;
    const { target, arrivals } = await session.startTarget();
    const database = await session.startDatabase();
    const periods = minutesOf(duration);
    if (store === 'sqlite') {
      session.say('filling the store with old history, for retention to take away');
      fillWithOldHistory(database.url, schedules * (periods + BEFORE_WINDOW_MINUTES), schedules);
    }
    await session.runBare();
    const stage = {
      session,
      arrivals,
      nodes: await session.startNodes(database, RETENTION),
      database,
    };
    await createAll(stage, () => target.url());
    session.say('each fires once before it counts');
    const from = nextStart(SECOND_MS, MINUTE_MS);
    const ledger = await arrivals.expect('a', { schedules, from, periodMs: MINUTE_MS, periods });
    await until(from);
    const before = await sumOf(stage.nodes, 'process_cpu_seconds_total');
    const window = { ...stage, ledger, from, seconds: periods * 60 };
    const samples = await watchWindow(window);
    const cpuSeconds = (await sumOf(stage.nodes, 'process_cpu_seconds_total')) - before;
    const restarted = await restart(stage);
    session.rounds.push(...sampledByMinute(samples));
    session.lateness.push(curveOf('spread over the minute', ledger));
    const [p50, p99] = [ledger.latenessMs(0.5), ledger.latenessMs(0.99)];
    session.figures.push(
      tells('firings', `${whole(schedules / 60)} /s for ${periods * 60} s`),
      mustAllArrive('arrived', [ledger.counted]),
      must('lateness p99', ms(p99), '1 s', p99 < SECOND_MS),
      tells('lateness p50, last', `${ms(p50)}, ${ms(ledger.latenessMs(1))}`),
      memoryFigure(samples),
      ...diskFigures(samples, store === 'sqlite'),
      ...restarted,
      tells('processor time a firing', `${perFiring(cpuSeconds, ledger.counted)} µs`),
    );
    await session.runBareAfter(stage.nodes);
  },
};

export async function createAll(
  { session, nodes }: Stage,
  url: () => string,
  interval = everyMinute,
) {
  const { schedules } = session.options;
  const created = await createSchedules(
    nodes[0]!.url,
    { count: schedules, group: 'a', interval, url },
    made => session.progress(`${whole(made)} of ${whole(schedules)} schedules created`),
  );
  session.figures.push(tells('created in batches, while they fire', `${whole(created)} /s`));
}

/** Killed while firings are in flight; each nominal time around it must be seen all the same. */
async function restart({ session, arrivals, nodes, database }: Stage): Promise<Figure[]> {
  const { schedules } = session.options;
  const from = nextStart(SECOND_MS, SECOND_MS);
  const ledger = await arrivals.expect('a', { schedules, from, periodMs: MINUTE_MS, periods: 1 });
  await until(from + KILLED_AFTER_MS);
  const unwanted = await unwantedOf(nodes);
  await nodes[0]!.stop('SIGKILL');
  const readyMs = await nodes[0]!.start();
  await watchWindow({ session, arrivals, nodes, database, ledger, from, seconds: 60 });
  const { arrived, expected, twice } = ledger.counted;
  const measured = `${whole(arrived)} of ${whole(expected)}, ${whole(twice)} sent again`;
  return [
    must('ready after SIGKILL', ms(readyMs), '5 s', readyMs < READY_WITHIN_MS),
    must('arrived in the minute of the kill', measured, 'all', arrived === expected),
    tells(
      'failed, skipped or missed, before and after it',
      `${unwanted}; ${await unwantedOf(nodes)}`,
    ),
  ];
}

export function memoryFigure(samples: Sample[]): Figure {
  const most = Math.max(...samples.map(({ memoryMb }) => memoryMb));
  return must('memory, at most', `${whole(most)} MB`, '1,000 MB', most < 1_000);
}

function diskFigures(samples: Sample[], isEmbedded: boolean): Figure[] {
  if (!isEmbedded || samples.length === 0) return [];
  const bytes = samples.map(({ storeBytes }) => storeBytes!);
  const [first, most] = [bytes[0]!, Math.max(...bytes)];
  const measured = `${whole(first / MB)} MB, then at most ${whole(most / MB)} MB`;
  return [
    must('disk, with retention', measured, 'flat', most < first * (1 + FLAT_SHARE) + FLAT_BYTES),
  ];
}

export function perFiring(cpuSeconds: number, { arrived }: Counted): string {
  return ((cpuSeconds * 1e6) / arrived).toFixed(0);
}
