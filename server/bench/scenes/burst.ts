import { curveOf, must, tells, whole } from '../result.ts';
import { burstFigures, EVERY_TEN_SECONDS, figuresOf, measureRounds } from '../rounds.ts';
import { createSchedules } from '../schedules.ts';
import type { Scene, Session } from '../session.ts';

/** At least this much of the bare client's rate. */
const LEAST_RATIO = 0.6;

export const burst: Scene = {
  name: 'burst',
  about: '20,000 schedules due at one instant, one client, between runs of the bare client',
  defaults: { schedules: 20_000, rounds: 5 },
  async run(session) {
    const { ratio, perSecond } = await runBurst(session);
    session.figures.unshift(
      must(
        'of the bare client',
        ratio.toFixed(2),
        `${LEAST_RATIO} (aim 0.7)`,
        ratio >= LEAST_RATIO,
      ),
      tells('durable firings', `${whole(perSecond)} /s`),
    );
  },
};

/** All but the figures of the rate, which are another on each store. */
export async function runBurst(session: Session): Promise<{ ratio: number; perSecond: number }> {
  const { schedules } = session.options;
  const { target, arrivals } = await session.startTarget();
  const nodes = await session.startNodes(await session.startDatabase());
  const created = await createSchedules(nodes[0]!.url, {
    count: schedules,
    group: 'a',
    interval: () => EVERY_TEN_SECONDS.interval,
    url: () => target.url(),
  });
  session.say(`created in batches: ${whole(created)} schedules/s`);
  const { rounds, last } = await measureRounds({
    session,
    arrivals,
    nodes,
    schedules,
    group: 'a',
    cadence: EVERY_TEN_SECONDS,
  });
  session.rounds.push(...rounds);
  session.figures.push(...burstFigures(rounds));
  session.lateness.push(curveOf('burst', last));
  const { ratio, perSecond } = figuresOf(rounds);
  return { ratio: ratio!, perSecond: perSecond! };
}
