import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EngineEvents } from './engine/events.ts';
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

/** From a firing on the instant to one that is a minute late. */
const LATENESS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const SPAN_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];

/** What `collect` asks for at each scrape. */
export interface Levels {
  queueDepth(): Promise<number>;
  outboxDepth(): Promise<number>;
  inFlight(): number;
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
    observe: levels => createGauges(registry, levels),
  };
}

function createEvents(registry: Registry, log: Logger): EngineEvents {
  const registers = [registry];
  const lateness = new Histogram({
    name: 'punctual_lateness_seconds',
    help: 'From the nominal time of a firing to the start of its first attempt.',
    buckets: LATENESS_SECONDS,
    registers,
  });
  const attempts = new Counter({
    name: 'punctual_attempts_total',
    help: 'Requests sent, by what caused them and what the network did.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const attemptSpan = new Histogram({
    name: 'punctual_attempt_seconds',
    help: 'From connecting to the last byte of an attempt.',
    buckets: SPAN_SECONDS,
    registers,
  });
  const runs = new Counter({
    name: 'punctual_runs_total',
    help: 'Nominal times that came to their end, by status.',
    labelNames: ['status'],
    registers,
  });
  const callbacks = new Counter({
    name: 'punctual_callbacks_total',
    help: 'Callbacks that ended for good, by status.',
    labelNames: ['status'],
    registers,
  });
  const settle = new Histogram({
    name: 'punctual_settle_seconds',
    help: 'Time to write one batch of ended attempts.',
    buckets: SPAN_SECONDS,
    registers,
  });
  const storeFailures = new Counter({
    name: 'punctual_store_failures_total',
    help: 'Times that the store failed under the engine.',
    registers,
  });
  // Counted once a firing, so its place is looked up once and not by its labels every time.
  const succeeded = runs.labels('succeeded');
  const answered = attempts.labels('schedule', 'response');
  const takenOver = new Counter({
    name: 'punctual_taken_over_total',
    help: 'Requests taken over from nodes that died or froze.',
    registers,
  });
  const openBreakers = new Gauge({
    name: 'punctual_breakers_open',
    help: 'Hosts that stopped to answer, each for one client; few requests are sent to them.',
    registers,
  });
  const refused = new Counter({
    name: 'punctual_refused_total',
    help: 'Attempts that failed unsent, because their host had stopped to answer.',
    registers,
  });
  const clockSteps = new Counter({
    name: 'punctual_clock_steps_total',
    help: 'Times that the clock was set by more than a second, ahead or back.',
    labelNames: ['direction'],
    registers,
  });
  return {
    fired: latenessMs => lateness.observe(latenessMs / 1_000),
    attemptEnded(kind, outcome, durationMs) {
      if (kind === 'schedule' && outcome === 'response') answered.inc();
      else attempts.inc({ kind, outcome });
      attemptSpan.observe(durationMs / 1_000);
    },
    runEnded: status => (status === 'succeeded' ? succeeded.inc() : runs.inc({ status })),
    callbackEnded: status => callbacks.inc({ status }),
    passed: (status, count) => runs.inc({ status }, count),
    settled: (_count, durationMs) => settle.observe(durationMs / 1_000),
    storeFailed(error) {
      storeFailures.inc();
      log.error({ err: error }, 'the store failed; the engine tries again');
    },
    rowFailed(scheduleId, error) {
      log.error({ err: error, scheduleId }, 'this schedule is left alone until the next start');
    },
    takenOver(count) {
      takenOver.inc(count);
      log.warn({ count }, 'took over what another node had in flight');
    },
    breaker(change, origin) {
      if (change === 'opened') {
        openBreakers.inc();
        log.warn({ origin }, 'this host has stopped to answer; few requests are sent to it');
      } else {
        openBreakers.dec();
        log.info({ origin }, 'this host answers again');
      }
    },
    refused: () => refused.inc(),
    blind(from, until) {
      const gap = { from: new Date(from).toISOString(), until: new Date(until).toISOString() };
      log.warn(gap, 'nobody looked at the clock for a while; times in the gap are caught up with');
    },
    clockStepped(byMs) {
      const direction = byMs < 0 ? 'back' : 'ahead';
      clockSteps.inc({ direction });
      const what = direction === 'back' ? COUNTED_ANEW : 'times in between are caught up with';
      log.warn({ byMs: Math.round(byMs) }, `the clock was set ${direction}; ${what}`);
    },
    clockWasSetBack(backMs) {
      log.warn({ byMs: -backMs }, `the clock was set back before this start; ${COUNTED_ANEW}`);
    },
  };
}

const COUNTED_ANEW = 'each schedule goes on with its next time that was not sent';

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
}
