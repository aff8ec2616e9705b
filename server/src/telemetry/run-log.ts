import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { iso } from '../domain/iso.ts';
import type { RunRecord } from '../domain/run/run.ts';
import { BoundedLog } from './bounded-log.ts';

/** Lines a minute of callers whose key does not fit: whoever guesses does not fill the disk. */
const MOST_REFUSED = 10;

export type RunLog = ReturnType<typeof createRunLog>;

/** The lines that are written often: of runs, and of callers that are refused. Those of a level that is off do not exist: they cost a firing nothing. */
export function createRunLog(log: Logger, clock: Clock) {
  const failures = new BoundedLog(log, clock, 'more runs failed in this minute');
  const misses = new BoundedLog(log, clock, 'more times were missed in this minute');
  const callbacks = new BoundedLog(log, clock, 'more callbacks failed in this minute');
  const refusals = new BoundedLog(
    log,
    clock,
    'more callers were refused in this minute',
    MOST_REFUSED,
  );
  const noDescriptors = new BoundedLog(
    log,
    clock,
    'more requests were not sent in this minute: too many files were open',
    1,
  );
  const isDebug = log.isLevelEnabled('debug');
  const isTrace = log.isLevelEnabled('trace');
  return {
    /** Writes what was held back for the end of the minute. */
    end() {
      for (const bounded of [failures, misses, callbacks, refusals, noDescriptors]) bounded.end();
    },
    failed(scheduleId: string, run: RunRecord) {
      failures.warn(() => ({ ...nameOf(scheduleId, run), ...whyFailed(run) }), 'a run failed');
    },
    missed(scheduleId: string, run: RunRecord) {
      const { reason, missed } = run;
      const fields = () => ({ ...nameOf(scheduleId, run), ...(missed && spanOf(missed)), reason });
      misses.warn(fields, missed ? 'times were missed' : 'a time was missed', missed?.count);
    },
    refused(address: string) {
      refusals.warn(
        () => ({ address }),
        'a caller was refused: its ClientId and ApiKey do not fit',
      );
    },
    noDescriptor() {
      noDescriptors.warn(() => ({}), 'a request was not sent: too many files are open (ulimit -n)');
    },
    callbackFailed(runId: string) {
      callbacks.warn(() => ({ runId }), 'a callback failed, with all its retries');
    },
    callbackSucceeded: isDebug
      ? (runId: string) => log.debug({ runId }, 'a callback succeeded')
      : null,
    succeeded: isDebug
      ? (scheduleId: string, run: RunRecord) => {
          log.debug({ ...nameOf(scheduleId, run), ...spansOf(run) }, 'a run succeeded');
        }
      : null,
    skipped: isDebug
      ? (scheduleId: string, run: RunRecord) => {
          log.debug({ ...nameOf(scheduleId, run), reason: run.reason }, 'a time was skipped');
        }
      : null,
    attemptEnded: isTrace
      ? (kind: string, outcome: string, durationMs: number, id: string) => {
          const of = kind === 'callback' ? { runId: id } : { scheduleId: id };
          log.trace({ kind, ...of, outcome, durationMs }, 'a request ended');
        }
      : null,
    settled: isTrace
      ? (count: number, durationMs: number) => {
          log.trace({ count, durationMs }, 'the ends of requests were written');
        }
      : null,
  };
}

function nameOf(scheduleId: string, { id, scheduledFor, trigger }: RunRecord) {
  return { scheduleId, runId: id, trigger, scheduledFor: iso(scheduledFor) };
}

function spanOf({ count, from, to }: NonNullable<RunRecord['missed']>) {
  return { count, from: iso(from), to: iso(to) };
}

function spansOf({ attempts, scheduledFor, startedAt, finishedAt }: RunRecord) {
  return {
    attempts: attempts.length,
    ...(startedAt !== undefined && { lateMs: startedAt - scheduledFor }),
    ...(startedAt !== undefined && finishedAt !== undefined && { tookMs: finishedAt - startedAt }),
  };
}

/** Of an answer only the status: the sentence of a redirect says where it points to, which may be a secret. */
function whyFailed({ attempts, reason }: RunRecord) {
  const last = attempts.at(-1);
  const error = last?.outcome === 'response' ? reason : (last?.error ?? reason);
  return {
    attempts: attempts.length,
    ...(last && { outcome: last.outcome }),
    ...(last?.responseStatus !== undefined && { responseStatus: last.responseStatus }),
    ...(error !== undefined && { why: error }),
  };
}
