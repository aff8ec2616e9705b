import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { BoundedLog } from './bounded-log.ts';
import type { Outcome, RunRecord } from './domain/run.ts';
import type { EngineEvents } from './engine/events.ts';

/** From a firing on the instant to one that is a minute late. */
const LATENESS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const SPAN_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];

/** What the engine tells of itself, as metrics and as lines of the log. */
export function createEvents(registry: Registry, log: Logger): EngineEvents {
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
  const openByOrigin = new OpenByOrigin(registers);
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
  startAtZero({ runs, attempts, callbacks, clockSteps });
  const ends = new BoundedLog(log, MOST_ENDS, 'more runs failed or were missed this minute');
  return {
    fired: latenessMs => lateness.observe(latenessMs / 1_000),
    attemptEnded(kind, outcome, durationMs) {
      if (kind === 'schedule' && outcome === 'response') answered.inc();
      else attempts.inc({ kind, outcome });
      attemptSpan.observe(durationMs / 1_000);
    },
    runEnded(status, record) {
      if (status === 'succeeded') return succeeded.inc();
      runs.inc({ status });
      ends.tell('info', () => factsOf(record), 'a run failed');
    },
    callbackEnded: status => callbacks.inc({ status }),
    passed(status, count, record) {
      runs.inc({ status }, count);
      if (status === 'missed')
        ends.tell('warn', () => ({ ...factsOf(record), count }), 'times were missed');
    },
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
        openByOrigin.add(origin, 1);
        log.warn({ origin }, 'this host has stopped to answer; few requests are sent to it');
      } else {
        openBreakers.dec();
        openByOrigin.add(origin, -1);
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

/** Lines a minute of runs that failed or were missed. */
const MOST_ENDS = 100;

/** What a line of the log says of a run: neither its url nor what came back. */
function factsOf({ id, scheduledFor, trigger, attempts, reason }: RunRecord): object {
  const last = attempts.at(-1);
  return {
    runId: id,
    scheduledFor: new Date(scheduledFor).toISOString(),
    trigger,
    attempts: attempts.length,
    ...(last && { outcome: last.outcome, responseStatus: last.responseStatus }),
    ...(reason !== undefined && { reason }),
  };
}

/** A counter that begins with its first event has no increase then: an alert on it would not fire. */
function startAtZero(counters: Record<'runs' | 'attempts' | 'callbacks' | 'clockSteps', Counter>) {
  const { runs, attempts, callbacks, clockSteps } = counters;
  for (const status of ['succeeded', 'failed', 'skipped', 'missed']) runs.inc({ status }, 0);
  for (const status of ['succeeded', 'failed']) callbacks.inc({ status }, 0);
  for (const direction of ['ahead', 'back']) clockSteps.inc({ direction }, 0);
  for (const kind of ['schedule', 'manual', 'callback']) {
    for (const outcome of OUTCOMES) attempts.inc({ kind, outcome }, 0);
  }
}

const OUTCOMES: Outcome[] = ['response', 'timeout', 'connectionError', 'blocked', 'lost'];

/** Which hosts do not answer. Bounded: beyond the most, hosts are counted as `others`. */
class OpenByOrigin {
  readonly #gauge: Gauge;
  readonly #counts = new Map<string, number>();

  constructor(registers: Registry[]) {
    this.#gauge = new Gauge({
      name: 'punctual_breaker_open',
      help: 'Of the hosts that stopped to answer: for how many clients, by host; the first 100, and others.',
      labelNames: ['origin'],
      registers,
    });
  }

  add(origin: string, by: number): void {
    const isKnown = this.#counts.has(origin) || (by > 0 && this.#counts.size < MOST_ORIGINS);
    const name = isKnown ? origin : 'others';
    const count = Math.max(0, (this.#counts.get(name) ?? 0) + by);
    if (count > 0) {
      this.#counts.set(name, count);
      this.#gauge.set({ origin: name }, count);
    } else {
      this.#counts.delete(name);
      this.#gauge.remove({ origin: name });
    }
  }
}

const MOST_ORIGINS = 100;

const COUNTED_ANEW = 'each schedule goes on with its next time that was not sent';
