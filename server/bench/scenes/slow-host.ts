import { curveOf, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import { createSchedules, everyTenSeconds } from '../schedules.ts';
import type { Scene } from '../session.ts';
import { startSlowTarget } from '../target.ts';
import { nextStart, watchWindow } from '../window.ts';

const SECOND_MS = 1_000;
const PERIOD_MS = 10_000;
const HEALTHY_HOSTS = 999;
/** The slow host answers after this; its schedules want it every ten seconds all the same. */
const AFTER_MS = 25_000;
/** Schedules of the slow host, in parts of those of all the others. */
const SLOW_SHARE = 0.2;
/** The most that counts as "unchanged": the noise between two windows. */
const MOST = 1.25;
const NOISE_MS = 5;
/** Of the 2,000 in flight that one process has by default: a tenth. */
const MOST_CONNECTIONS = 200;

export const slowHost: Scene = {
  name: 'slow-host',
  about: '1,000 firings/s over 999 hosts, without and with one more that answers after 25 s',
  defaults: { schedules: 10_000, duration: 60 },
  async run(session) {
    const { schedules, duration } = session.options;
    const { target, arrivals } = await session.startTarget(HEALTHY_HOSTS);
    const slow = await startSlowTarget(1, AFTER_MS);
    session.closing(() => slow.stop());
    const database = await session.startDatabase();
    const nodes = await session.startNodes(database);
    await session.runBare();
    const base = nodes[0]!.url;
    const periods = Math.max(1, Math.round(duration / 10));
    const watch = async () => {
      const from = nextStart(SECOND_MS);
      const ledger = await arrivals.expect('a', { schedules, from, periodMs: PERIOD_MS, periods });
      const seconds = periods * 10;
      await watchWindow({ session, arrivals, nodes, database, ledger, from, seconds });
      return ledger;
    };
    await createSchedules(base, {
      count: schedules,
      group: 'a',
      interval: everyTenSeconds,
      url: index => target.url(index % HEALTHY_HOSTS),
    });
    const without = await watch();
    await createSchedules(base, {
      count: Math.max(1, Math.round(schedules * SLOW_SHARE)),
      group: 's',
      interval: everyTenSeconds,
      url: () => slow.url(),
    });
    const beside = await watch();
    const atOnce = await slow.mostAtOnce();
    const [before, after] = [without.latenessMs(0.99), beside.latenessMs(0.99)];
    session.lateness.push(curveOf('without it', without), curveOf('beside the slow host', beside));
    session.figures.push(
      must(
        "the others' p99",
        `${ms(after)}, without it ${ms(before)}`,
        `${MOST} times that + ${NOISE_MS} ms`,
        after <= MOST * before + NOISE_MS,
      ),
      must(
        'connections of the slow host',
        whole(atOnce),
        `${MOST_CONNECTIONS} of 2,000`,
        atOnce <= MOST_CONNECTIONS,
      ),
      mustAllArrive("the others' arrived", [without.counted, beside.counted]),
      tells(
        "the others' p50",
        `${ms(beside.latenessMs(0.5))}, without it ${ms(without.latenessMs(0.5))}`,
      ),
    );
    await session.runBareAfter(nodes);
  },
};
