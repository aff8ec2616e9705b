import { curveOf, must, mustAllArrive, tells, whole } from '../result.ts';
import { type Burst, comparedInTurn, figuresOf, measureInTurn, twiceAMinute } from '../rounds.ts';
import { AT_REST, createSchedules } from '../schedules.ts';
import type { Scene } from '../session.ts';

/** The slowest, in parts of the fastest. */
const LEAST = 0.9;
/** Of one turn of all. */
const TURN_SECONDS = 30;
/** At the full minute, other programs of the machine have something to do. */
const FIRST_SECOND = 2;
const GROUPS = 'abcdefghij';

export const growth: Scene = {
  name: 'growth',
  about: 'the same burst of 20,000 beside ever more schedules at rest, in stores of their own',
  defaults: { schedules: 20_000, rounds: 24, rest: [10_000, 100_000, 1_000_000, 10_000_000] },
  async run(session) {
    const rest = session.options.rest.toSorted((a, b) => a - b);
    const { target, arrivals } = await session.startTarget();
    const bursts: Burst[] = [];
    for (const [at, resting] of rest.entries()) {
      // The nodes have no part in each other's bursts.
      const cadence = twiceAMinute(FIRST_SECOND + Math.floor((at * TURN_SECONDS) / rest.length));
      const group = GROUPS[at]!;
      const url = target.url();
      bursts.push(await preparedBurst({ session, arrivals, url, group, cadence, resting }));
    }
    const measured = await measureInTurn(bursts);
    const compared = comparedInTurn(measured);
    for (const [at, { rounds, last }] of measured.entries()) {
      const { ratio, perSecond, memoryMb } = figuresOf(rounds);
      const name = bursts[at]!.name!;
      session.rounds.push({ resting: rest[at], rounds });
      session.lateness.push(curveOf(name, last));
      const beside = `${ratio!.toFixed(2)} of the bare client, ${whole(perSecond!)} /s`;
      const found = `${compared[at]!.toFixed(2)} of all, ${beside}, ${whole(memoryMb!)} MB`;
      session.figures.push(tells(name, found));
    }
    const slowest = Math.min(...compared) / Math.max(...compared);
    const counts = measured.flatMap(({ rounds }) => rounds.map(({ counted }) => counted));
    session.figures.push(
      must('the slowest, of the fastest', slowest.toFixed(2), String(LEAST), slowest >= LEAST),
      mustAllArrive('arrived', counts),
    );
  },
};

interface Wanted extends Pick<Burst, 'session' | 'arrivals' | 'group' | 'cadence'> {
  url: string;
  resting: number;
}

/** A node on a store of its own, with schedules at rest and those of the burst. */
async function preparedBurst(wanted: Wanted): Promise<Burst> {
  const { session, arrivals, group, cadence, url: target, resting } = wanted;
  const { schedules } = session.options;
  const nodes = await session.startNodes(await session.startDatabase());
  const base = nodes[0]!.url;
  const url = () => target;
  const name = `${whole(resting)} at rest`;
  await createSchedules(base, { count: schedules, group, interval: () => cadence.interval, url });
  const created = await createSchedules(
    base,
    { count: resting, group: 'z', interval: () => AT_REST, url },
    made => session.progress(`${whole(made)} of ${name} created`),
  );
  session.say(`${name}; created in batches: ${whole(created)} schedules/s`);
  return { session, arrivals, nodes, schedules, group, cadence, name };
}
