import { periodsOf } from '../../../src/domain/calendar/exclusion/calendar-source.ts';
import { newId } from '../../../src/domain/id.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type { EngineObserver } from '../../../src/engine/observer.ts';
import type { OutboundRequest, SendResult } from '../../../src/outbound/send.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import { ManualClock } from '../clock.ts';
import { aClient, aSchedule, MINUTE, NOON } from '../store/backend.ts';

export interface BurstOptions {
  /** Fields of each schedule. */
  fields: Partial<Schedule>;
  /** Writes what the schedules refer to. */
  prepare(store: Store, owner: { clientRowId: number; clientId: string }): Promise<unknown>;
  /** Told of each request. @returns the fields of its result that are not as usual */
  sent(request: OutboundRequest): Partial<SendResult>;
}

/** An engine with a store in memory, on which so many firings are due at each full minute; all are answered at once. */
export async function startBursts(firings: number, options: Partial<BurstOptions> = {}) {
  const clock = new ManualClock(NOON);
  const store = openSqlite(':memory:');
  const { clientRowId, clientId } = await aClient(store);
  await options.prepare?.(store, { clientRowId, clientId });
  const start = { first: NOON + MINUTE, second: NOON + 2 * MINUTE };
  const schedule = () =>
    aSchedule({ id: newId(NOON), data: { hello: 'world' }, ...options.fields });
  const due = Array.from({ length: firings }, () => ({ schedule: schedule(), start }));
  await store.schedules.insert(clientRowId, due);
  let count = 0;
  const send = async (request: OutboundRequest): Promise<SendResult> => {
    request.permit?.start();
    count += 1;
    const startedAt = clock.now();
    const result: SendResult = {
      outcome: 'response',
      startedAt,
      durationMs: 1,
      phases: {},
      responseStatus: 200,
    };
    return options.sent === undefined ? result : { ...result, ...options.sent(request) };
  };
  const engine = new Engine({
    expand: periodsOf,
    fetchText: () => Promise.reject(new Error('nothing is fetched here')),
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
