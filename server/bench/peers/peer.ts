import { type Dispatcher, Pool } from 'undici';
import { optionsOfScript } from '../processes.ts';

/** The options of each of the other schedulers, in a process of its own. */
export interface PeerOptions {
  /** Of the target. */
  url: string;
  schedules: number;
  /** Of a Redis without persistence. */
  redis: { host: string; port: number };
  /** Of an empty, durable PostgreSQL. */
  postgres: string;
}

/** The resources that it used up to the end of the burst. */
export interface Used {
  cpuMs: number;
  memoryMb: number;
}

const CONNECTIONS = 128;

/**
 * Carries out one peer: it has its schedules ready, all due at every full minute, and calls `call` for
 * each that is due. The request is the cheapest that can be made, as Punctual's own.
 *
 * @param prepare resolves when all schedules are there
 */
export async function bePeer(
  prepare: (options: PeerOptions, call: (schedule: number) => Promise<void>) => Promise<unknown>,
): Promise<void> {
  const options = optionsOfScript<PeerOptions>();
  const { origin } = new URL(options.url);
  const pool = new Pool(origin, { connections: CONNECTIONS });
  /** Until it is known which full minute is measured, nothing is sent. */
  let instant = Number.POSITIVE_INFINITY;
  let cpuBefore = process.cpuUsage();
  process.on('message', (message: { instant: number } | 'used') => {
    if (message !== 'used') {
      instant = message.instant;
      cpuBefore = process.cpuUsage();
      return;
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    const memoryMb = process.resourceUsage().maxRSS / 1_024;
    process.send!({ cpuMs: (user + system) / 1_000, memoryMb } satisfies Used);
  });
  const call = async (schedule: number) => {
    if (Date.now() < instant) return;
    await send(pool, `/?s=a${schedule}`, new Date(instant).toISOString());
  };
  await prepare(options, call);
  process.send!('ready');
}

function send(pool: Pool, path: string, scheduledFor: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData() {},
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    };
    const headers = { 'Punctual-Scheduled-For': scheduledFor };
    pool.dispatch({ path, method: 'GET', headers }, handler);
  });
}

export const EVERY_MINUTE = '* * * * *';
