import { newId } from '../../../src/domain/id.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type { EngineObserver } from '../../../src/engine/observer.ts';
import type { OutboundRequest, SendResult } from '../../../src/outbound/send.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import { ManualClock } from '../clock.ts';
import { aClient, aSchedule, MINUTE, NOON } from '../store/backend.ts';

/** An engine with a store in memory, on which so many firings are due at each full minute; all are answered at once. */
export async function startBursts(firings: number) {
  const clock = new ManualClock(NOON);
  const store = openSqlite(':memory:');
  const { clientRowId } = await aClient(store);
  const start = { first: NOON + MINUTE, second: NOON + 2 * MINUTE };
  const schedule = () => aSchedule({ id: newId(NOON), data: { hello: 'world' } });
  const due = Array.from({ length: firings }, () => ({ schedule: schedule(), start }));
  await store.schedules.insert(clientRowId, due);
  let count = 0;
  const send = async ({ permit }: OutboundRequest): Promise<SendResult> => {
    permit?.start();
    count += 1;
    const startedAt = clock.now();
    return { outcome: 'response', startedAt, durationMs: 1, phases: {}, responseStatus: 200 };
  };
  const engine = new Engine({
    store,
    send,
    clock,
    random: () => 0,
    observer: SILENT,
    maxInFlight: 2_000,
    maxInFlightPerHost: 500,
    retention: { runsDays: 1, failedRunsDays: 1 },
  });
  await engine.start();
  return { clock, store, engine, sent: () => count };
}

const SILENT = new Proxy({} as EngineObserver, { get: () => () => {} });
