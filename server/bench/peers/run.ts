import { Argument, Command, InvalidArgumentError } from 'commander';
import { startPostgres } from '../../test/support/store/postgres-server.ts';
import { Arrivals, type Ledger } from '../arrivals.ts';
import {
  freePort,
  messageOf,
  pause,
  startProcess,
  startScript,
  stopProcess,
  until,
} from '../processes.ts';
import { ms, whole } from '../result.ts';
import { startTarget } from '../target.ts';
import type { PeerOptions, Used } from './peer.ts';

/**
 * Other schedulers in the burst of `npm run bench`: all schedules due at one full minute, one target,
 * one process. Arrivals are counted and timed at the target, by the same code.
 */
const PEERS = ['croner', 'bullmq', 'graphile-worker', 'pg-boss'];
const MINUTE_MS = 60_000;
/** Between being ready and the full minute, at least. */
const REST_MS = 5_000;

async function measure(name: string, schedules: number, seconds: number): Promise<void> {
  await using closers = new AsyncDisposableStack();
  const target = await startTarget();
  closers.defer(() => target.stop());
  const arrivals = await Arrivals.of(target);
  closers.defer(() => arrivals.close());
  const services = await startServices(name, closers);
  const options = { url: target.url(), schedules, ...services } satisfies PeerOptions;
  const child = startScript(`peers/${name}.ts`, options);
  closers.defer(() => stopProcess(child, 'SIGKILL'));
  const startedAt = performance.now();
  await messageOf(child);
  const readyMs = performance.now() - startedAt;
  const instant = Math.ceil((Date.now() + REST_MS) / MINUTE_MS) * MINUTE_MS;
  const window = { schedules, from: instant, periodMs: MINUTE_MS, periods: 1 };
  const ledger = await arrivals.expect('a', window);
  await until(instant - REST_MS / 2);
  child.send({ instant });
  await until(instant);
  while (!ledger.isComplete && Date.now() < instant + seconds * 1_000) {
    await pause(250);
    await arrivals.read();
  }
  const used = messageOf<Used>(child);
  child.send('used');
  say(lineOf(name, ledger, instant, readyMs, await used));
}

/** Those that it needs; the other ones have no address. */
async function startServices(name: string, closers: AsyncDisposableStack) {
  const services = { redis: { host: '127.0.0.1', port: 0 }, postgres: '' };
  if (name === 'bullmq') {
    services.redis.port = await freePort();
    const bounds = ['--port', String(services.redis.port), '--bind', '127.0.0.1'];
    const args = [...bounds, '--save', '', '--appendonly', 'no'];
    const redis = startProcess('redis-server', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    closers.defer(() => stopProcess(redis));
    redis.once('error', () => {
      say('redis-server is not there: on Debian, apt-get install redis-server');
      process.exit(1);
    });
  }
  if (name === 'graphile-worker' || name === 'pg-boss') {
    const server = await startPostgres({ durable: true });
    closers.defer(() => server.stop());
    services.postgres = await server.createDatabase();
  }
  return services;
}

function lineOf(
  name: string,
  ledger: Ledger,
  instant: number,
  readyMs: number,
  used: Used,
): string {
  const { arrived, expected, twice } = ledger.counted;
  const seconds = (ledger.lastAt - instant) / 1_000;
  const late = [0, 0.5, 0.99, 1].map(share => ms(ledger.latenessMs(share))).join(' / ');
  const rate = arrived === 0 ? '0' : whole(arrived / seconds);
  const micros = ((used.cpuMs * 1_000) / Math.max(1, arrived)).toFixed(0);
  return [
    name.padEnd(16),
    `${whole(arrived)} of ${whole(expected)} arrived${twice > 0 ? `, ${whole(twice)} twice` : ''}`,
    `${rate} firings/s`,
    `first / p50 / p99 / last ${late}`,
    `${micros} µs each, ${whole(used.memoryMb)} MB, ready in ${ms(Math.round(readyMs))}`,
  ].join('; ');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function count(value: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

await new Command('npm run bench --')
  .description('Runs other schedulers through the burst: all of them, or the one that is named.')
  .addArgument(new Argument('[peers...]').choices(PEERS).default(PEERS))
  .option('--schedules <count>', 'due at one full minute', count, 20_000)
  .option('--seconds <seconds>', 'after which what has not arrived is given up', count, 59)
  .action(async (peers: string[], options: { schedules: number; seconds: number }) => {
    for (const name of peers) await measure(name, options.schedules, options.seconds);
  })
  .parseAsync();
