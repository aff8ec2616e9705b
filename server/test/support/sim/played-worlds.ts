import '../../../sim/globals.ts';

/** A process that plays the worlds that it is sent, one after the other, and tells what became of each. */

const { cutTo } = await import('../../../sim/shrink.ts');
const { play } = await import('../../../sim/world.ts');

process.on('message', async ([seed, faults, without]: [number, string[], string[]]) => {
  const { hash, violations, figures, evidence } = await play(
    seed,
    cutTo(seed, { faults, without }),
  );
  process.send!({ hash, violations, figures, sent: evidence.wire?.sends.length ?? 0 });
});
