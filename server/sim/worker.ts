import './globals.ts';
import type { Verdict } from './crew.ts';
import { cutTo, shrink } from './shrink.ts';
import { breakOf, failureOf } from './told.ts';

/** One process of the crew: plays each seed that it is given, and tells of it. */

const { play } = await import('./world.ts');
const [shrinks, ...faults] = process.argv.slice(2);

process.on('message', async seed => {
  const verdict: Verdict = { seed: seed as number, failure: await failureOfSeed(seed as number) };
  process.send!(verdict);
});

async function failureOfSeed(seed: number): Promise<string | null> {
  try {
    const played = await play(seed, cutTo(seed, { faults }));
    if (played.violations.length === 0) return null;
    return failureOf(played, shrinks === '1' ? await shrink(play, seed, faults) : { faults });
  } catch (error) {
    return breakOf(seed, error as Error);
  }
}
