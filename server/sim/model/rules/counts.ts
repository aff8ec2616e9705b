import type { Evidence } from '../evidence.ts';
import type { CountedSeen, Tallied } from '../evidence-of-counts.ts';
import type { Window } from './cuts.ts';
import type { Tell } from './rule.ts';
import { knownBy, nameOf, writtenBy } from './times.ts';
import { iso, type RunSeen, type View } from './view.ts';

/** The figures that callers were told against the records of history, and what retention has taken away. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A minute is counted again whenever it is twice as old, and no more once it is so old. */
const FINAL_MS = 5 * MINUTE_MS;
/** So long an answer waits for a count; one that goes on is shared by all who ask meanwhile. */
const PATIENCE_MS = 150;
/** An answer may be so old where the same was asked before. It says when it was counted. */
const FRESH_MS = 1_500;
const STATUSES = ['succeeded', 'failed', 'skipped', 'missed'] as const;
type Status = (typeof STATUSES)[number];

/** A run that counts, with the instants between which a count begins to hold it. */
interface Counted {
  status: Status;
  /** Its nominal time. */
  at: number;
  scheduleId: string;
  count: number;
  /** The last of its nominal times, where it stands for many. */
  to: number;
  endedAt: number;
  /** A count from here on must hold it, and one from `goneAt` on must not. */
  writtenBy: number;
  goneAt: number;
}

export function checkCounts(evidence: Evidence, view: View, tell: Tell): void {
  const { counted = [] } = evidence;
  if (counted.length > 0) {
    const runs = [...countedRuns(evidence, view), ...takenBack(evidence)];
    for (const seen of counted) checkFigures(seen, runs, view, tell);
  }
  checkPruned(evidence, tell);
}

/** The first client asks, for what is its own. */
function countedRuns(evidence: Evidence, view: View): Counted[] {
  const { decidedAt = {}, pruned = [], clients = [], schedules } = evidence;
  const gone = new Set(pruned.map(({ run }) => run.id));
  const others = schedules.filter(({ client }) => client !== clients[0]?.id);
  const isOfOther = new Set(others.map(({ id }) => id));
  return [...view.byId.values()].flatMap(run => {
    const { id, scheduleId, at, status, missed } = run;
    if (!isStatus(status) || isOfOther.has(scheduleId)) return [];
    const endedAt = decidedAt[id] ?? run.finishedAt;
    const by = decidedAt[id] === undefined ? knownBy(run, view) : writtenBy(endedAt, view);
    const { count, to } = missed ?? { count: 1, to: at };
    const known = { writtenBy: gone.has(id) ? Infinity : by, goneAt: Infinity };
    return [{ status, at, scheduleId, count, to, endedAt, ...known }];
  });
}

function takenBack({ takenBack: records = [] }: Evidence): Counted[] {
  return records.map(({ scheduleId, at, decidedAt, takenAt }) => ({
    ...{ status: 'skipped', at, scheduleId, count: 1, to: at },
    ...{ endedAt: decidedAt, writtenBy: Infinity, goneAt: takenAt },
  }));
}

function isStatus(status: RunSeen['status']): status is Status {
  return (STATUSES as readonly string[]).includes(status);
}

function checkFigures(seen: CountedSeen, runs: Counted[], view: View, tell: Tell): void {
  const { figures, askedAt } = seen;
  if (figures.kind === 'forecast') return;
  const told = (what: string, status: Status, count: number, [least, most]: [number, number]) => {
    if (count >= least && count <= most) return;
    const right = least === most ? `${least}` : `${least} to ${most}`;
    tell('countDiffers', `At ${iso(askedAt)} ${what} had ${count} ${status}, and not ${right}.`);
  };
  if (figures.kind === 'history') {
    const own = runs.filter(({ scheduleId }) => scheduleId === figures.scheduleId);
    for (const status of STATUSES) {
      // One record that stands for many is spread evenly over the steps, and may reach beyond them.
      const spread = own.filter(run => run.status === status && run.count > 1);
      if (spread.some(({ at, to }) => at < figures.from || to >= figures.to)) continue;
      const of = own.filter(run => run.status === status && isIn(run.at, figures));
      const name = `the history of schedule ${figures.scheduleId}`;
      told(
        name,
        status,
        sumOf(figures.steps, status),
        rangeOf(of, seen, view, () => Infinity),
      );
      if (spread.length > 0) continue;
      for (const step of stepsOf(figures)) {
        const inStep = of.filter(({ at }) => at >= step && at < step + figures.stepMs);
        const count = figures.steps.find(({ at }) => at === step)?.[status] ?? 0;
        const what = `${iso(step)} in ${name}`;
        told(
          what,
          status,
          count,
          rangeOf(inStep, seen, view, () => Infinity),
        );
      }
    }
    return;
  }
  const countedAt = askedAt - figures.to > FRESH_MS ? askedAt : Math.min(askedAt, figures.to);
  // Then the answer has what was counted for a question before.
  const isSlow =
    seen.answeredAt - askedAt >= PATIENCE_MS || view.isAnySlow(countedAt - 1_000, seen.answeredAt);
  const minutes = new Map(figures.minutes.map(minute => [minute.at, minute]));
  for (const status of STATUSES) {
    const all = sumOf(figures.minutes, status);
    told('the total', status, figures.total[status], [all, all]);
    const minuteOf = (run: Counted) => minuteAt(hasEnded(run) ? run.endedAt : run.at);
    const of = Map.groupBy(
      runs.filter(run => run.status === status),
      minuteOf,
    );
    for (const minute of new Set([...of.keys(), ...minutes.keys()])) {
      if (minute < figures.from || minute > figures.to) continue;
      const count = minutes.get(minute)?.[status] ?? 0;
      const range = rangeOf(of.get(minute) ?? [], seen, view, ({ endedAt }) =>
        isSlow ? 0 : minuteCountedAt(endedAt, countedAt),
      );
      told(`the minute ${iso(minute)}`, status, count, range);
    }
  }
}

