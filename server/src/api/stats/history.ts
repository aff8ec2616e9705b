import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type {
  CountedHistory,
  MissedSpan,
  StatsStore,
  StepCount,
  StepRange,
} from '../../store/contract/stats.ts';
import { withPatience } from './patience.ts';

/** A history of fewer records is counted anew for each question: 10 ms. */
const FEW_RECORDS = 5_000;
/** The same, of all schedules of one question together. */
const FEW_TOGETHER = 50_000;
/** Of a longer one, this much at a time: an every-second schedule has 3,600 times in it. */
const PART_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Schedules whose parts one statement counts. */
const COUNTED_TOGETHER = 5;
/** How long an answer waits for parts that are still to be counted. */
const PATIENCE_MS = 150;
/** Steps that are kept, of all parts together: about 100 bytes each. */
const MOST_KEPT = 200_000;
const MOST_CLIENTS = 1_000;

/** The results of a schedule's times, step by step. */
export interface StepHistory {
  scheduleId: string;
  /** Since when it is counted, epoch ms: later than the range begins while the rest is being counted. */
  from: number;
  /** Oldest first. */
  steps: StepCount[];
}

/**
 * The results of the times of schedules, by the step.
 *
 * Few records take one statement. Many are counted an hour at a time, newest first, and by the
 * minute, so that most steps share their counts. An hour is counted again whenever its age has
 * doubled, because long runs end late. A caller gets the counts made so far. A client has one count
 * at a time: a newer question takes its place after the part that it has begun.
 */
export class HistoryStats {
  readonly #stats: Pick<StatsStore, 'history'>;
  readonly #clock: Clock;
  readonly #parts = new LRUCache<string, Part>({
    maxSize: MOST_KEPT,
    sizeCalculation: ({ counted }) => 1 + counted.steps.length + counted.spans.length,
  });
  readonly #turns = new LRUCache<number, Promise<unknown>>({ max: MOST_CLIENTS });
  readonly #latest = new LRUCache<number, Question>({ max: MOST_CLIENTS });

  constructor(stats: Pick<StatsStore, 'history'>, clock: Clock) {
    this.#stats = stats;
    this.#clock = clock;
  }

  /** One answer for each schedule, in their order. */
  async of(clientRowId: number, scheduleIds: string[], range: StepRange): Promise<StepHistory[]> {
    const question = { clientRowId, scheduleIds, range };
    this.#latest.set(clientRowId, question);
    const limit = Math.min(FEW_RECORDS, Math.floor(FEW_TOGETHER / Math.max(1, scheduleIds.length)));
    const few = await this.#inTurn(clientRowId, () => this.#read(question, range, limit));
    const long = scheduleIds.filter((_, index) => few[index]!.records >= limit);
    const parts = partsOf(range);
    if (long.length > 0) {
      const asked = { ...question, scheduleIds: long };
      const work = this.#inTurn(clientRowId, () => this.#count(asked, question, parts));
      await withPatience(work, PATIENCE_MS);
    }
    return scheduleIds.map((id, index) => {
      const newest = few[index]!;
      if (newest.records < limit) return historyOf(id, range, range.from, [newest]);
      const counted = this.#countedOf(clientRowId, id, parts);
      // If not even the newest part is counted yet, answer with the newest records.
      if (counted.length === 0) return historyOf(id, range, oldestIn(newest, range), [newest]);
      const from = Math.max(range.from, stepAfter(parts[counted.length - 1]!.from, range));
      return historyOf(id, range, from, counted);
    });
  }

  /** One after the other for a client, so that the others' questions come between its own. */
  #inTurn<Value>(clientRowId: number, work: () => Promise<Value>): Promise<Value> {
    const before = this.#turns.get(clientRowId) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#turns.set(clientRowId, turn);
    return turn;
  }

  /** @param asked the question that it is counted for: it ends when a newer one has come */
  async #count(question: Question, asked: Question, parts: StepRange[]): Promise<void> {
    for (const part of parts) {
      const ids = question.scheduleIds.filter(id =>
        this.#isToCount(question.clientRowId, id, part),
      );
      for (let first = 0; first < ids.length; first += COUNTED_TOGETHER) {
        const some = ids.slice(first, first + COUNTED_TOGETHER);
        await this.#countPart({ ...question, scheduleIds: some }, part);
        if (this.#latest.get(question.clientRowId) !== asked) return;
      }
    }
  }

  async #countPart(question: Question, part: StepRange): Promise<void> {
    const { clientRowId, scheduleIds } = question;
    const at = this.#clock.now();
    const counted = await this.#read(question, part, Number.MAX_SAFE_INTEGER);
    for (const [index, id] of scheduleIds.entries()) {
      this.#parts.set(keyOf(clientRowId, id, part), { counted: counted[index]!, at });
    }
  }

  #isToCount(clientRowId: number, scheduleId: string, part: StepRange): boolean {
    return isToCount(
      this.#parts.get(keyOf(clientRowId, scheduleId, part)),
      part,
      this.#clock.now(),
    );
  }

  /** The newest parts without a gap. */
  #countedOf(clientRowId: number, scheduleId: string, parts: StepRange[]): CountedHistory[] {
    const counted: CountedHistory[] = [];
    for (const part of parts) {
      const kept = this.#parts.get(keyOf(clientRowId, scheduleId, part));
      if (kept === undefined) break;
      counted.push(kept.counted);
    }
    return counted;
  }

  #read({ clientRowId, scheduleIds }: Question, range: StepRange, limit: number) {
    return this.#stats.history(clientRowId, scheduleIds, range, limit);
  }
}

