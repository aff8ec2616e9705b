import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { StatusCounts } from '../store/contract/stats.ts';
import type { PoolUse, Store, StoreSize } from '../store/contract/store.ts';

/**
 * The levels read at each scrape. A scrape leaves out a level that cannot be read and keeps the
 * others.
 */
export interface GaugeSources {
  queueDepth(): Promise<number>;
  outboxDepth(): Promise<number>;
  /** Runs whose target answered 202. */
  awaiting(): Promise<number>;
  /** How long the earliest schedule that is due has waited, ms; 0 where none is due. */
  oldestDueMs(): Promise<number>;
  /** Of all clients. It may take a while: it is asked once a minute at most. */
  schedules(): Promise<StatusCounts>;
  /** Calendars whose source cannot be read. */
  staleCalendars(): Promise<number>;
  size(): Promise<StoreSize>;
  /** Null where the store has no pool. */
  pool(): PoolUse | null;
  inFlight(): number;
  /** Jobs of this node that wait for a limit of their destination. */
  destinationWaiting(): number;
  /** Whether the engine runs; null where this node has none. */
  engine(): boolean | null;
}

const COUNT_EVERY_MS = 60_000;
const SIZE_EVERY_MS = 10_000;
/** A scrape does not wait longer for a store that is silent: most scrapes end after 10 s. */
const PATIENCE_MS = 2_000;

export function createGauges(registry: Registry, clock: Clock, levels: GaugeSources): void {
  const gauges = new Gauges(registry, clock);
  gauges.one(
    'punctual_queue_depth',
    'Schedules due and not yet claimed, in the whole database: the same on all nodes.',
    levels.queueDepth,
  );
  gauges.one(
    'punctual_outbox_depth',
    'Callbacks and manual runs that wait, in the whole database: the same on all nodes.',
    levels.outboxDepth,
  );
  gauges.one(
    'punctual_awaiting',
    'Runs that wait for the completion of their target, in the whole database: the same on all nodes.',
    levels.awaiting,
  );
  gauges.one(
    'punctual_oldest_due_seconds',
    'How long the earliest schedule that is due has waited to be claimed; 0 where none is due.',
    async () => (await levels.oldestDueMs()) / 1_000,
  );
  gauges.one('punctual_in_flight', 'Requests claimed and not yet settled.', async () =>
    levels.inFlight(),
  );
  if (levels.engine() !== null) {
    gauges.one(
      'punctual_destination_waiting',
      'Firings and manual runs on this node that wait for a limit of their destination.',
      async () => levels.destinationWaiting(),
    );
    gauges.one(
      'punctual_engine_running',
      '1 while the engine of this node runs. A node that only serves the API has no such gauge.',
      async () => (levels.engine() ? 1 : 0),
    );
  }
  const schedules = remembered(clock, COUNT_EVERY_MS, levels.schedules);
  gauges.many(
    'punctual_schedules',
    'Schedules of all clients by status, counted once a minute.',
    'status',
    async () => ({ ...(await schedules()) }),
  );
  gauges.one(
    'punctual_calendars_stale',
    'Calendars of all clients whose source cannot be read: their last good version counts.',
    levels.staleCalendars,
  );
  createSizes(gauges, clock, levels);
  createPool(gauges, levels);
}

function createSizes(gauges: Gauges, clock: Clock, levels: GaugeSources): void {
  const size = remembered(clock, SIZE_EVERY_MS, levels.size);
  gauges.one(
    'punctual_database_bytes',
    'The size of the database.',
    async () => (await size()).bytes,
  );
  gauges.some(
    'punctual_database_free_bytes',
    'Of the file of an embedded database: what is empty, and used again before it grows.',
    async () => (await size()).freeBytes,
  );
  gauges.some(
    'punctual_disk_bytes',
    'The size of the file system that holds an embedded database.',
    async () => (await size()).disk?.bytes ?? null,
  );
  gauges.some(
    'punctual_disk_free_bytes',
    'Free bytes on the file system that holds an embedded database.',
    async () => (await size()).disk?.freeBytes ?? null,
  );
}