/** When the minute in which something ended was counted, at the earliest. */
function minuteCountedAt(endedAt: number, askedAt: number): number {
  const end = minuteAt(endedAt) + MINUTE_MS;
  const sinceMs = Math.min(FINAL_MS, Math.max(0, (askedAt - end) / 2));
  return Math.min(end + sinceMs, askedAt - PATIENCE_MS);
}

/** Others count by their nominal times. */
function hasEnded({ status }: Counted): boolean {
  return status === 'succeeded' || status === 'failed';
}

function minuteAt(instant: number): number {
  return Math.floor(instant / MINUTE_MS) * MINUTE_MS;
}

/** @param countedAt when the store was asked at the earliest, where that was before */
function rangeOf(
  runs: Counted[],
  { askedAt, answeredAt }: CountedSeen,
  view: View,
  countedAt: (run: Counted) => number,
): [number, number] {
  const least = runs.filter(run => run.writtenBy <= Math.min(askedAt, countedAt(run)));
  const most = runs.filter(run => {
    const mayBeThere = run.goneAt >= Math.min(askedAt, countedAt(run)) - view.apartMs;
    return run.endedAt <= answeredAt + view.apartMs && mayBeThere;
  });
  return [timesOf(least), timesOf(most)];
}

function timesOf(runs: Counted[]): number {
  return runs.reduce((sum, { count }) => sum + count, 0);
}

function sumOf(tallies: Tallied[], status: Status): number {
  return tallies.reduce((sum, tally) => sum + tally[status], 0);
}

function isIn(at: number, { from, to }: { from: number; to: number }): boolean {
  return at >= from && at < to;
}

function stepsOf({ from, to, stepMs }: { from: number; to: number; stepMs: number }): number[] {
  return Array.from({ length: (to - from) / stepMs }, (_, index) => from + index * stepMs);
}

/** The pruner looks every ten minutes, once the clock has gone on for five. */
const PRUNED_BY_MS = 16 * MINUTE_MS;

/** Whole days of UTC go, once they are older than history is kept. */
function checkPruned(evidence: Evidence, tell: Tell): void {
  const { pruned = [], kept, runs, decidedAt = {} } = evidence;
  if (kept === undefined) return;
  const limitAt = (at: number, status: string) => {
    const days = status === 'failed' ? kept.failedRunsDays : kept.runsDays;
    return Math.floor(at / DAY_MS - days) * DAY_MS;
  };
  for (const { at, run } of pruned) {
    if (Date.parse(run.scheduledFor) < limitAt(at, run.status)) continue;
    tell(
      'prunedYoung',
      `${nameOf(run.scheduleId, Date.parse(run.scheduledFor))} went at ${iso(at)}.`,
    );
  }
  const isPruned = new Set(pruned.map(({ run }) => run.id));
  const looked = steadySpans(evidence);
  for (const { id, status, scheduleId, scheduledFor, finishedAt } of runs) {
    const writtenAt = decidedAt[id] ?? Date.parse(finishedAt ?? '');
    const old = looked.find(({ from, to }) => {
      const at = to - PRUNED_BY_MS;
      return Math.max(from, writtenAt) < at && Date.parse(scheduledFor) < limitAt(at, status);
    });
    if (old === undefined || isPruned.has(id)) continue;
    tell('keptOld', `${nameOf(scheduleId, Date.parse(scheduledFor))} was there at ${iso(old.to)}.`);
  }
}

/** A process notes the clock that it believes once that has gone on for five minutes. */
const NOTED_AFTER_MS = 6 * MINUTE_MS;

/** When a process was there all the while, and nothing stood still. One that finds no clock of the last day noted waits for a day. */
function steadySpans({ lives, stalls, suspensions = [], until }: Evidence): Window[] {
  const rests = [...stalls, ...suspensions];
  let notedAt: number | null = null;
  return lives.flatMap(({ readyAt, end }, index) => {
    if (readyAt === null) return [];
    const to = end?.from ?? until;
    const rested = rests.filter(rest => rest.to > readyAt && rest.from < to);
    const from = Math.max(readyAt, ...rested.map(rest => rest.to));
    // Before the first note the newest write counts.
    const known = notedAt ?? lives[index - 1]?.end?.from ?? readyAt;
    const isFar = readyAt - known > 23 * HOUR_MS;
    if (to - from > (isFar ? DAY_MS : NOTED_AFTER_MS)) notedAt = to;
    return isFar ? [] : [{ from, to }];
  });
}
