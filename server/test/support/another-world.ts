import '../../sim/globals.ts';

/** A process that plays one seed, and says the hash of what it saw. */

const { play } = await import('../../sim/world.ts');
const { hash } = await play(Number(process.argv[2]));
process.send!(hash, () => process.disconnect!());
