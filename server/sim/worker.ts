import './globals.ts';
import type { Verdict } from './crew.ts';
import { cutTo, shrink } from './shrink.ts';
import { breakOf, failureOf } from './told.ts';

/** One process of the crew: plays the seeds that it is given, and tells of each. */

const { play } = await import('./world.ts');
const [from, to, shrinks] = process.argv.slice(2, 5).map(Number) as [number, number, number];
const faults = process.argv.slice(5);

for (let seed = from; seed <= to; seed += 1) {
  const verdict: Verdict = { seed, failure: await failureOfSeed(seed) };
  await new Promise(told => process.send!(verdict, told));
}
process.disconnect!();

async function failureOfSeed(seed: number): Promise<string | null> {
  try {
    const played = await play(seed, cutTo(seed, { faults }));
    if (played.violations.length === 0) return null;
    return failureOf(played, shrinks === 1 ? await shrink(play, seed, faults) : { faults });
  } catch (error) {
    return breakOf(seed, error as Error);
  }
}
