import { type Load, runLoad } from '../load.ts';
import { freePort, messageOf, startScript, stopProcess } from '../processes.ts';
import { median, ms, must, tells, whole } from '../result.ts';
import { AT_REST, createSchedules } from '../schedules.ts';
import type { Scene, Session } from '../session.ts';
import { type Calls, portOf, prepareCalls } from './calls.ts';

const CONNECTIONS = 64;
const LEAST_RATIO = 0.6;
const LEAST_CREATES = 10_000;
const LEAST_BATCH = 50_000;

export const api: Scene = {
  name: 'api',
  about: 'GET one and POST create over 64 connections, beside a bare Fastify; batch create',
  defaults: { schedules: 200_000, duration: 5, rounds: 3 },
  async run(session) {
    const database = await session.startDatabase();
    const [node] = await session.startNodes(database);
    const batch = await createSchedules(node!.url, {
      count: session.options.schedules,
      group: 'r',
      interval: () => AT_REST,
      url: () => 'http://127.0.0.1:9/hook',
    });
    const calls = await prepareCalls(node!);
    const bare = await startBareRoute(session, calls);
    const get = await compare(session, 'GET one', calls.gets, portOf(node!.url), bare);
    const post = await compare(session, 'POST create', [calls.post], portOf(node!.url), bare);
    session.figures.push(
      ratioOf('GET one, of a bare route', get),
      ratioOf('POST create, of a bare route', post),
      must(
        'POST create, durable',
        `${whole(post.perSecond)} /s`,
        `${whole(LEAST_CREATES)} /s`,
        post.perSecond >= LEAST_CREATES,
      ),
      must(
        'batch create, durable',
        `${whole(batch)} schedules/s`,
        `${whole(LEAST_BATCH)} /s`,
        batch >= LEAST_BATCH,
      ),
      tells('GET one', `${whole(get.perSecond)} /s, p99 ${ms(get.p99)}`),
      tells('GET from the bare route', `${whole(get.barePerSecond)} /s`),
      tells('POST to the bare route', `${whole(post.barePerSecond)} /s`),
      tells('answers other than 200', whole(get.refused + post.refused)),
    );
  },
};

async function startBareRoute(session: Session, { answers }: Calls): Promise<number> {
  const port = await freePort();
  const child = startScript('bare-route.ts', { port, ...answers });
  session.closing(() => stopProcess(child));
  await messageOf(child);
  return port;
}

interface Comparison {
  ratio: number;
  perSecond: number;
  barePerSecond: number;
  p99: number;
  refused: number;
}

/** In turn, so that both have the same machine. */
async function compare(
  session: Session,
  name: string,
  requests: string[],
  port: number,
  barePort: number,
): Promise<Comparison> {
  const { duration: seconds, rounds } = session.options;
  const load = { connections: CONNECTIONS, seconds, perSecond: null, requests };
  const pairs: { ours: Load; bare: Load; ratio: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const ours = await runLoad({ ...load, port });
    const bare = await runLoad({ ...load, port: barePort });
    const ratio = ours.perSecond / bare.perSecond;
    pairs.push({ ours, bare, ratio });
    session.rounds.push({ name, ours, bare, ratio });
    session.say(
      `${name}: ${whole(ours.perSecond)} /s, bare route ${whole(bare.perSecond)} /s, ratio ${ratio.toFixed(2)}`,
    );
  }
  return {
    ratio: median(pairs.map(({ ratio }) => ratio)),
    perSecond: median(pairs.map(({ ours }) => ours.perSecond)),
    barePerSecond: median(pairs.map(({ bare }) => bare.perSecond)),
    p99: median(pairs.map(({ ours }) => ours.latencyMs.p99)),
    refused: pairs.reduce((sum, { ours }) => sum + ours.refused, 0),
  };
}

function ratioOf(what: string, { ratio }: Comparison) {
  return must(what, ratio.toFixed(2), String(LEAST_RATIO), ratio >= LEAST_RATIO);
}
