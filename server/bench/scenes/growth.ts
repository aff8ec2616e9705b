import { curveOf, must, mustAllArrive, tells, whole } from '../result.ts';
import { ALL_AT_ONCE, figuresOf, measureRounds, type Round } from '../rounds.ts';
import { AT_REST, createSchedules } from '../schedules.ts';
import type { Scene } from '../session.ts';

/** The slowest, in parts of the fastest. */
const LEAST = 0.9;

export const growth: Scene = {
  name: 'growth',
  about: 'the same burst of 20,000 beside ever more schedules at rest',
  defaults: { schedules: 20_000, rounds: 3, rest: [10_000, 100_000, 1_000_000, 10_000_000] },
  async run(session) {
    const { schedules, rest } = session.options;
    const { target, arrivals } = await session.startTarget();
    const nodes = await session.startNodes(await session.startDatabase());
    const base = nodes[0]!.url;
    const url = () => target.url();
    await createSchedules(base, { count: schedules, group: 'a', interval: () => ALL_AT_ONCE, url });
    const steps: { ratio: number; rounds: Round[] }[] = [];
    let resting = 0;
    for (const wanted of rest.toSorted((a, b) => a - b)) {
      const created = await createSchedules(
        base,
        { count: wanted - resting, first: resting, group: 'r', interval: () => AT_REST, url },
        made => session.progress(`${whole(made)} of ${whole(wanted - resting)} created at rest`),
      );
      resting = wanted;
      session.say(`${whole(wanted)} at rest; created in batches: ${whole(created)} schedules/s`);
      const { rounds, last } = await measureRounds({
        session,
        arrivals,
        nodes,
        schedules,
        group: 'a',
      });
      const { ratio, perSecond, memoryMb } = figuresOf(rounds);
      steps.push({ ratio: ratio!, rounds });
      session.rounds.push({ resting, rounds });
      session.lateness.push(curveOf(`${whole(resting)} at rest`, last));
      const measured = `${ratio!.toFixed(2)} of the bare client, ${whole(perSecond!)} /s, ${whole(memoryMb!)} MB`;
      session.figures.push(tells(`${whole(resting)} at rest`, measured));
    }
    const ratios = steps.map(({ ratio }) => ratio);
    const slowest = Math.min(...ratios) / Math.max(...ratios);
    const counts = steps.flatMap(({ rounds }) => rounds.map(({ counted }) => counted));
    session.figures.push(
      must('the slowest, of the fastest', slowest.toFixed(2), String(LEAST), slowest >= LEAST),
      mustAllArrive('arrived', counts),
    );
  },
};
