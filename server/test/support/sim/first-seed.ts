import '../../../sim/globals.ts';

/**
 * A process that plays seeds from the first on, until one of these rules is broken, and says which seed it was. `broke` is said
 * of a world that does not come to its end.
 */

const { cutTo } = await import('../../../sim/shrink.ts');
const { play } = await import('../../../sim/world.ts');
const [most, rules, faults] = process.argv.slice(2) as [string, string, string];

process.send!(await firstSeed(), () => process.disconnect!());

/** @returns null where no seed breaks one of them */
async function firstSeed(): Promise<number | null> {
  const wanted = rules.split(',');
  const cut = { faults: faults === '' ? [] : faults.split(',') };
  for (let seed = 1; seed <= Number(most); seed += 1) {
    const broken = await play(seed, cutTo(seed, cut)).then(
      ({ violations }) => violations.map(({ rule }) => rule as string),
      () => ['broke'],
    );
    if (broken.some(rule => wanted.includes(rule))) return seed;
  }
  return null;
}
