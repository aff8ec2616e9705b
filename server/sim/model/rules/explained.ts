import { LONGEST_CHANGE_MS } from '../calendar/plain-cron.ts';
import { offsetAt } from '../calendar/zone-lists.ts';
import type { ExplainedSeen } from '../evidence.ts';
import type { Tell } from './rule.ts';
import { knownBy, nameOf, writtenBy } from './times.ts';
import { iso, type RunSeen, type ScheduleView, type View } from './view.ts';
import { AWAKE_MS } from './windows.ts';

/** What callers were told of an instant, against what became of it. */
export function checkExplained(view: View, tell: Tell): void {
  const schedules = new Map(view.schedules.map(schedule => [schedule.seen.id, schedule]));
  for (const explained of view.explained) {
    const schedule = schedules.get(explained.scheduleId);
    if (schedule === undefined || explained.at > view.until) continue;
    const allowed = allowedOf(explained, schedule, view);
    const { scheduleId, at, askedAt, verdict } = explained;
    if (allowed === null || allowed.includes(verdict)) continue;
    const name = nameOf(scheduleId, at);
    const said = `was called ${verdict} at ${iso(askedAt)}, and not ${allowed.join(' or ')}`;
    tell('explainDiffers', `${name} ${said}.`);
  }
}

const NOT_DUE = [
  'neverDue',
  'notCreated',
  'beforeStart',
  'afterEnd',
  'paused',
  'completed',
  'deleted',
];
/** The wall clock jumps over it, or shows it twice. */
const BY_CHANGE = ['moved', 'dropped', 'repeated'];
/** A run on its way to its record. */
const ON_ITS_WAY = ['waiting', 'running', 'retrying'];

/** @returns null: nobody knows what is right */
function allowedOf(explained: ExplainedSeen, schedule: ScheduleView, view: View): string[] | null {
  const { at, askedAt, answeredAt } = explained;
  const { due, optional, spans, runs, manual, further } = schedule;
  const isChanging = spans.slice(1).some(change => {
    const isLate = change.writtenBy > Math.min(at, askedAt) - view.lateMs;
    return isLate && change.at <= Math.max(at, answeredAt);
  });
  const behindMs = view.behindMs(askedAt, answeredAt);
  const isNow = askedAt - behindMs < at && at <= answeredAt + view.apartMs;
  const isOther = [...manual, ...further].some(run => run.at === at);
  if (isNow || isChanging || optional.has(at) || isOther) return null;
  if (!due.includes(at)) return notDue(at, schedule);
  if (at > answeredAt) return ['upcoming'];
  const run = runs.find(each => isOf(each, at));
  return run === undefined ? null : verdictsOf(run, explained, schedule, view);
}

/** What a calendar takes away is told so, and what a zone skips where its clock changes close by. */
function notDue(at: number, { seen, spans }: ScheduleView): string[] {
  const held = spans.find(({ until }) => until >= at);
  const said = held?.classOf?.(at).is;
  if (said === 'excluded' || said === 'rolled') return [said];
  const zones = [seen.timezone, ...spans.map(({ timezone }) => timezone)];
  const [before, after] = [at - LONGEST_CHANGE_MS, at + LONGEST_CHANGE_MS];
  const isByChange = zones.some(zone => offsetAt(zone, before) !== offsetAt(zone, after));
  return isByChange ? [...NOT_DUE, ...BY_CHANGE] : NOT_DUE;
}

function isOf({ at, missed }: RunSeen, time: number): boolean {
  return missed === null ? at === time : missed.from <= time && time <= missed.to;
}

function verdictsOf(
  run: RunSeen,
  { at, askedAt, answeredAt }: ExplainedSeen,
  schedule: ScheduleView,
  view: View,
): string[] {
  const { status, finishedAt } = run;
  // What waits behind a run looks as if it will be skipped. A death of the process changes that.
  const isGoing = [...schedule.runs, ...schedule.manual].some(other => {
    return other.at < at && other.startedAt <= answeredAt && knownBy(other, view) >= at;
  });
  // What a node holds looks as if it were sent: it does nothing with it, or limits are in the way.
  const { id } = schedule.seen;
  const isHeldUp =
    view.isHeldUp(askedAt, answeredAt, id) || view.isHeldBack(at, answeredAt, schedule.seen);
  // And so does what was claimed ahead of a suspension, until it is decided about: it looks as if it were sent, or skipped.
  const isAwake = view.suspensions.every(
    ({ from, to }) => at <= from || at > to + AWAKE_MS || askedAt > writtenBy(to + AWAKE_MS, view),
  );
  const skipped = isGoing || isHeldUp || !isAwake ? ['skipped'] : [];
  // A claim is on record although its answer is yet to come: a store that stands still keeps it, and the time passes.
  const isKept = view.stalls.some(({ from, to }) => from <= at && to >= askedAt);
  const running = isHeldUp || isKept || !isAwake ? ON_ITS_WAY : ['waiting'];
  if (status === 'missed' || status === 'skipped') return [status, ...running, ...skipped];
  if (finishedAt > answeredAt) return [...ON_ITS_WAY, ...skipped];
  const isWritten =
    finishedAt + view.lateMs < askedAt && view.isUndisturbed(finishedAt, askedAt, id);
  return isWritten ? [status] : [status, ...ON_ITS_WAY, ...skipped];
}
