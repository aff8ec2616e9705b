import { curveOf, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import { createSchedules } from '../schedules.ts';
import type { Scene } from '../session.ts';
import { startMisbehavingTarget } from '../target.ts';
import { nextStart, watchWindow } from '../window.ts';

const SECOND_MS = 1_000;
const EVERY_SECOND = '* * * * * *';
const MOST_P99_MS = 200;
const MOST_GROWTH_MB = 128;

export const misbehaving: Scene = {
  name: 'misbehaving',
  about:
    '200 firings/s over 200 hosts, without and with as many to targets that misbehave in every known way',
  defaults: { schedules: 200, duration: 45 },
  async run(session) {
    const { schedules, duration } = session.options;
    const { target, arrivals } = await session.startTarget(schedules);
    const bad = await startMisbehavingTarget();
    session.closing(() => bad.stop());
    const database = await session.startDatabase();
    const nodes = await session.startNodes(database);
    await session.runBare();
    const base = nodes[0]!.url;
    const every = { count: schedules, interval: () => EVERY_SECOND };
    const watch = async () => {
      const from = nextStart(SECOND_MS);
      const ledger = await arrivals.expect('a', {
        schedules,
        from,
        periodMs: SECOND_MS,
        periods: duration,
      });
      const samples = await watchWindow({
        session,
        arrivals,
        nodes,
        database,
        ledger,
        from,
        seconds: duration,
      });
      return { ledger, memoryMb: Math.max(...samples.map(({ memoryMb }) => memoryMb)) };
    };
    await createSchedules(base, { ...every, group: 'a', url: index => target.url(index) });
    const without = await watch();
    await createSchedules(base, { ...every, group: 'm', url: index => bad.url(index % bad.kinds) });
    const beside = await watch();
    const [before, after] = [without, beside].map(({ ledger }) => ledger.latenessMs(0.99));
    const grownMb = beside.memoryMb - without.memoryMb;
    session.lateness.push(curveOf('without them', without.ledger));
    session.lateness.push(curveOf('beside them', beside.ledger));
    session.figures.push(
      must(
        "the others' p99",
        `${ms(after!)}, without them ${ms(before!)}`,
        `${MOST_P99_MS} ms`,
        after! <= MOST_P99_MS,
      ),
      must(
        'memory',
        `${whole(beside.memoryMb)} MB, without them ${whole(without.memoryMb)} MB`,
        `${MOST_GROWTH_MB} MB more`,
        grownMb <= MOST_GROWTH_MB,
      ),
      mustAllArrive("the others' arrived", [without.ledger.counted, beside.ledger.counted]),
      tells('kinds of misbehaviour', whole(bad.kinds)),
    );
    await session.runBareAfter(nodes);
  },
};
