import type { Move } from '../domain/run/queue.ts';
import type { Outcome, RunRecord } from '../domain/run/run.ts';

/** The kinds of requests: firings by the schedule, manual runs, and callbacks. Each keeps a share of the slots. */
export const JOB_KINDS = ['schedule', 'manual', 'callback'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** The engine tells its observer about each event, for metrics, logs and streams. Spans in ms. */
export interface EngineObserver {
  /** The first attempt of a firing started `latenessMs` after its nominal time. */
  fired(latenessMs: number): void;
  /** @param scheduleId for a callback, the id of the run that it reports */
  attemptEnded(kind: JobKind, outcome: Outcome, durationMs: number, scheduleId: string): void;
  /** A run came to its end: it succeeded or failed. */
  runEnded(scheduleId: string, run: RunRecord): void;
  /** @param runId of the run that it reports */
  callbackEnded(status: 'succeeded' | 'failed', runId: string): void;
  /** Nominal times that did not fire: they were skipped or missed. */
  passed(scheduleId: string, record: RunRecord): void;
  settled(count: number, durationMs: number): void;
  /** The store failed under a loop; it goes on trying. */
  storeFailed(error: unknown): void;
  /** The engine could not decide about a schedule's row, or send its request. The others go on. */
  rowFailed(scheduleId: string, error: unknown): void;
  /** Requests that another node had in flight when it died or froze. */
  takenOver(count: number): void;
  /** A host stopped responding, or responds again. */
  breaker(change: 'opened' | 'closed' | 'forgotten', origin: string): void;
  /** A request was not sent: there was no file descriptor for its connection. */
  noDescriptor(): void;
  /** An open breaker refused a request. */
  refused(): void;
  /** Nobody looked at the clock from `from` to `until`: a stop, a suspended machine, a jump. */
  blind(from: number, until: number): void;
  /** The clock was set by more than a second: `byMs` ahead, or back where it is negative. */
  clockStepped(byMs: number): void;
  /** At the start the clock shows `backMs` less than what is on record: it was set back while nobody looked. */
  clockWasSetBack(backMs: number): void;
  /** The source of a calendar cannot be read: its last good version stays. */
  calendarFailed(name: string, fault: string): void;
}

/** Tells the observer how a row moved: the run that ended, and the times that passed without one. */
export function tellMove(
  { ended, passed }: Move,
  scheduleId: string,
  observer: Pick<EngineObserver, 'runEnded' | 'passed'>,
): void {
  if (ended) observer.runEnded(scheduleId, ended);
  for (const record of passed) observer.passed(scheduleId, record);
}

/**
 * One bad row cannot stop the others: it is reported and left out.
 *
 * @param leftOut takes an item that is left out
 */
export function eachOf<Item, Result>(
  items: Item[],
  idOf: (item: Item) => string,
  work: (item: Item) => Result,
  observer: Pick<EngineObserver, 'rowFailed'>,
  leftOut: (item: Item) => void = () => {},
): Result[] {
  const results: Result[] = [];
  for (const item of items) {
    try {
      results.push(work(item));
    } catch (error) {
      observer.rowFailed(idOf(item), error);
      leftOut(item);
    }
  }
  return results;
}
