import { sumOf, unwantedOf } from '../punctual.ts';
import { curveOf, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import type { Scene } from '../session.ts';
import { nextStart, sampledByMinute, watchWindow } from '../window.ts';
import { createAll, memoryFigure, perFiring } from './million.ts';
import { minutesOf } from './steady.ts';

const MINUTE_MS = 60_000;

export const minute: Scene = {
  name: 'minute',
  about: '1,000,000 every-minute schedules, all due at the full minute',
  defaults: { schedules: 1_000_000, duration: 180 },
  async run(session) {
    const { schedules, duration } = session.options;
    const { target, arrivals } = await session.startTarget();
    const database = await session.startDatabase();
    await session.runBare();
    const nodes = await session.startNodes(database);
    await createAll(
      { session, arrivals, nodes, database },
      () => target.url(),
      () => '* * * * *',
    );
    const periods = minutesOf(duration);
    // A full minute passes first: what was created while others fired is behind by then.
    const from = nextStart(MINUTE_MS, MINUTE_MS);
    const ledger = await arrivals.expect('a', { schedules, from, periodMs: MINUTE_MS, periods });
    const before = await sumOf(nodes, 'process_cpu_seconds_total');
    const window = { session, arrivals, nodes, database, ledger, from, seconds: periods * 60 };
    const samples = await watchWindow(window);
    const cpuSeconds = (await sumOf(nodes, 'process_cpu_seconds_total')) - before;
    const last = ledger.latenessMs(1);
    session.rounds.push(...sampledByMinute(samples));
    session.lateness.push(curveOf('at the full minute', ledger));
    session.figures.push(
      must('the last of the minute', ms(last), '60 s', last < MINUTE_MS),
      mustAllArrive('arrived', [ledger.counted]),
      tells(
        'lateness first, p50, p99',
        [0, 0.5, 0.99].map(at => ms(ledger.latenessMs(at))).join(', '),
      ),
      tells('firings until the last', `${whole(schedules / (last / 1_000))} /s`),
      tells('failed, skipped or missed', await unwantedOf(nodes)),
      tells('processor time a firing', `${perFiring(cpuSeconds, ledger.counted)} µs`),
      memoryFigure(samples),
    );
    await session.runBareAfter(nodes);
  },
};
