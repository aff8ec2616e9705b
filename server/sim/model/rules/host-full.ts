import { attemptsOf, endOf, type ScheduleView, type View } from './view.ts';

/** Ends are written with others, and only then a slot is free. */
const FREED_MS = 50;

/** Whether so many requests of the same client to the same host were in flight that it had to wait. Others are in nobody's way. */
export function isHostFull(at: number, { seen }: ScheduleView, view: View): boolean {
  if (view.mostPerHost === Number.POSITIVE_INFINITY || seen.origin === undefined) return false;
  const going = view.schedules
    .filter(other => other.seen.origin === seen.origin && other.seen.client === seen.client)
    .flatMap(attemptsOf)
    .filter(({ attempt }) => {
      return attempt.startedAt <= at + view.lateMs && endOf(attempt) + FREED_MS >= at;
    });
  return going.length >= view.mostPerHost;
}
