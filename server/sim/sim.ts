import './globals.ts';
import { parseArgs } from 'node:util';
import { firstFailureOf, summaryOf, traceOf } from './told.ts';

/** `npm run sim`: plays worlds from their seeds, and tells of those in which a promise was broken. */

const { play } = await import('./world.ts');

const USAGE = `Usage: npm run sim                      1,000 seeds from the number of the day
       npm run sim -- --seed 4711       one seed, with its trace
       npm run sim -- --seeds 1..5000   these seeds; with --bail, to the first that fails
`;
const DAY_MS = 86_400_000;
const { seed, seeds, bail } = optionsOf(process.argv.slice(2));

if (seed !== undefined) {
  const played = await play(seed);
  process.stdout.write(traceOf(played));
  process.exit(played.violations.length > 0 ? 1 : 0);
}
const [from, to] = seeds ?? ofTheDay();
let failed = 0;
const startedAt = performance.now();
for (let next = from; next <= to && !(bail && failed > 0); next += 1) {
  const played = await play(next).catch((error: Error) => {
    process.stdout.write(`seed ${next} broke: ${error.message}\n`);
    failed += 1;
    return null;
  });
  if (played === null || played.violations.length === 0) continue;
  failed += 1;
  process.stdout.write(firstFailureOf(played));
}
process.stdout.write(summaryOf(to - from + 1, failed, performance.now() - startedAt));
process.exit(failed > 0 ? 1 : 0);

interface Options {
  seed?: number;
  seeds?: [number, number];
  bail: boolean;
}

function optionsOf(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: { seed: { type: 'string' }, seeds: { type: 'string' }, bail: { type: 'boolean' } },
    });
    const [, first, last] = /^(\d+)\.\.(\d+)$/.exec(values.seeds ?? '0..0') ?? refuse();
    if (values.seed !== undefined && !/^\d+$/.test(values.seed)) refuse();
    return {
      bail: values.bail ?? false,
      ...(values.seed !== undefined && { seed: Number(values.seed) }),
      ...(values.seeds !== undefined && { seeds: [Number(first), Number(last)] }),
    };
  } catch {
    return refuse();
  }
}

function refuse(): never {
  process.stderr.write(USAGE);
  process.exit(2);
}

/** The same for everybody who plays on one day. */
function ofTheDay(): [number, number] {
  const first = Math.floor(Date.now() / DAY_MS) * 100_000;
  return [first, first + 999];
}
