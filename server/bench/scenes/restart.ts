import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from '../processes.ts';
import { CREDENTIALS, Punctual } from '../punctual.ts';
import { ms, must, tells } from '../result.ts';
import type { Scene } from '../session.ts';

/** A schedule fires before and after each restart. */
const BEFORE_MS = 2_200;
const AFTER_MS = 1_500;
/** Restarts meet all parts of a second. */
const STEP_MS = 370;

export const restart: Scene = {
  name: 'restart',
  about: 'graceful restarts of a service with one schedule that fires every second',
  defaults: { rounds: 20 },
  async run(session) {
    const arrivals: number[] = [];
    const ids: string[] = [];
    const target = createServer(({ headers }, response) => {
      arrivals.push(performance.now());
      ids.push(String(headers['webhook-id']));
      response.end();
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    const database = await session.startDatabase();
    const node = await Punctual.start(database, {}, []);
    await createSchedule(node.url, (target.address() as AddressInfo).port);
    const [gaps, stops, starts]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < session.options.rounds; round += 1) {
      await pause(BEFORE_MS + ((round * STEP_MS) % 1_000));
      const last = arrivals.length - 1;
      const stoppingAt = performance.now();
      await node.stop();
      stops.push(performance.now() - stoppingAt);
      starts.push(await node.start());
      await pause(AFTER_MS);
      gaps.push(widest(arrivals.slice(last)));
    }
    await node.stop();
    target.closeAllConnections();
    target.close();
    session.figures.push(
      must('widest gap, median', ms(median(gaps)), '1,500 ms', median(gaps) <= 1_500),
      tells('widest gap, at most', ms(Math.max(...gaps))),
      tells('start until it is ready, median', ms(median(starts))),
      tells('stop, median', ms(median(stops))),
      must(
        'fired twice',
        `${ids.length - new Set(ids).size}`,
        '0',
        new Set(ids).size === ids.length,
      ),
    );
  },
};

async function createSchedule(url: string, port: number): Promise<void> {
  const response = await fetch(`${url}/v1/schedule`, {
    method: 'POST',
    headers: { ...CREDENTIALS, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      url: `http://127.0.0.1:${port}/`,
      verb: 'POST',
      interval: '* * * * * *',
      timezone: 'UTC',
    }),
  });
  if (!response.ok) throw new Error(await response.text());
}

function widest(instants: number[]): number {
  return Math.max(...instants.slice(1).map((instant, index) => instant - instants[index]!));
}

function median(numbers: number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]!;
}
