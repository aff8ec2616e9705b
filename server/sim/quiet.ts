import type { ScheduleInput } from '@punctual/client';
import { hasNodes, type Profile } from './profile.ts';
import { Random } from './random.ts';
import { callback, every, onceAfter } from './workload.ts';

/**
 * Nodes that share few schedules, each of which fires several times a minute: no node is awake for another one's row, and what
 * others have written is found by looking for it.
 */

export function isQuiet(profile: Pick<Profile, 'faults'>): boolean {
  return profile.faults.includes('quiet') && hasNodes(profile);
}

/** @param url of the target */
export function quietWorkload(url: string, seed: number, now: number): ScheduleInput[] {
  const random = new Random(seed, 'quiet schedules');
  return Array.from({ length: random.whole(1, 4) }, () =>
    quietBody(url, random.whole(0, QUIET_KINDS - 1), now),
  );
}

export const QUIET_INTERVALS = ['*/9', '4-59/15', '2-59/20', '*/12', '7-59/13'].map(
  seconds => `${seconds} * * * * *`,
);
const QUIET_KINDS = 6;

/** @param index which kind it is of, beyond their number as well */
export function quietBody(url: string, index: number, now: number): ScheduleInput {
  const at = (place: number) => QUIET_INTERVALS[place]!;
  switch (index % QUIET_KINDS) {
    case 0:
      return every(at(0), `${url}/ok`);
    case 1:
      return {
        ...every(at(1), `${url}/fail`),
        policy: { retryDelaysSeconds: [3], maxRetries: 2 },
      };
    case 2:
      return every('rate(11 seconds)', `${url}/slow/700`);
    case 3:
      return every(onceAfter(4 + (index % 7), now), `${url}/ok`);
    case 4:
      return every(at(2), `${url}/flaky`, 'UTC', callback(url, 0, true));
    default:
      return every(at(4), `${url}/ok`, 'UTC', callback(url, 2, true));
  }
}
