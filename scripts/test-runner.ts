import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventsIn, type FileOutcome, outcomesIn, type ProcessEnd } from './test-outcomes.ts';

/**
 * Runs test files so that neither chance nor a file that hangs decides. Each has a process of its own, or shares one with
 * the files of its batch. A process that outlasts its bound is killed with all that it started. A file that failed runs
 * once more, alone, after all others.
 */

export interface TestRun {
  /** The files that share a process, relative to `cwd`. They begin in this order. */
  batches: string[][];
  cwd: string;
  /** Processes that run side by side. */
  concurrency: number;
  /** The bound of a test, or of a suite with all its tests. */
  testTimeoutMs: number;
  /** The bound of a process. */
  processTimeoutMs: number;
  env: NodeJS.ProcessEnv;
  write(text: string): void;
}

/** One chance failure or two are named. More are no chance: they fail the run. */
const MOST_FAILED_ONCE = 2;
const MOST_SLOWEST = 10;
/** A process that was started apart may keep a pipe open. */
const PIPES_MS = 1_000;

/** @returns whether the run passed */
export async function runTests(run: TestRun): Promise<boolean> {
  const startedAt = performance.now();
  const onSignal = () => interrupt(run);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const first = await outcomesOf(run, run.batches, run.concurrency);
  const failed = first.filter(({ failure }) => failure !== null).map(({ file }) => [file]);
  if (failed.length > 0) run.write(`\nOnce more, alone, what failed:\n\n`);
  const again = await outcomesOf(run, failed, 1);
  const { passed, lines } = verdictOf(first, again);
  const all = first.map(outcome => again.find(({ file }) => file === outcome.file) ?? outcome);
  run.write(summaryOf(all, performance.now() - startedAt));
  run.write(lines.map(line => `${line}\n`).join(''));
  for (const signal of SIGNALS) process.off(signal, onSignal);
  return passed;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Files whose processes go on. */
const running = new Set<string>();

/** A signal of the terminal does not reach the files: they are in groups of their own. */
function interrupt({ write }: TestRun): never {
  write(`\nInterrupted while running:\n${[...running].map(file => `  ${file}\n`).join('')}`);
  process.exit(1);
}

/**
 * Judges a run.
 *
 * @param again the outcomes of those that failed, when they ran once more
 * @returns the last lines of the run: `failed` and `failed once` with file, test and message
 */
export function verdictOf(
  first: FileOutcome[],
  again: FileOutcome[],
): { passed: boolean; lines: string[] } {
  const line = (word: string, { file, failure }: FileOutcome) =>
    `${word}: ${file}: ${failure!.test}: ${firstLineOf(failure!.message)}`;
  const failed = again.filter(({ failure }) => failure !== null);
  const once = again
    .filter(({ failure }) => failure === null)
    .map(({ file }) => first.find(outcome => outcome.file === file)!);
  const areTooMany = once.length > MOST_FAILED_ONCE;
  return {
    passed: failed.length === 0 && !areTooMany,
    lines: [
      ...failed.map(outcome => line('failed', outcome)),
      ...once.map(outcome => line('failed once', outcome)),
      ...(areTooMany ? [`${once.length} files failed once: that is no chance.`] : []),
    ],
  };
}

async function outcomesOf(
  run: TestRun,
  batches: string[][],
  concurrency: number,
): Promise<FileOutcome[]> {
  const waiting = [...batches];
  const outcomes: FileOutcome[] = [];
  const takeTurns = async () => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      for (const file of batch) running.add(file);
      const ended = await outcomesOfBatch(run, batch);
      for (const file of batch) running.delete(file);
      outcomes.push(...ended);
      for (const outcome of ended) run.write(told(outcome));
      const begun = new Set(ended.map(({ file }) => file));
      waiting.push(...batch.filter(file => !begun.has(file)).map(file => [file]));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, takeTurns));
  return outcomes;
}

function told({ file, durationMs, tests, failure, output }: FileOutcome): string {
  const mark = failure === null ? '✔' : '✖';
  const line = `${mark} ${seconds(durationMs)} s ${String(tests).padStart(4)} tests  ${file}\n`;
  return failure === null ? line : `${output}${line}  ${failure.test}: ${failure.message}\n`;
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1).padStart(6);
const firstLineOf = (text: string) => text.split('\n', 1)[0]!;

/** @returns of those that began: of one at least */
async function outcomesOfBatch(run: TestRun, batch: string[]): Promise<FileOutcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-test-'));
  try {
    const eventsFile = join(folder, 'events');
    const startedAt = performance.now();
    const process = await processOf(run, batch, eventsFile);
    const durationMs = performance.now() - startedAt;
    const events = eventsIn(readFileSync(eventsFile, 'utf8'));
    return outcomesIn(batch, events, { ...process, durationMs });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function processOf(
  { cwd, env, testTimeoutMs, processTimeoutMs }: TestRun,
  batch: string[],
  eventsFile: string,
): Promise<{ output: string; end: ProcessEnd }> {
  const reporters = ['spec', join(import.meta.dirname, 'test-events.ts')].flatMap(reporter => [
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
  ]);
  const events = openSync(eventsFile, 'w');
  const child = spawn(
    process.execPath,
    [
      `--test-timeout=${testTimeoutMs}`,
      ...reporters,
      ...mainOf(batch.map(file => join(cwd, file))),
    ],
    // A group of its own, so that all that it started can be killed with it.
    { cwd, env, stdio: ['ignore', 'pipe', 'pipe', events], detached: true },
  );
  closeSync(events);
  const chunks: Buffer[] = [];
  const streams = [child.stdout!, child.stderr!];
  for (const stream of streams) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const killGroup = () => killNow(-child.pid!);
  const closed = once(child, 'close');
  let isOver = false;
  const bound = setTimeout(() => {
    isOver = true;
    killGroup();
  }, processTimeoutMs);
  process.once('exit', killGroup);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearTimeout(bound);
  process.off('exit', killGroup);
  killGroup();
  await Promise.race([closed, sleep(PIPES_MS)]);
  for (const stream of streams) stream.destroy();
  const end = isOver
    ? { boundMs: processTimeoutMs }
    : code === null
      ? { signal: signal! }
      : { code };
  return { output: Buffer.concat(chunks).toString(), end };
}

function mainOf(paths: string[]): string[] {
  return paths.length === 1 ? paths : [join(import.meta.dirname, 'test-batch.ts'), ...paths];
}

function killNow(group: number): void {
  try {
    process.kill(group, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

function summaryOf(outcomes: FileOutcome[], durationMs: number): string {
  const sum = (of: (outcome: FileOutcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const skipped = outcomes.flatMap(outcome => outcome.skipped);
  const slowest = outcomes.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, MOST_SLOWEST);
  return [
    '',
    `ℹ files ${outcomes.length}`,
    `ℹ tests ${sum(({ tests }) => tests)}`,
    `ℹ pass ${sum(({ passed }) => passed)}`,
    `ℹ fail ${outcomes.filter(({ failure }) => failure !== null).length}`,
    `ℹ skipped ${skipped.length}`,
    `ℹ duration_ms ${Math.round(durationMs)}`,
    ...[...new Set(skipped)].map(reason => `  skipped: ${reason}`),
    '',
    `The ${slowest.length} slowest files:`,
    ...slowest.map(({ file, durationMs }) => `${seconds(durationMs)} s  ${file}`),
    '',
    '',
  ].join('\n');
}
