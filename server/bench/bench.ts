import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../test/store/postgres-server.ts';
import { answering, freePort, startTarget } from './target.ts';

/**
 * The quick benchmark: 20,000 schedules due at one instant, beside the bare client on the same
 * target in the same run. Every figure is durable: a firing counts when its end is settled.
 *
 * `npm run bench` measures the embedded store, `npm run bench -- postgres` a PostgreSQL of its own
 * beside it on the same machine, with `BENCH_NODES` nodes.
 */
const KEEPER = process.argv[2] ?? 'sqlite';
const NODES = Number(process.env.BENCH_NODES ?? 1);
const SCHEDULES = Number(process.env.BENCH_SCHEDULES ?? 20_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CONNECTIONS = 128;
const EVERY_SECONDS = 10;

const CREDENTIALS = { ClientId: 'bench', ApiKey: 'bench-key' };

interface Rate {
  perSecond: number;
  /** Processor time of one request or firing, of all threads of its process. */
  cpuMicros: number;
}

interface Round extends Rate {
  /** Its rate in parts of the bare client's, of right before and right after it. */
  ratio: number;
  latenessMs: { first: number; median: number; p99: number };
  memoryMb: number;
}

async function main(): Promise<void> {
  const target = await startTarget();
  const folder = mkdtempSync(join(tmpdir(), 'punctual-bench-'));
  const database = await startDatabase(folder);
  const services: Service[] = [];
  try {
    for (let node = 0; node < NODES; node++) services.push(await startPunctual(database.url));
    const urls = services.map(({ url }) => url);
    say(`target: ${target.name}; ${SCHEDULES} schedules due at one instant, ${ROUNDS} rounds`);
    say(`store: ${KEEPER}; nodes: ${NODES}`);
    await createSchedules(urls[0]!, target.url);
    // Both get ready first: the bare client with a quarter of its requests, Punctual with a round.
    say(`warm-up: ${describe(await measureRound(urls, 1))}`);
    const bare = [bareRate(target.url)];
    const rounds: Round[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const result = await measureRound(urls, round + 1);
      bare.push(bareRate(target.url));
      const ratio = result.perSecond / mean(bare.slice(-2).map(rate => rate.perSecond));
      rounds.push({ ...result, ratio });
      say(`round ${round}: ratio ${ratio.toFixed(2)}; ${describe(result)}`);
    }
    report(bare, rounds);
  } finally {
    for (const service of services) await service.stop();
    await database.stop();
    await target.stop();
    rmSync(folder, { recursive: true });
  }
}

interface Service {
  url: string;
  stop(): Promise<void>;
}

/** Where the schedules are kept. */
async function startDatabase(folder: string): Promise<Service> {
  if (KEEPER === 'sqlite' && NODES === 1) {
    return { url: `sqlite:${join(folder, 'punctual.db')}`, async stop() {} };
  }
  if (KEEPER !== 'postgres') throw new Error('usage: npm run bench [-- postgres]; BENCH_NODES=1');
  const server = await startPostgres({ durable: true });
  return { url: await server.createDatabase(), stop: () => server.stop() };
}

async function startPunctual(database: string): Promise<Service> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../bin/punctual.js'), 'serve'],
    {
      env: {
        ...process.env,
        PORT: String(port),
        DATABASE_URL: database,
        PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
        PUNCTUAL_CLIENT_ID: CREDENTIALS.ClientId,
        PUNCTUAL_API_KEY: CREDENTIALS.ApiKey,
        PUNCTUAL_LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await answering(`${url}/readyz`);
  return { url, stop: () => stopped(child) };
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function bareRate(url: string): Rate {
  const script = join(import.meta.dirname, 'bare.ts');
  const args = [script, url, String(SCHEDULES * 2), String(CONNECTIONS)];
  const rate: Rate = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  say(
    `bare undici dispatch: ${whole(rate.perSecond)} requests/s, ${rate.cpuMicros.toFixed(0)} µs each`,
  );
  return rate;
}

async function createSchedules(base: string, url: string): Promise<void> {
  // Right after an instant at which they would be due, so that all are there at the next one.
  await until(nextInstant() + 100);
  const startedAt = performance.now();
  for (let made = 0; made < SCHEDULES; made += 1_000) {
    const item = (index: number) => ({
      url: `${url}?schedule=${index}`,
      verb: 'GET',
      interval: `*/${EVERY_SECONDS} * * * * *`,
      timezone: 'UTC',
      label: `bench ${index}`,
    });
    const count = Math.min(1_000, SCHEDULES - made);
    const items = Array.from({ length: count }, (_, index) => item(made + index));
    await api(base, 'POST', '/v1/schedule/batch', { items });
  }
  const rate = SCHEDULES / ((performance.now() - startedAt) / 1_000);
  say(`created in batches: ${whole(rate)} schedules/s`);
}

/** The coming instant at which the schedules are due (epoch ms). */
function nextInstant(): number {
  const every = EVERY_SECONDS * 1_000;
  return (Math.floor(Date.now() / every) + 1) * every;
}

async function measureRound(bases: string[], round: number): Promise<Omit<Round, 'ratio'>> {
  const instant = nextInstant();
  await until(instant - 500);
  const cpuBefore = await sumOf(bases, 'process_cpu_seconds_total');
  await until(instant);
  do {
    // Seldom enough not to disturb; the figures come from history.
    await until(Date.now() + 250);
  } while ((await sumOf(bases, 'punctual_runs_total{status="succeeded"}')) < SCHEDULES * round);
  const cpuSeconds = (await sumOf(bases, 'process_cpu_seconds_total')) - cpuBefore;
  const runs = await runsOf(bases[0]!, instant);
  if (runs.length !== SCHEDULES) throw new Error(`history has ${runs.length} of ${SCHEDULES} runs`);
  const late = runs.map(run => run.startedAt - instant).sort((a, b) => a - b);
  const lastEndedAt = runs.reduce((last, run) => Math.max(last, run.finishedAt), 0);
  return {
    perSecond: SCHEDULES / ((lastEndedAt - instant) / 1_000),
    cpuMicros: (cpuSeconds * 1e6) / SCHEDULES,
    latenessMs: { first: late[0]!, median: quantile(late, 0.5), p99: quantile(late, 0.99) },
    memoryMb: (await sumOf(bases, 'process_resident_memory_bytes')) / 2 ** 20,
  };
}

/** A metric, of all nodes together. */
async function sumOf(bases: string[], name: string): Promise<number> {
  const texts = await Promise.all(bases.map(async base => (await fetch(`${base}/metrics`)).text()));
  return texts.reduce((sum, text) => sum + metric(text, name), 0);
}

/** Of one nominal time, from history: what stands there is settled and durable. */
async function runsOf(base: string, instant: number) {
  const range = `limit=100&from=${iso(instant)}&to=${iso(instant + 1)}&status=succeeded`;
  const runs: { startedAt: number; finishedAt: number }[] = [];
  let cursor: string | undefined;
  do {
    const page = await api(base, 'GET', `/v1/run?${range}${cursor ? `&cursor=${cursor}` : ''}`);
    for (const { startedAt, finishedAt } of page.items) {
      runs.push({ startedAt: Date.parse(startedAt), finishedAt: Date.parse(finishedAt) });
    }
    cursor = page.nextCursor;
  } while (cursor);
  return runs;
}

// biome-ignore lint/suspicious/noExplicitAny: the answers of five routes, read in one place each
async function api(base: string, method: string, path: string, body?: unknown): Promise<any> {
  const headers = {
    ...CREDENTIALS,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const init =
    body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(base + path, init);
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

function metric(text: string, name: string): number {
  const line = text.split('\n').find(candidate => candidate.startsWith(`${name} `));
  return line ? Number(line.slice(name.length + 1)) : 0;
}

function report(bare: Rate[], rounds: Round[]): void {
  const median = (pick: (round: Round) => number) =>
    quantile(
      rounds.map(pick).sort((a, b) => a - b),
      0.5,
    );
  const bareRate = mean(bare.map(rate => rate.perSecond));
  const bareMicros = mean(bare.map(rate => rate.cpuMicros));
  say('');
  say(`bare client            ${whole(bareRate)} requests/s (mean of ${bare.length} runs)`);
  say(
    `durable firings        ${whole(median(round => round.perSecond))} /s (median of ${rounds.length} rounds)`,
  );
  say(
    `ratio                  ${median(round => round.ratio).toFixed(2)} (each round beside the bare runs around it)`,
  );
  say(
    `processor time         ${median(round => round.cpuMicros).toFixed(0)} µs a firing, ${bareMicros.toFixed(0)} µs a bare request`,
  );
  say(`lateness, first        ${median(round => round.latenessMs.first)} ms`);
  say(`lateness, median       ${median(round => round.latenessMs.median)} ms`);
  say(`lateness, p99          ${median(round => round.latenessMs.p99)} ms`);
  say(`memory, resident       ${whole(Math.max(...rounds.map(round => round.memoryMb)))} MB`);
}

function describe({ perSecond, cpuMicros, latenessMs }: Rate & Pick<Round, 'latenessMs'>): string {
  const { first, median, p99 } = latenessMs;
  return `${whole(perSecond)} firings/s, ${cpuMicros.toFixed(0)} µs each; first ${first} ms, median ${median} ms, p99 ${p99} ms late`;
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

function until(instant: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, Math.max(0, instant - Date.now())));
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
