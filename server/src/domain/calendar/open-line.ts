import { LAST_AT } from './cron/occurrence.ts';
import type { Exclusions } from './exclusion/exclusions.ts';
import type { TimeLine } from './time-line.ts';
import type { Zone } from './zones/zone.ts';

/**
 * A time line without the times that calendars exclude. A search jumps over an excluded stretch as a whole, so a freeze of
 * a year costs an interval of every second no more than one of every month.
 */
export function openLine(line: TimeLine, exclusions: Exclusions, zone: Zone): TimeLine {
  return {
    first(at) {
      let found = line.first(at);
      while (found !== null) {
        const end = exclusions.endOf(zone, found);
        if (end === null) return found;
        found = line.first(end);
      }
      return null;
    },
    last(notBefore, until) {
      let found = line.last(notBefore, until);
      while (found !== null) {
        const start = exclusions.startOf(zone, found);
        if (start === null) return found;
        found = line.last(notBefore, start - 1);
      }
      return null;
    },
    count(from, until) {
      const last = Math.min(until, LAST_AT);
      let count = 0;
      for (let at = line.first(from); at !== null && at <= last; ) {
        const end = exclusions.endOf(zone, at);
        if (end === null) {
          const nextStart = exclusions.nextStart(zone, at);
          count += line.count(at, Math.min(last, nextStart - 1));
          at = nextStart > last ? null : line.first(nextStart);
        } else at = line.first(end);
      }
      return count;
    },
  };
}
