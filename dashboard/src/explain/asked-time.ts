import { fullTime, localText } from '../time/times.ts';
import type { Click } from '../timeline/timeline.ts';

/** The time that the user asked about, if the answer is about another time; else null. */

export function clickedText({ at: clickedAt }: Click, at: string): string | null {
  const second = Math.floor(clickedAt / 1_000) * 1_000;
  if (second === Date.parse(at)) return null;
  return `You clicked ${fullTime(second)} in your time. This is the time of the schedule nearest to it.`;
}

/**
 * A time of the wall clock that does not exist is answered for the time that a clock that was not set
 * forward would show.
 *
 * @param asked as it was asked: an instant, or a local time
 */
export function gapText(asked: string, at: string, timezone: string): string | null {
  if (/Z$/.test(asked)) return null;
  const [askedDay, askedTime] = split(asked);
  const [day, time] = split(localText(at, timezone));
  if (askedDay === day && askedTime === time) return null;
  return (
    `${askedDay} ${askedTime} did not exist in ${timezone}: the clock was set forward over it. ` +
    `A clock that was not set shows it when it is ${time}, and this is the answer for that.`
  );
}

function split(local: string): [string, string] {
  const [day = '', time = ''] = local.split('T');
  return [day, time.length === 5 ? `${time}:00` : time.slice(0, 8)];
}
