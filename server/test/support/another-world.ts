import '../../sim/globals.ts';

/** A process that plays one seed, and says the hash of what it saw. More arguments are faults that are on. */

const { cutTo } = await import('../../sim/shrink.ts');
const { play } = await import('../../sim/world.ts');
const [seed, ...faults] = process.argv.slice(2);
const { hash } = await play(Number(seed), cutTo(Number(seed), { faults }));
process.send!(hash, () => process.disconnect!());
