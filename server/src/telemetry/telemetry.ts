import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RequestEnded } from '../api/deps.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { EngineObserver } from '../engine/observer.ts';
import { VERSION } from '../version.ts';
import { createEvents } from './engine-metrics.ts';
import { createGauges, type GaugeSources } from './level-gauges.ts';
import { createClockGauge, createListeningGauge } from './node-gauges.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { createRunLog } from './run-log.ts';

/** Names under which a secret could ever reach a log line, at any of the depths that we log. */
const SECRET_NAMES = ['apiKey', 'ApiKey', 'apikey', 'authorization', 'Authorization'];
const MORE_SECRET_NAMES = ['signingSecret', 'oldSecret', 'secret', 'hash', 'cookie', 'password'];
/** The fields of errors that repeat their input: a row of PostgreSQL, the values of its statement, a text that is no URL. */
const INPUTS = ['detail', 'where', 'internalQuery', 'input'];

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

export interface Metrics {
  events: EngineObserver;
  text(): Promise<{ contentType: string; body: string }>;
  /** By how many ms the machine's clock is ahead of the one that the nodes share. */
  machineAhead(ms: number): void;
  /** Whether this node hears of what others write; `why` not, in one sentence. */
  listening(isListening: boolean, why?: string): void;
  /** A connection was closed because there were too many. */
  connectionRefused(): void;
  /** A route is there: its requests are counted from 0. */
  routed(method: string, route: string): void;
  /** A request to the API was answered, or its connection has ended. */
  requestEnded(request: RequestEnded): void;
  /** Somebody called with a ClientId and an ApiKey that do not fit. */
  authenticationFailed(address: string): void;
  /** Writes what the log has held back, and sets no timer for it. */
  endLog(): void;
  /** Gives the gauges something to read; before, they are absent. */
  observe(levels: GaugeSources): void;
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
export function createMetrics(log: Logger, tzdata: string, clock: Clock = systemClock): Metrics {
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
  const lines = createRunLog(log, clock);
  const authenticationFailures = new Counter({
    name: 'punctual_authentication_failures_total',
    help: 'Requests whose ClientId and ApiKey did not fit.',
    registers: [registry],
  });
  return {
    events: createEvents(registry, log, lines),
    endLog: lines.end,
    async text() {
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
    machineAhead: createClockGauge(registry, log),
    listening: createListeningGauge(registry, log),
    connectionRefused: () => connectionsRefused.inc(),
    ...createRequestMetrics(registry),
    authenticationFailed(address) {
      authenticationFailures.inc();
      lines.refused(address);
    },
    observe: levels => createGauges(registry, clock, levels),
  };
}
