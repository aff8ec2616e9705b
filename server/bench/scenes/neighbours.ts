import { addClient, unwantedOf } from '../punctual.ts';
import { curveOf, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import { createSchedules } from '../schedules.ts';
import type { Scene } from '../session.ts';
import { startSlowTarget } from '../target.ts';
import { nextStart, watchWindow } from '../window.ts';
import { minutesOf } from './steady.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Of each kind: those that answer, and those that hang. */
const HOSTS = 100;
const MOST_MS = 100;
const AT_ONE_SECOND = '* * * * *';
const EVERY_SECOND = '* * * * * *';

export const neighbours: Scene = {
  name: 'neighbours',
  about: 'client A: 20,000 due at one second, half of its targets hang; client B: one every second',
  defaults: { schedules: 20_000, duration: 120 },
  async run(session) {
    const { schedules, duration } = session.options;
    const { target, arrivals } = await session.startTarget(HOSTS + 1);
    const hanging = await startSlowTarget(HOSTS, null);
    session.closing(() => hanging.stop());
    const database = await session.startDatabase();
    const nodes = await session.startNodes(database);
    await session.runBare();
    const base = nodes[0]!.url;
    const half = Math.floor(schedules / 2);
    const periods = minutesOf(duration);
    // B's comes first: it is not the newest when A's are taken.
    await createSchedules(base, {
      count: 1,
      group: 'b',
      interval: () => EVERY_SECOND,
      url: () => target.url(HOSTS),
      credentials: await addClient(database, 'B'),
    });
    const ofA = { count: half, interval: () => AT_ONE_SECOND };
    const [answers, hangs] = [target, hanging].map(
      ({ url }) =>
        (index: number) =>
          url(index % HOSTS),
    );
    await Promise.all([
      createSchedules(base, { ...ofA, group: 'a', url: answers! }),
      createSchedules(base, { ...ofA, group: 'h', url: hangs! }),
    ]);
    const from = nextStart(MINUTE_MS, 3 * SECOND_MS);
    const healthy = await arrivals.expect('a', {
      schedules: half,
      from,
      periodMs: MINUTE_MS,
      periods,
    });
    const seconds = periods * 60;
    const ledger = await arrivals.expect('b', {
      schedules: 1,
      from,
      periodMs: SECOND_MS,
      periods: seconds,
    });
    await watchWindow({ session, arrivals, nodes, database, ledger, from, seconds });
    const [p50, p99, last] = [0.5, 0.99, 1].map(share => ledger.latenessMs(share));
    const { arrived, expected } = healthy.counted;
    session.lateness.push(curveOf('client B', ledger));
    session.lateness.push(curveOf("client A's that answer", healthy));
    session.figures.push(
      must("client B's lateness p99", ms(p99!), `${MOST_MS} ms`, p99! < MOST_MS),
      mustAllArrive("client B's arrived", [ledger.counted]),
      tells("client B's lateness p50, last", `${ms(p50!)}, ${ms(last!)}`),
      tells("client A's that answer", `${whole(arrived)} of ${whole(expected)} arrived`),
      tells(
        'their lateness p50, p99',
        `${ms(healthy.latenessMs(0.5))}, ${ms(healthy.latenessMs(0.99))}`,
      ),
      tells('failed, skipped or missed, of both', await unwantedOf(nodes)),
      tells('requests that hung at once', whole(await hanging.mostAtOnce())),
    );
    await session.runBareAfter(nodes);
  },
};
