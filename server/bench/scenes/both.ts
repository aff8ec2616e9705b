import type { Arrivals, Ledger } from '../arrivals.ts';
import { type Load, runLoad } from '../load.ts';
import { until } from '../processes.ts';
import type { Database, Punctual } from '../punctual.ts';
import { curveOf, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import { createSchedules, everyTenSeconds } from '../schedules.ts';
import type { Scene, Session } from '../session.ts';
import { nextStart, watchWindow } from '../window.ts';
import { portOf, prepareCalls } from './calls.ts';

const CALLS_PER_SECOND = 1_000;
const CONNECTIONS = 64;
const PERIOD_MS = 10_000;
const WARM_UP_SECONDS = 15;
/** The most that each may take, as a multiple of its undisturbed time. */
const MOST = 2;

interface Stage {
  session: Session;
  arrivals: Arrivals;
  nodes: Punctual[];
  database: Database;
  requests: string[];
}

export const both: Scene = {
  name: 'both',
  about: '5,000 firings/s and 1,000 API calls/s (4 GET to 1 POST), each alone and together',
  defaults: { schedules: 50_000, duration: 60 },
  async run(session) {
    const { schedules } = session.options;
    const { target, arrivals } = await session.startTarget();
    const database = await session.startDatabase();
    const nodes = await session.startNodes(database);
    await session.runBare();
    const { gets, post } = await prepareCalls(nodes[0]!);
    const requests = gets.slice(0, 16).flatMap((get, at) => (at % 4 === 3 ? [get, post] : [get]));
    const stage = { session, arrivals, nodes, database, requests };
    session.say('both are warmed up before they count');
    await call(stage, WARM_UP_SECONDS);
    const quietCalls = await call(stage);
    await createSchedules(nodes[0]!.url, {
      count: schedules,
      group: 'a',
      interval: everyTenSeconds,
      url: () => target.url(),
    });
    const quiet = await fire(stage, WARM_UP_SECONDS * 1_000);
    const [loud, loudCalls] = await Promise.all([fire(stage), call(stage)]);
    await session.runBareAfter(nodes);
    session.rounds.push({ quietCalls, loudCalls });
    session.lateness.push(curveOf('firing alone', quiet), curveOf('with API calls', loud));
    session.figures.push(
      disturbed('API p99 under firing', quietCalls.latencyMs.p99, loudCalls.latencyMs.p99),
      disturbed('firing p99 under API', quiet.latenessMs(0.99), loud.latenessMs(0.99)),
      mustAllArrive('arrived', [quiet.counted, loud.counted]),
      tells('firings', `${whole(schedules / 10)} /s`),
      tells('API calls, together with them', `${whole(loudCalls.perSecond)} /s`),
      tells('answers other than 200', whole(quietCalls.refused + loudCalls.refused)),
    );
  },
};

function call(
  { session, nodes, requests }: Stage,
  seconds = session.options.duration,
): Promise<Load> {
  return runLoad({
    port: portOf(nodes[0]!.url),
    connections: CONNECTIONS,
    seconds,
    perSecond: CALLS_PER_SECOND,
    requests,
  });
}

async function fire(
  { session, arrivals, nodes, database }: Stage,
  notBeforeMs = 1_500,
): Promise<Ledger> {
  const { schedules, duration } = session.options;
  const periods = Math.max(1, Math.round(duration / 10));
  const from = nextStart(1_000, notBeforeMs);
  const ledger = await arrivals.expect('a', { schedules, from, periodMs: PERIOD_MS, periods });
  await until(from);
  const seconds = periods * 10;
  await watchWindow({ session, arrivals, nodes, database, ledger, from, seconds });
  return ledger;
}

function disturbed(what: string, quietMs: number, loudMs: number) {
  const measured = `${ms(loudMs)}, undisturbed ${ms(quietMs)}`;
  return must(what, measured, `${MOST} times that`, loudMs <= MOST * quietMs);
}
