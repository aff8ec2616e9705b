import { countTimes, nextTime } from './times.ts';
import type { When } from './timing.ts';

/**
 * How many times there are in each of `count` spans of `spanMs` from `from` on.
 *
 * Costs the spans in which it occurs, not the times: an interval of every second is counted minute by
 * minute, and a yearly one is looked for once. One by one, so that who counts may give way in between.
 *
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function* countBySpan(
  when: When,
  { from, spanMs, count }: { from: number; spanMs: number; count: number },
): Generator<{ span: number; times: number }> {
  const end = from + count * spanMs;
  let at = nextTime(when, from - 1);
  while (at !== null && at < end) {
    const span = Math.floor((at - from) / spanMs);
    const last = from + (span + 1) * spanMs - 1;
    yield { span, times: countTimes(when, at, last) };
    at = nextTime(when, last);
  }
}
