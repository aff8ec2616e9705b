import '../../../sim/globals.ts';

/**
 * A process that plays a seed, and then all from the first on, until one of these rules is broken. It says which seed it was.
 * `broke` is said of a world that does not come to its end.
 */

const { cutTo } = await import('../../../sim/shrink.ts');
const { play } = await import('../../../sim/world.ts');
const [known, most, rules, faults] = process.argv.slice(2) as [string, string, string, string];

process.send!(await firstSeed(), () => process.disconnect!());

/** @returns null where no seed breaks one of them */
async function firstSeed(): Promise<number | null> {
  const wanted = rules.split(',');
  const cut = { faults: faults === '' ? [] : faults.split(',') };
  const others = Array.from({ length: Number(most) }, (_, index) => index + 1);
  for (const seed of [Number(known), ...others]) {
    const broken = await play(seed, cutTo(seed, cut)).then(
      ({ violations }) => violations.map(({ rule }) => rule as string),
      () => ['broke'],
    );
    if (broken.some(rule => wanted.includes(rule))) return seed;
  }
  return null;
}
