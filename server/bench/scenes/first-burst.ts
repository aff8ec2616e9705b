import { pause, until } from '../processes.ts';
import { median, ms, must, tells } from '../result.ts';
import { EVERY_TEN_SECONDS } from '../rounds.ts';
import { createSchedules } from '../schedules.ts';
import type { Scene } from '../session.ts';

const { everyMs, interval } = EVERY_TEN_SECONDS;
/** A start takes less, and so does the claim ahead. */
const START_MS = 2_500;
const PATIENCE_MS = 30_000;

export const firstBurst: Scene = {
  name: 'first-burst',
  about: 'the first and the second burst after each start',
  defaults: { schedules: 20_000, rounds: 8 },
  async run(session) {
    const { schedules, rounds } = session.options;
    const { target, arrivals } = await session.startTarget();
    const [node] = await session.startNodes(await session.startDatabase());
    await createSchedules(node!.url, {
      count: schedules,
      group: 'a',
      interval: () => interval,
      url: () => target.url(),
    });
    const measure = async (instant: number) => {
      const window = { schedules, from: instant, periodMs: everyMs, periods: 1 };
      const ledger = await arrivals.expect('a', window);
      await until(instant);
      while (!ledger.isComplete && Date.now() < instant + PATIENCE_MS) {
        await pause(250);
        if (await arrivals.isStill()) await arrivals.read();
      }
      return { firstMs: ledger.latenessMs(0), lastMs: ledger.latenessMs(1) };
    };
    const found: { startMs: number; first: Burst; second: Burst }[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await until(Math.ceil(Date.now() / everyMs) * everyMs + 4_000);
      await node!.stop();
      const instant = Math.ceil((Date.now() + START_MS) / everyMs) * everyMs;
      await until(instant - START_MS);
      const startMs = await node!.start();
      const first = await measure(instant);
      const second = await measure(instant + everyMs);
      found.push({ startMs, first, second });
      session.say(
        `start ${ms(startMs)}; first burst ${ms(first.firstMs)} to ${ms(first.lastMs)}, ` +
          `second ${ms(second.firstMs)} to ${ms(second.lastMs)}`,
      );
    }
    session.rounds.push(...found);
    const ratio = median(found.map(({ first, second }) => first.lastMs / second.lastMs));
    session.figures.push(
      tells('first burst, in parts of the second', ratio.toFixed(2)),
      tells(
        'first request of the first burst',
        ms(median(found.map(({ first }) => first.firstMs))),
      ),
      must(
        'start until it is ready, median',
        ms(median(found.map(({ startMs }) => startMs))),
        '1,500 ms',
        median(found.map(({ startMs }) => startMs)) <= 1_500,
      ),
    );
  },
};

/** When its first and its last request arrived, after the instant. */
interface Burst {
  firstMs: number;
  lastMs: number;
}
