import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MINUTE } from '../store/backend.ts';
import { startBursts } from './bursts.ts';

/**
 * What firings leave behind that only a collection of the whole heap takes away: a process of its own, for
 * the test runner itself keeps something for each promise. Prints JSON for garbage.test.ts.
 *
 * Young objects are collected when it hurts most: while all firings of a minute are held.
 */
const FIRINGS = 1_000;
const WARM_UP_MINUTES = 5;
const MEASURED_MINUTES = 10;

setFlagsFromString('--expose-gc');
// As the service does.
setFlagsFromString('--no-allocation-site-pretenuring');
// A collection of the whole heap that V8 begins by itself holds for alive whatever becomes old while it goes on.
setFlagsFromString('--no-incremental-marking');
// A collection is the same each time only where threads do not share it out.
setFlagsFromString('--single-threaded-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const { clock, store, engine, sent } = await startBursts(FIRINGS);
await pass(WARM_UP_MINUTES);
collect();
const [sentBefore, bytesBefore] = [sent(), oldBytes()];
await pass(MEASURED_MINUTES);
const bytes = oldBytes() - bytesBefore;
process.stdout.write(JSON.stringify({ firings: sent() - sentBefore, bytes }));
await Promise.all([engine.stop(0), clock.advance(0)]);
await store.close();

async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await clock.advance(MINUTE - 500);
    collect({ type: 'minor' });
    await clock.advance(500);
    collect({ type: 'minor' });
  }
}

function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => /^(old|large_object)_space$/.test(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}
