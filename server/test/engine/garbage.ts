import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { newId } from '../../src/domain/id.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { EngineEvents } from '../../src/engine/events.ts';
import type { OutboundRequest, SendResult } from '../../src/outbound/send.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { ManualClock } from '../clock.ts';
import { aClient, aSchedule, MINUTE, NOON } from '../store/keeper.ts';

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
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const clock = new ManualClock(NOON);
const store = openSqlite(':memory:');
const { clientKey } = await aClient(store);
const start = { first: NOON + MINUTE, second: NOON + 2 * MINUTE };
const due = Array.from({ length: FIRINGS }, () => ({
  schedule: aSchedule({ id: newId(NOON) }),
  start,
}));
await store.schedules.insert(clientKey, due);
let sent = 0;
const send = async ({ ticket }: OutboundRequest): Promise<SendResult> => {
  ticket?.start();
  sent += 1;
  const startedAt = clock.now();
  return { outcome: 'response', startedAt, durationMs: 1, phases: {}, responseStatus: 200 };
};
const engine = new Engine({
  store,
  send,
  clock,
  random: () => 0,
  events: new Proxy({} as EngineEvents, { get: () => () => {} }),
  maxInFlight: 2_000,
  maxInFlightPerHost: 500,
  keep: { runsDays: 2, failedRunsDays: 2 },
});
await engine.start();
await pass(WARM_UP_MINUTES);
collect();
const [sentBefore, bytesBefore] = [sent, oldBytes()];
await pass(MEASURED_MINUTES);
const bytes = oldBytes() - bytesBefore;
process.stdout.write(JSON.stringify({ firings: sent - sentBefore, bytes }));
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