interface Question {
  clientRowId: number;
  scheduleIds: string[];
  range: StepRange;
}

interface Part {
  counted: CountedHistory;
  /** When it was counted. */
  at: number;
}

function keyOf(clientRowId: number, scheduleId: string, { from, to, stepMs }: StepRange): string {
  return `${clientRowId} ${scheduleId} ${from} ${to} ${stepMs}`;
}

/**
 * Whole parts around the range, newest first: cut at the same instants whatever range is asked for, and counted by the
 * hour or the minute if that divides a step.
 */
export function partsOf({ from, to, stepMs }: StepRange): StepRange[] {
  const grain = [PART_MS, MINUTE_MS].find(ms => stepMs % ms === 0) ?? stepMs;
  const partMs = grain * Math.max(1, Math.floor(PART_MS / grain));
  const parts: StepRange[] = [];
  for (let start = (Math.ceil(to / partMs) - 1) * partMs; start > from - partMs; start -= partMs) {
    parts.push({ from: start, to: start + partMs, stepMs: grain });
  }
  return parts;
}

function isToCount(part: Part | undefined, { to }: StepRange, now: number): boolean {
  if (part === undefined) return true;
  return now - to >= Math.max(1_000, 2 * (part.at - to)) || now < to;
}

/** The first step that begins at `at` or later. */
function stepAfter(at: number, { stepMs }: StepRange): number {
  return Math.ceil(at / stepMs) * stepMs;
}

/** The first step that is counted whole where only the newest records were read. */
function oldestIn({ steps }: CountedHistory, { to }: StepRange): number {
  return steps[1]?.at ?? steps[0]?.at ?? to;
}

function historyOf(
  scheduleId: string,
  range: StepRange,
  from: number,
  counted: CountedHistory[],
): StepHistory {
  const spans = new Map(counted.flatMap(each => each.spans).map(span => [span.from, span]));
  const steps = foldedSteps(
    counted.flatMap(each => each.steps),
    { ...range, from },
  );
  return { scheduleId, from, steps: withSpans(steps, [...spans.values()], { ...range, from }) };
}

/** Counts of shorter steps, summed up by the step of the range that they lie in. */
function foldedSteps(counts: StepCount[], { from, to, stepMs }: StepRange): StepCount[] {
  const byStart = new Map<number, StepCount>();
  for (const count of counts) {
    if (count.at < from || count.at >= to) continue;
    const at = Math.floor(count.at / stepMs) * stepMs;
    const step = byStart.get(at) ?? { at, succeeded: 0, failed: 0, skipped: 0, missed: 0 };
    step.succeeded += count.succeeded;
    step.failed += count.failed;
    step.skipped += count.skipped;
    step.missed += count.missed;
    byStart.set(at, step);
  }
  return [...byStart.values()];
}

/** The steps, oldest first, with the times that spans stand for: spread evenly from first to last. */
export function withSpans(
  steps: StepCount[],
  spans: MissedSpan[],
  { from, to, stepMs }: StepRange,
): StepCount[] {
  const byStart = new Map(steps.map(step => [step.at, { ...step }]));
  for (const span of spans) {
    const first = Math.max(from, Math.floor(span.from / stepMs) * stepMs);
    for (let at = first; at < to && at <= span.to; at += stepMs) {
      const missed = timesBefore(span, at + stepMs) - timesBefore(span, at);
      if (missed === 0) continue;
      const step = byStart.get(at) ?? { at, succeeded: 0, failed: 0, skipped: 0, missed: 0 };
      step.missed += missed;
      byStart.set(at, step);
    }
  }
  return [...byStart.values()].sort((a, b) => a.at - b.at);
}

/** How many of its times are before `at`. */
function timesBefore({ count, from, to }: MissedSpan, at: number): number {
  if (at <= from) return 0;
  if (at > to) return count;
  return Math.min(count, Math.ceil(((at - from) * (count - 1)) / (to - from)));
}
