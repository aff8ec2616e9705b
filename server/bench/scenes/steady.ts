import type { Counted } from '../arrivals.ts';
import { until } from '../processes.ts';
import { unwantedOf } from '../punctual.ts';
import { curveOf, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import { createSchedules, everyMinute } from '../schedules.ts';
import type { Scene, Session } from '../session.ts';
import { nextStart, sampledByMinute, watchWindow } from '../window.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const steady: Scene = {
  name: 'steady',
  about: '1,000 firings a second: 60,000 every-minute schedules spread over the seconds',
  defaults: { schedules: 60_000, duration: 600 },
  async run(session) {
    const { p50, p99, counted } = await runSteady(session);
    session.figures.push(
      must('lateness p50', ms(p50), '5 ms', p50 <= 5),
      must('lateness p99', ms(p99), '50 ms', p99 <= 50),
      mustAllArrive('arrived', [counted]),
    );
  },
};

/** All but the figures of lateness, which are others on each store. */
export async function runSteady(
  session: Session,
  schedules = session.options.schedules,
): Promise<{ p50: number; p99: number; counted: Counted }> {
  const { duration } = session.options;
  const { target, arrivals } = await session.startTarget();
  const database = await session.startDatabase();
  const nodes = await session.startNodes(database);
  await session.runBare();
  await createSchedules(nodes[0]!.url, {
    count: schedules,
    group: 'a',
    interval: everyMinute,
    url: () => target.url(),
  });
  session.say('each fires once before it counts');
  const from = nextStart(SECOND_MS, MINUTE_MS);
  const periods = minutesOf(duration);
  const expected = { schedules, from, periodMs: MINUTE_MS, periods };
  const ledger = await arrivals.expect('a', expected);
  await until(from);
  const seconds = periods * 60;
  const window = { session, arrivals, nodes, database, ledger, from, seconds };
  const samples = await watchWindow(window);
  session.figures.push(
    tells('firings', `${whole(schedules / 60)} /s for ${seconds} s`),
    tells('lateness, last', ms(ledger.latenessMs(1))),
    tells('failed, skipped or missed', await unwantedOf(nodes)),
    tells('memory, at most', `${whole(Math.max(...samples.map(({ memoryMb }) => memoryMb)))} MB`),
  );
  session.rounds.push(...sampledByMinute(samples));
  session.lateness.push(curveOf('steady', ledger));
  const [p50, p99] = [ledger.latenessMs(0.5), ledger.latenessMs(0.99)];
  await session.runBareAfter(nodes);
  return { p50, p99, counted: ledger.counted };
}

/** Windows are whole minutes: each schedule has as many firings in it. */
export function minutesOf(seconds: number): number {
  return Math.max(1, Math.round(seconds / 60));
}
