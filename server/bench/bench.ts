import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answering, freePort, startTarget } from './target.ts';

/**
 * The quick benchmark: 20,000 schedules due at one instant, beside the bare client on the same
 * target in the same run. Every figure is durable: a firing counts when its end is settled.
 */
const SCHEDULES = Number(process.env.BENCH_SCHEDULES ?? 20_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONNECTIONS = 128;
const EVERY_SECONDS = 10;

const CREDENTIALS = { ClientId: 'bench', ApiKey: 'bench-key' };

interface Round {
  firingsPerSecond: number;
  latenessMs: { first: number; median: number; p99: number };
}

async function main(): Promise<void> {
  const target = await startTarget();
  const folder = mkdtempSync(join(tmpdir(), 'punctual-bench-'));
  const service = await startPunctual(join(folder, 'punctual.db'));
  try {
    say(`target: ${target.name}; ${SCHEDULES} schedules due at one instant, ${ROUNDS} rounds`);
    const bare = [bareRate(target.url)];
    await createSchedules(service.url, target.url);
    const rounds: Round[] = [];
    let memoryMb = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      const result = await measureRound(service.url, round);
      memoryMb = Math.max(memoryMb, result.memoryMb);
      rounds.push(result.round);
      say(`round ${round}: ${describe(result.round)}`);
    }
    await service.stop();
    bare.push(bareRate(target.url));
    report(bare, rounds, memoryMb);
  } finally {
    await service.stop();
    await target.stop();
    rmSync(folder, { recursive: true });
  }
}

async function startPunctual(path: string) {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../bin/punctual.js'), 'serve'],
    {
      env: {
        ...process.env,
        PORT: String(port),
        DATABASE_URL: `sqlite:${path}`,
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

function bareRate(url: string): number {
  const script = join(import.meta.dirname, 'bare.ts');
  const args = [script, url, String(SCHEDULES * 2), String(CONNECTIONS)];
  const rate = Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  say(`bare undici dispatch: ${whole(rate)} requests/s`);
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

async function measureRound(base: string, round: number) {
  const instant = nextInstant();
  const expected = SCHEDULES * round;
  await until(instant);
  let memoryMb = 0;
  for (;;) {
    const metrics = await (await fetch(`${base}/metrics`)).text();
    memoryMb = Math.max(memoryMb, metric(metrics, 'process_resident_memory_bytes') / 2 ** 20);
    if (metric(metrics, 'punctual_runs_total{status="succeeded"}') >= expected) break;
    await until(Date.now() + 20);
  }
  const firingsPerSecond = SCHEDULES / ((Date.now() - instant) / 1_000);
  const late = await latenesses(base, instant);
  if (late.length !== SCHEDULES) throw new Error(`history has ${late.length} of ${SCHEDULES} runs`);
  const latenessMs = { first: late[0]!, median: quantile(late, 0.5), p99: quantile(late, 0.99) };
  return { round: { firingsPerSecond, latenessMs } satisfies Round, memoryMb };
}

/** Sorted, from history: the start of the first attempt less the nominal time. */
async function latenesses(base: string, instant: number): Promise<number[]> {
  const range = `limit=100&from=${iso(instant)}&to=${iso(instant + 1)}`;
  const late: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await api(base, 'GET', `/v1/run?${range}${cursor ? `&cursor=${cursor}` : ''}`);
    for (const run of page.items) late.push(Date.parse(run.startedAt) - instant);
    cursor = page.nextCursor;
  } while (cursor);
  return late.sort((a, b) => a - b);
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

function report(bare: number[], rounds: Round[], memoryMb: number): void {
  const rates = rounds.map(round => round.firingsPerSecond).sort((a, b) => a - b);
  const rate = quantile(rates, 0.5);
  const bareMean = bare.reduce((sum, value) => sum + value, 0) / bare.length;
  const median = (pick: (round: Round) => number) =>
    quantile(
      rounds.map(pick).sort((a, b) => a - b),
      0.5,
    );
  say('');
  say(`bare client            ${whole(bareMean)} requests/s (before and after)`);
  say(`durable firings        ${whole(rate)} /s (median of ${rounds.length} rounds)`);
  say(`ratio                  ${(rate / bareMean).toFixed(2)}`);
  say(`lateness, first        ${median(round => round.latenessMs.first)} ms`);
  say(`lateness, median       ${median(round => round.latenessMs.median)} ms`);
  say(`lateness, p99          ${median(round => round.latenessMs.p99)} ms`);
  say(`memory, peak resident  ${whole(memoryMb)} MB`);
}

function describe({ firingsPerSecond, latenessMs }: Round): string {
  const { first, median, p99 } = latenessMs;
  return `${whole(firingsPerSecond)} firings/s; first ${first} ms, median ${median} ms, p99 ${p99} ms late`;
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