function createPool(gauges: Gauges, { pool }: GaugeSources): void {
  if (pool() === null) return;
  gauges.many(
    'punctual_database_connections',
    'Connections of this node to PostgreSQL, by what they do.',
    'state',
    async () => {
      const { busy, idle } = pool()!;
      return { busy, idle };
    },
  );
  gauges.one(
    'punctual_database_connections_max',
    'Connections of this node to PostgreSQL, at most.',
    async () => pool()!.most,
  );
  gauges.one(
    'punctual_database_calls_waiting',
    'Calls that wait for a free connection to PostgreSQL.',
    async () => pool()!.waiting,
  );
}

type Read<Value> = () => Promise<Value>;

class Gauges {
  readonly #registry: Registry;
  readonly #clock: Clock;

  constructor(registry: Registry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  one(name: string, help: string, read: Read<number>): void {
    this.some(name, help, read);
  }

  /** Absent where it is null. */
  some(name: string, help: string, read: Read<number | null>): void {
    this.#gauge(name, help, [], read, (gauge, value) => {
      if (value !== null) gauge.set(value);
    });
  }

  many(name: string, help: string, label: string, read: Read<Record<string, number>>): void {
    this.#gauge(name, help, [label], read, (gauge, values) => {
      for (const [key, value] of Object.entries(values)) gauge.set({ [label]: key }, value);
    });
  }

  #gauge<Value>(
    name: string,
    help: string,
    labelNames: string[],
    read: Read<Value>,
    set: (gauge: Gauge, value: Value) => void,
  ): void {
    const clock = this.#clock;
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      async collect() {
        const value = await within(clock, PATIENCE_MS, read());
        // The value of the scrape before says nothing of now, and prom-client begins a gauge at 0.
        this.reset();
        if (labelNames.length === 0) this.remove();
        if (value !== undefined) set(this, value);
      },
    });
  }
}

/** @returns undefined where it fails or takes too long: a store that is away must not hide all else */
async function within<Value>(
  clock: Clock,
  ms: number,
  reading: Promise<Value>,
): Promise<Value | undefined> {
  let timer: { cancel(): void } | undefined;
  const patience = new Promise<undefined>(resolve => {
    timer = clock.after(ms, () => resolve(undefined));
  });
  const value = await Promise.race([reading.catch(() => undefined), patience]);
  timer?.cancel();
  return value;
}

/** The last answer, asked anew when it is older than `everyMs`; one question at a time. */
function remembered<Value>(clock: Clock, everyMs: number, read: Read<Value>): Read<Value> {
  let last: { value: Value; at: number } | null = null;
  let asking: Promise<Value> | null = null;
  return async () => {
    if (last !== null && clock.monotonicMs() - last.at < everyMs) return last.value;
    asking ??= read()
      .then(value => {
        last = { value, at: clock.monotonicMs() };
        return value;
      })
      .finally(() => {
        asking = null;
      });
    return asking;
  };
}

/** The values that the gauges of a node read. */
export function gaugeSourcesOf(
  store: Store,
  engine: { inFlight: number; waitingForDestinations: number; isRunning: boolean } | null,
  clock: Clock,
): GaugeSources {
  return {
    queueDepth: () => store.queue.depth(clock.now()),
    outboxDepth: () => store.outbox.depth(),
    awaiting: () => store.completions.awaiting(),
    async oldestDueMs() {
      const dueAt = await store.queue.nextDueAt();
      return dueAt === null ? 0 : Math.max(0, clock.now() - dueAt);
    },
    schedules: () => store.stats.allCounts(),
    staleCalendars: () => store.calendars.stale(),
    size: () => store.size(),
    pool: () => store.pool(),
    inFlight: () => engine?.inFlight ?? 0,
    destinationWaiting: () => engine?.waitingForDestinations ?? 0,
    engine: () => engine?.isRunning ?? null,
  };
}
