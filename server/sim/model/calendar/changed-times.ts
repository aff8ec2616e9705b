import type { Content, ScheduleSeen, VersionSeen } from '../evidence.ts';
import { dueTimes } from './due-times.ts';
import type { Class } from './enumerator.ts';

/** A span in which nobody changed the times of a schedule. Instants are epoch ms. */
export interface Span {
  /** From then on its times count. */
  at: number;
  /** Until then an engine may go by the span before. */
  writtenBy: number;
  /** The change that follows; Infinity: there is none. */
  until: number;
  /** From then on the times of that change count: it may say a later ms. */
  overFrom: number;
  /** Nothing fires before; Infinity where it is not enabled. */
  stoppedUntil: number;
  isDeleted: boolean;
  /** From then on each of its times is owed: by then it is certain. */
  owedFrom: number;
  /** What it says of an instant; absent where no calendar excludes any. */
  classOf?: (at: number) => Class;
  timezone: string;
  /** Its times, as if no change followed: those after `at`, and a few before it that may count as well. */
  times: number[];
}

/** @param until how far the calendar looks */
export function spansOf(
  { versions = [], changes: asked = [] }: ScheduleSeen,
  until: number,
): Span[] {
  const changes = versions.filter((version, index) => {
    const before = versions[index - 1];
    return before === undefined || changesTimes(before, version);
  });
  const askedAt = new Map(asked.map(({ number, during }) => [number, during?.from]));
  const from = ({ change, at }: VersionSeen) =>
    countedFrom(versions, at, askedAt.get(change) ?? at);
  return changes.map((version, index) => {
    const { at, writtenBy, is } = version;
    const { interval, timezone, status, pausedUntil = 0 } = is;
    const stoppedUntil = status === 'enabled' ? pausedUntil : Number.POSITIVE_INFINITY;
    const times = dueTimes(interval, timezone, from(version), until).filter(
      time => time >= stoppedUntil,
    );
    const next = changes[index + 1];
    const { at: end = Number.POSITIVE_INFINITY } = next ?? {};
    const overFrom = next === undefined ? end : from(next);
    const isDeleted = status === 'deleted';
    const span = { at, writtenBy, until: end, overFrom, stoppedUntil, owedFrom: at, times };
    return { ...span, isDeleted, timezone };
  });
}

/**
 * Of two changes within one ms the later one says the next ms, and counts from its own: that of its node, which may be behind the
 * one of the change before.
 */
function countedFrom(versions: VersionSeen[], at: number, askedAt: number): number {
  let from = at;
  while (versions.some(version => version.at === from - 1)) from -= 1;
  return from === at ? at : Math.min(from, askedAt);
}

/**
 * @returns all times that may be on record, in order, and those of them that need not: an engine went by one span or by the
 * next one while the change between them was being written
 */
export function changedTimes(spans: Span[]): { due: number[]; optional: Set<number> } {
  const owed = new Set<number>();
  const possible = new Set<number>();
  for (const [index, span] of spans.entries()) {
    const sent = spans[index - 1]?.times.findLast(time => time <= span.writtenBy) ?? 0;
    const mayHaveSent = Math.max(sent, span.owedFrom);
    for (const time of span.times) {
      if (time > (spans[index + 1]?.writtenBy ?? Number.POSITIVE_INFINITY)) break;
      possible.add(time);
      // What the span before may have sent meanwhile does not come again, and nothing before that.
      if (time > span.at && time <= span.until && time > mayHaveSent) owed.add(time);
    }
  }
  const due = [...possible].toSorted((a, b) => a - b);
  return { due, optional: new Set(due.filter(time => !owed.has(time))) };
}

/** The end of a pause, epoch ms; 0 where it is over by then, which is none. */
export function openPause({ pausedUntil = 0 }: Content, at: number): number {
  return pausedUntil > at ? pausedUntil : 0;
}

function changesTimes({ is: before }: VersionSeen, { at, is }: VersionSeen): boolean {
  return (
    before.interval !== is.interval ||
    before.timezone !== is.timezone ||
    before.status !== is.status ||
    openPause(before, at) !== openPause(is, at)
  );
}
