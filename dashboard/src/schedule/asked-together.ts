import type { IntervalWordsList } from '@punctual/client';

/** At most this many intervals are asked for at once. */
const MOST_AT_ONCE = 100;

/** Puts questions of the same moment together, so that a list of schedules asks once. */
export function askedTogether(
  ask: (intervals: string[]) => Promise<IntervalWordsList>,
): (interval: string) => Promise<string> {
  let waiting = new Map<string, Promise<string>>();
  const take = () => {
    const intervals = [...waiting.keys()];
    waiting = new Map();
    return intervals;
  };
  let coming: Promise<Map<string, string>> | null = null;
  const begin = async () => {
    await Promise.resolve();
    coming = null;
    const found = new Map<string, string>();
    const intervals = take();
    for (let at = 0; at < intervals.length; at += MOST_AT_ONCE) {
      const { items } = await ask(intervals.slice(at, at + MOST_AT_ONCE));
      for (const { interval, words } of items) found.set(interval, words);
    }
    return found;
  };
  return interval => {
    coming ??= begin();
    const mine = coming;
    const answer = waiting.get(interval) ?? mine.then(found => found.get(interval)!);
    waiting.set(interval, answer);
    return answer;
  };
}
