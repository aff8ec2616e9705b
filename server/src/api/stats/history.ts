import type * as Wire from '@punctual/client';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { iso } from '../../domain/iso.ts';
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
/** Of a longer one, this much at a time: an every-second schedule has 3,600 times in it. */
const PART_MS = 3_600_000;
/** How long an answer waits for parts that are still to be counted. */
const PATIENCE_MS = 150;
/** Steps that are kept, of all parts together: about 100 bytes each. */
const MOST_KEPT = 200_000;
const MOST_CLIENTS = 1_000;

/**
 * `GET /v1/schedule/{id}/history`: the results of a schedule's times, by the step.
 *
 * Few records take one statement. Many are counted an hour at a time, newest first. An hour is
 * counted again whenever its age has doubled, because long runs end late. A caller gets the counts
 * made so far. A client has one count at a time.
 */
export class HistoryStats {
  readonly #stats: StatsStore;
  readonly #clock: Clock;
  readonly #parts = new LRUCache<string, Part>({
    maxSize: MOST_KEPT,
    sizeCalculation: ({ counted }) => 1 + counted.steps.length + counted.spans.length,
  });
  readonly #turns = new LRUCache<number, Promise<unknown>>({ max: MOST_CLIENTS });

  constructor(stats: StatsStore, clock: Clock) {
    this.#stats = stats;
    this.#clock = clock;
  }

  async of(clientRowId: number, scheduleId: string, range: StepRange): Promise<Wire.History> {
    const question = { clientRowId, scheduleId, range };
    const few = await this.#inTurn(clientRowId, () => this.#read(question, range, FEW_RECORDS));
    if (few.records < FEW_RECORDS) return answer(question, range.from, [few]);
    const parts = partsOf(range);
    const work = this.#inTurn(clientRowId, () => this.#count(question, parts));
    await withPatience(work, PATIENCE_MS);
    const counted: CountedHistory[] = [];
    for (const part of parts) {
      const kept = this.#parts.get(keyOf(question, part));
      if (kept === undefined) break;
      counted.push(kept.counted);
    }
    // If not even the newest part is counted yet, answer with the newest records.
    if (counted.length === 0) return answer(question, oldestIn(few, range), [few]);
    return answer(question, parts[counted.length - 1]!.from, counted);
  }

  /** One after the other for a client, so that the others' questions come between its own. */
  #inTurn<Value>(clientRowId: number, work: () => Promise<Value>): Promise<Value> {
    const before = this.#turns.get(clientRowId) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#turns.set(clientRowId, turn);
    return turn;
  }

  async #count(question: Question, parts: StepRange[]): Promise<void> {
    for (const part of parts) {
      const now = this.#clock.now();
      const key = keyOf(question, part);
      if (!isToCount(this.#parts.get(key), part, now)) continue;
      const counted = await this.#read(question, part, Number.MAX_SAFE_INTEGER);
      this.#parts.set(key, { counted, at: now });
    }
  }

  #read({ clientRowId, scheduleId }: Question, range: StepRange, limit: number) {
    return this.#stats.history(clientRowId, scheduleId, range, limit);
  }
}

interface Question {
  clientRowId: number;
  scheduleId: string;
  range: StepRange;
}

interface Part {
  counted: CountedHistory;
  /** When it was counted. */
  at: number;
}

function keyOf({ clientRowId, scheduleId }: Question, { from, to, stepMs }: StepRange): string {
  return `${clientRowId} ${scheduleId} ${from} ${to} ${stepMs}`;
}

/** Cut at the same instants whatever range is asked for, newest first. */
export function partsOf({ from, to, stepMs }: StepRange): StepRange[] {
  const partMs = stepMs * Math.max(1, Math.floor(PART_MS / stepMs));
  const parts: StepRange[] = [];
  for (let end = to; end > from; ) {
    const start = Math.max(from, (Math.ceil(end / partMs) - 1) * partMs);
    parts.push({ from: start, to: end, stepMs });
    end = start;
  }
  return parts;
}

function isToCount(part: Part | undefined, { to }: StepRange, now: number): boolean {
  if (part === undefined) return true;
  return now - to >= Math.max(1_000, 2 * (part.at - to)) || now < to;
}

/** The first step that is counted whole where only the newest records were read. */
function oldestIn({ steps }: CountedHistory, { to }: StepRange): number {
  return steps[1]?.at ?? steps[0]?.at ?? to;
}

function answer(
  { scheduleId, range }: Question,
  from: number,
  counted: CountedHistory[],
): Wire.History {
  const { to, stepMs } = range;
  const spans = new Map(counted.flatMap(each => each.spans).map(span => [span.from, span]));
  const steps = counted.flatMap(each => each.steps).filter(({ at }) => at >= from);
  const all = withSpans(steps, [...spans.values()], { from, to, stepMs });
  return {
    scheduleId,
    from: iso(from),
    to: iso(to),
    stepSeconds: stepMs / 1_000,
    steps: all.map(({ at, ...same }) => ({ at: iso(at), ...same })),
    ...(from > range.from && { isPartial: true }),
  };
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
