import './globals.ts';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { playAll } from './crew.ts';
import { oddsWith } from './profile.ts';
import { type Cut, cutTo, shrink } from './shrink.ts';
import { failureOf, progressOf, summaryOf, traceOf } from './told.ts';

/** `npm run sim`: plays worlds from their seeds, and tells of those in which a promise was broken. */

const { play, playUntil } = await import('./world.ts');

const USAGE = `Usage: npm run sim                      1,000 seeds from the number of the day
       npm run sim -- --seeds 1..5000   these seeds; --workers 2 in two processes, --bail to the first that fails
       npm run sim -- --seed 4711       one seed, with its trace; --only 4,9 with these of its actions,
                                        --schedules 3,1,0,0 with three of its intervals, one of its plans,
                                        and none whose targets are unwell or answer 202
       --shrink                         the smallest world that still fails
       --until 37.2s --keep a.db        one seed up to this instant, and its store as it stands then
       --with step,kill                 these faults are on in each seed
`;
const DAY_MS = 86_400_000;

const { seed, seeds, bail, shrinks, workers, cut, until, keep } = optionsOf(process.argv.slice(2));
if (seed !== undefined && until !== undefined) await stopOne(seed, until, keep);
if (seed === undefined) await playMany(...(seeds ?? ofTheDay()));
else await playOne(seed);

async function playOne(seed: number): Promise<never> {
  const played = await play(seed, cutTo(seed, cut));
  const hasFailed = played.violations.length > 0;
  if (shrinks && hasFailed)
    process.stdout.write(failureOf(played, await shrink(play, seed, cut.faults)));
  else process.stdout.write(traceOf(played));
  process.exit(hasFailed ? 1 : 0);
}

async function stopOne(seed: number, untilMs: number, keep?: string): Promise<never> {
  const { trace, picture } = await playUntil(seed, untilMs, cutTo(seed, cut));
  process.stdout.write(`${trace.join('\n')}\n`);
  if (keep !== undefined) writeFileSync(keep, picture, { mode: 0o600 });
  process.exit(0);
}

async function playMany(from: number, to: number): Promise<never> {
  const startedAt = performance.now();
  const { isTTY } = process.stderr;
  let [played, failed] = [0, 0];
  const clear = isTTY ? '\r\x1b[K' : '';
  await playAll(from, to, {
    workers,
    bail,
    shrinks,
    faults: cut.faults ?? [],
    tell: ({ failure }) => {
      played += 1;
      if (failure !== null) {
        failed += 1;
        if (isTTY) process.stderr.write(clear);
        process.stdout.write(failure);
      }
      const tookMs = performance.now() - startedAt;
      const all = to - from + 1;
      if (isTTY) process.stderr.write(`${clear}${progressOf({ played, failed, tookMs }, all)}`);
    },
  });
  if (isTTY) process.stderr.write(clear);
  process.stdout.write(summaryOf({ played, failed, tookMs: performance.now() - startedAt }));
  process.exit(failed > 0 ? 1 : 0);
}

interface Options {
  seed?: number;
  seeds?: [number, number];
  bail: boolean;
  shrinks: boolean;
  workers: number;
  cut: Cut;
  /** Ms since the start of the world. */
  until?: number;
  /** The file that is to have the store. */
  keep?: string;
}

function optionsOf(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seed: { type: 'string' },
        seeds: { type: 'string' },
        only: { type: 'string' },
        schedules: { type: 'string' },
        workers: { type: 'string' },
        bail: { type: 'boolean' },
        shrink: { type: 'boolean' },
        with: { type: 'string' },
        until: { type: 'string' },
        keep: { type: 'string' },
      },
    });
    const [, first, last] = read(/^(\d+)\.\.(\d+)$/, values.seeds ?? '0..0');
    const [seed] = read(/^\d+$/, values.seed ?? '0');
    const [workers] = read(/^[1-9]\d*$/, values.workers ?? `${availableParallelism()}`);
    const [only] = read(/^(\d+(,\d+)*)?$/, values.only ?? '');
    const counts = read(/^(\d+),(\d+),(\d+),(\d+)$/, values.schedules ?? '999,999,999,999');
    const [mixed, planned, unhealthy, awaiting] = counts.slice(1).map(Number);
    const [, until] = read(/^(\d+(?:\.\d+)?)s$/, values.until ?? '0s');
    if (values.keep !== undefined && values.until === undefined) throw new Error(values.keep);
    if (values.until !== undefined && values.seed === undefined) throw new Error(values.until);
    const faults = values.with?.split(',') ?? [];
    oddsWith(faults);
    return {
      bail: values.bail ?? false,
      shrinks: values.shrink ?? false,
      workers: Number(workers),
      cut: {
        only: values.only === undefined ? undefined : only!.split(',').map(Number),
        mixed,
        planned,
        unhealthy,
        awaiting,
        faults,
      },
      ...(values.until !== undefined && { until: Number(until) * 1_000 }),
      ...(values.keep !== undefined && { keep: values.keep }),
      ...(values.seed !== undefined && { seed: Number(seed) }),
      ...(values.seeds !== undefined && { seeds: [Number(first), Number(last)] }),
    };
  } catch {
    process.stderr.write(USAGE);
    process.exit(2);
  }
}

function read(pattern: RegExp, text: string): string[] {
  const match = pattern.exec(text);
  if (match === null) throw new Error(text);
  return match;
}

/** The same for everybody who plays on one day. */
function ofTheDay(): [number, number] {
  const first = Math.floor(Date.now() / DAY_MS) * 100_000;
  return [first, first + 999];
}
