import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ApiObserver } from './api/deps.ts';
import { createApiObserver } from './api-telemetry.ts';
import type { EngineEvents } from './engine/events.ts';
import { createEvents } from './engine-telemetry.ts';
import { VERSION } from './version.ts';

/** Names under which a secret could ever reach a log line, at any of the depths that we log. */
const SECRET_NAMES = ['apiKey', 'ApiKey', 'apikey', 'authorization', 'Authorization'];
const MORE_SECRET_NAMES = ['signingSecret', 'oldSecret', 'secret', 'hash', 'cookie', 'password'];
/** What errors repeat of their input: a row of PostgreSQL, a text that is no url. */
const INPUTS = ['detail', 'input'];

/** JSON logs, one line an event, in which no ApiKey, Authorization value, url of a target or secret appears. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const names = [...SECRET_NAMES, ...MORE_SECRET_NAMES, ...INPUTS];
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: names.flatMap(name => [name, `*.${name}`, `*.*.${name}`]),
  };
  return destination ? pino(options, destination) : pino(options);
}

/** What `collect` asks for at each scrape. */
export interface Levels {
  queueDepth(): Promise<number>;
  outboxDepth(): Promise<number>;
  inFlight(): number;
  /** How long the oldest firing that nobody has claimed is due, ms. */
  oldestDueMs(): Promise<number>;
  /** Whether this node fires. */
  hasEngine: boolean;
  /** Of the disk on which an embedded store stands, bytes; null where it is elsewhere. */
  disk(): Promise<{ free: number; size: number } | null>;
}

export interface Metrics {
  events: EngineEvents;
  text(): Promise<{ contentType: string; body: string }>;
  /** By how many ms the machine's clock is ahead of the one that the nodes share. */
  machineAhead(ms: number): void;
  /** Whether this node hears of what others write; `why` not, in one sentence. */
  listening(isListening: boolean, why?: string): void;
  /** A connection was closed because there were too many. */
  connectionRefused(): void;
  /** What the API tells of its requests. */
  api: ApiObserver;
  /** Gives the gauges something to read; before, they are absent. */
  observe(levels: Levels): void;
}

/**
 * Gauges of prom-client whose names say that they are counters. Each is the sum of the one without `_total`,
 * which stays (https://prometheus.io/docs/practices/naming/).
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** @param tzdata the release of the rules of time zones */
export function createMetrics(log: Logger, tzdata: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Gauge({
    name: 'punctual_build_info',
    help: 'Always 1; its labels are the releases of Punctual and of the rules of time zones.',
    labelNames: ['version', 'tzdata'],
    registers: [registry],
  }).set({ version: VERSION, tzdata }, 1);
  const connectionsRefused = new Counter({
    name: 'punctual_connections_refused_total',
    help: 'Connections closed at once, because PUNCTUAL_MAX_CONNECTIONS were open.',
    registers: [registry],
  });
  return {
    events: createEvents(registry, log),
    async text() {
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
    machineAhead: createClockGauge(registry, log),
    listening: createListeningGauge(registry, log),
    connectionRefused: () => connectionsRefused.inc(),
    api: createApiObserver(registry, log),
    observe: levels => createGauges(registry, levels),
  };
}

/** From here on a clock is wrong, and worth a line in the log. */
const WRONG_BY_MS = 1_000;

function createClockGauge(registry: Registry, log: Logger): (aheadMs: number) => void {
  const gauge = new Gauge({
    name: 'punctual_clock_ahead_seconds',
    help: "How far this machine's clock is ahead of the database's, by which the nodes fire.",
    registers: [registry],
  });
  let wasWrong = false;
  return aheadMs => {
    gauge.set(aheadMs / 1_000);
    const isWrong = Math.abs(aheadMs) > WRONG_BY_MS;
    if (isWrong && !wasWrong) {
      log.warn({ aheadMs }, "this machine's clock is wrong; firings go by the database's");
    }
    if (wasWrong && !isWrong) log.info({ aheadMs }, "this machine's clock is right again");
    wasWrong = isWrong;
  };
}

function createListeningGauge(registry: Registry, log: Logger): Metrics['listening'] {
  const gauge = new Gauge({
    name: 'punctual_listening',
    help: 'Where nodes share a database: 1 if this one hears at once of what others write, 0 if it looks twice a second.',
    registers: [registry],
  });
  let was: boolean | null = null;
  return (isListening, why) => {
    gauge.set(isListening ? 1 : 0);
    if (isListening && was === false) log.info('this node hears again of what others write');
    if (!isListening && was !== false) {
      log.warn({ why }, 'this node does not hear of what others write, and looks twice a second');
    }
    was = isListening;
  };
}

function createGauges(registry: Registry, levels: Levels): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });
  gauge('punctual_queue_depth', 'Schedules due and not yet claimed.', levels.queueDepth);
  gauge('punctual_outbox_depth', 'Callbacks and manual runs waiting.', levels.outboxDepth);
  gauge('punctual_in_flight', 'Requests claimed and not yet settled.', levels.inFlight);
  gauge(
    'punctual_oldest_due_seconds',
    'How long the oldest firing is due that nobody has claimed; 0 where none is.',
    async () => (await levels.oldestDueMs()) / 1_000,
  );
  if (levels.hasEngine) {
    gauge('punctual_engine_up', 'Always 1, on nodes that fire; other nodes have none.', () => 1);
  }
  createDiskGauges(registry, levels);
}

function createDiskGauges(registry: Registry, { disk }: Levels): void {
  const gauge = (name: string, help: string, part: 'free' | 'size') =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const found = await disk();
        if (found !== null) this.set(found[part]);
      },
    });
  gauge(
    'punctual_disk_free_bytes',
    'What is free for the user of the service on the disk of an embedded store.',
    'free',
  );
  gauge(
    'punctual_disk_size_bytes',
    'The size of the disk on which an embedded store stands.',
    'size',
  );
}
