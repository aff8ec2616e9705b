import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EngineObserver } from '../engine/observer.ts';
import { HostLabels } from './host-labels.ts';
import type { RunLog } from './run-log.ts';

/** Turns the events of the engine into metrics and log lines. */

const KINDS = ['schedule', 'manual', 'callback'];
/** The possible outcomes of a request that was sent. */
const OUTCOMES = ['response', 'timeout', 'connectionError', 'blocked'];

/** From a firing on the instant to one that is a minute late. */
const LATENESS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const SPAN_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];

export function createEvents(registry: Registry, log: Logger, lines: RunLog): EngineObserver {
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
  for (const kind of KINDS) for (const outcome of OUTCOMES) attempts.inc({ kind, outcome }, 0);
  for (const status of ['succeeded', 'failed', 'skipped', 'missed']) runs.inc({ status }, 0);
  for (const status of ['succeeded', 'failed']) callbacks.inc({ status }, 0);
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
    help: 'Hosts that stopped responding to this node, each for one client; few requests are sent to them.',
    registers,
  });
  const refused = new Counter({
    name: 'punctual_refused_total',
    help: 'Attempts that failed without a request because their host had stopped responding.',
    registers,
  });
  const noDescriptor = new Counter({
    name: 'punctual_no_descriptor_total',
    help: 'Attempts that failed without a request because too many files were open.',
    registers,
  });
  const clockSteps = new Counter({
    name: 'punctual_clock_steps_total',
    help: 'Times that the clock was set by more than a second, ahead or back.',
    labelNames: ['direction'],
    registers,
  });
  for (const direction of ['ahead', 'back']) clockSteps.inc({ direction }, 0);
  const openOf = new Gauge({
    name: 'punctual_breaker_open',
    help: 'For how many clients the breaker of this host is open; beyond 50 hosts, of the others together.',
    labelNames: ['host'],
    registers,
  });
  const hosts = new HostLabels(
    (host, open) => openOf.set({ host }, open),
    host => openOf.remove({ host }),
  );
  return {
    fired: latenessMs => lateness.observe(latenessMs / 1_000),
    attemptEnded(kind, outcome, durationMs, scheduleId) {
      if (kind === 'schedule' && outcome === 'response') answered.inc();
      else attempts.inc({ kind, outcome });
      attemptSpan.observe(durationMs / 1_000);
      lines.attemptEnded?.(kind, outcome, durationMs, scheduleId);
    },
    runEnded(scheduleId, run) {
      if (run.status === 'succeeded') {
        succeeded.inc();
        lines.succeeded?.(scheduleId, run);
      } else {
        runs.inc({ status: run.status });
        lines.failed(scheduleId, run);
      }
    },
    callbackEnded(status, runId) {
      callbacks.inc({ status });
      if (status === 'failed') lines.callbackFailed(runId);
      else lines.callbackSucceeded?.(runId);
    },
    passed(scheduleId, record) {
      const { status, missed } = record;
      runs.inc({ status }, missed?.count ?? 1);
      if (status === 'missed') lines.missed(scheduleId, record);
      else lines.skipped?.(scheduleId, record);
    },
    settled(count, durationMs) {
      settle.observe(durationMs / 1_000);
      lines.settled?.(count, durationMs);
    },
    storeFailed(error) {
      storeFailures.inc();
      log.error({ err: error }, 'the store failed; the engine tries again');
    },
    rowFailed(scheduleId, error) {
      log.error(
        { err: error, scheduleId },
        'the engine cannot decide about this schedule: what was not sent comes again in a minute, what was sent after the next start',
      );
    },
    noDescriptor() {
      noDescriptor.inc();
      lines.noDescriptor();
    },
    takenOver(count) {
      takenOver.inc(count);
      log.warn({ count }, 'took over what another node had in flight');
    },
    breaker(change, origin) {
      if (change === 'opened') {
        openBreakers.inc();
        hosts.opened(origin);
        log.warn(
          { origin },
          'host stopped responding: its circuit breaker is open, and few requests are sent to it',
        );
      } else {
        openBreakers.dec();
        hosts.closed(origin);
        if (change === 'closed')
          log.info({ origin }, 'host responds again: its circuit breaker is closed');
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
    calendarFailed(calendar, fault) {
      log.warn({ calendar, fault }, 'a calendar cannot be read: its last good version stays');
    },
  };
}

const COUNTED_ANEW = 'each schedule goes on with its next time that was not sent';
