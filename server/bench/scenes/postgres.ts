import { type Figure, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import type { Scene } from '../session.ts';
import { runBurst } from './burst.ts';
import { runSteady } from './steady.ts';

const LEAST_PER_SECOND = 10_000;
const MOST_MS = 100;
const STEADY_SCHEDULES = 60_000;

export const postgres: Scene = {
  name: 'postgres',
  about: 'the burst, and then the steady firings, on a PostgreSQL beside the node',
  defaults: { store: 'postgres', schedules: 20_000, rounds: 5, duration: 300 },
  async run(session) {
    const { ratio, perSecond } = await runBurst(session);
    const ofBurst = session.figures.splice(0);
    await session.end();
    const { p50, p99, counted } = await runSteady(session, STEADY_SCHEDULES);
    const ofSteady = session.figures.splice(0);
    session.figures.push(
      must(
        'burst, durable firings',
        `${whole(perSecond)} /s`,
        `${whole(LEAST_PER_SECOND)} /s`,
        perSecond >= LEAST_PER_SECOND,
      ),
      tells('burst, of the bare client', ratio.toFixed(2)),
      ...named('burst', ofBurst),
      must('steady, lateness p99', ms(p99), `${MOST_MS} ms`, p99 < MOST_MS),
      tells('steady, lateness p50', ms(p50)),
      mustAllArrive('steady, arrived', [counted]),
      ...named('steady', ofSteady),
    );
  },
};

function named(part: string, figures: Figure[]): Figure[] {
  return figures.map(figure => ({ ...figure, what: `${part}, ${figure.what}` }));
}
