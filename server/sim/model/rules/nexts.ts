import type { NextSeen } from '../evidence.ts';
import type { Tell } from './rule.ts';
import { iso, type ScheduleView, type View } from './view.ts';

/** The next times that callers were told, against those that the schedule had then. */
export function checkNexts(view: View, tell: Tell): void {
  const schedules = new Map(view.schedules.map(schedule => [schedule.seen.id, schedule]));
  for (const next of view.nexts) {
    const schedule = schedules.get(next.scheduleId);
    const times = schedule && timesAt(schedule, next, view);
    if (!times || isRight(next, times, view)) continue;
    const said = next.times.map(iso).join(', ') || 'none';
    tell('nextDiffers', `Schedule ${next.scheduleId} was asked at ${iso(next.askedAt)}: ${said}.`);
  }
}

/** @returns undefined where a change was being written */
function timesAt(
  { due, spans }: ScheduleView,
  { askedAt, answeredAt }: NextSeen,
  { behindMs }: View,
): number[] | undefined {
  if (spans.length === 0) return due;
  const earliest = askedAt - behindMs(askedAt, answeredAt);
  const isChanging = spans.some(({ at, writtenBy }) => at <= answeredAt && writtenBy >= earliest);
  return isChanging ? undefined : spans.findLast(({ at }) => at <= askedAt)?.times;
}

/** Whether it is right at some instant from the question to its answer. The calendar looks ahead so far only. */
function isRight({ askedAt, answeredAt, times: said }: NextSeen, times: number[], view: View) {
  const earliest = askedAt - view.behindMs(askedAt, answeredAt);
  const latest = answeredAt + view.apartMs;
  const froms = [earliest, ...times.filter(time => time > earliest && time <= latest)];
  return froms.some(from => {
    const known = times.filter(time => time > from).slice(0, said.length || 1);
    return known.every((time, index) => said[index] === time) && known.length <= said.length;
  });
}
