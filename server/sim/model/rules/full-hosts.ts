import type { Window } from './cuts.ts';
import { attemptsOf, endOf, hasBegun, type ScheduleView, type View } from './view.ts';

/** Hosts that have as many requests of a client in flight as they may. Others are in nobody's way. */

/** Ends are written with others, and only then a slot is free. */
const FREED_MS = 50;
/** What waits for a full host may go back to the queue for so long, and stays there when the host is free again. */
const PUT_OFF_MS = 5_000;

/** Whether others of its destination or its host were in the way of a request from then on, until an instant. */
export function hadToWait(from: number, to: number, schedule: ScheduleView, view: View): boolean {
  const { seen, runs, manual } = schedule;
  const before = [...runs, ...manual].filter(run => hasBegun(run) && run.finishedAt <= from);
  // One that was put off stays so while later times come.
  const waitsSince = Math.max(seen.createdAt, ...before.map(({ finishedAt }) => finishedAt));
  return view.isHeldBack(from, to, seen, waitsSince) || isPutOff(to, schedule, view);
}

/** Whether a request that waits may not have come to its turn by then. */
export function isPutOff(at: number, schedule: ScheduleView, view: View): boolean {
  return fullOf(schedule, view).some(({ from, to }) => from <= at && to + PUT_OFF_MS >= at);
}

function fullOf({ seen }: ScheduleView, view: View): Window[] {
  const { origin, client } = seen;
  if (view.mostPerHost === Number.POSITIVE_INFINITY || origin === undefined) return [];
  const known = fullKept.get(view) ?? new Map<string, Window[]>();
  const name = `${client} ${origin}`;
  const full = known.get(name) ?? spansOf(goingTo(origin, client, view), view.mostPerHost);
  fullKept.set(view, known.set(name, full));
  return full;
}

/** Each time that was missed asks for it. */
const fullKept = new WeakMap<View, Map<string, Window[]>>();

function goingTo(origin: string, client: string | undefined, view: View): Window[] {
  const { schedules, kills, lateMs } = view;
  const own = schedules.filter(({ seen }) => seen.origin === origin && seen.client === client);
  return own.flatMap(attemptsOf).map(({ attempt }) => {
    const cutAt = kills.find(({ from }) => from >= attempt.startedAt)?.from ?? Number.NaN;
    const endedAt = attempt.outcome === 'lost' ? cutAt : endOf(attempt);
    return { from: attempt.startedAt - lateMs, to: endedAt + FREED_MS };
  });
}

/** When so many went on at once. */
function spansOf(going: Window[], most: number): Window[] {
  const known = going.filter(({ to }) => !Number.isNaN(to));
  const begins = known.map(({ from }) => ({ at: from, by: 1 }));
  const ends = known.map(({ to }) => ({ at: to, by: -1 }));
  const full: Window[] = [];
  let count = 0;
  for (const { at, by } of [...begins, ...ends].toSorted((a, b) => a.at - b.at || b.by - a.by)) {
    count += by;
    if (by > 0 && count === most) full.push({ from: at, to: Number.POSITIVE_INFINITY });
    if (by < 0 && count === most - 1) full.at(-1)!.to = at;
  }
  return full;
}
