import type { ScheduleInput } from '@punctual/client';
import { every, onceAfter } from './workload.ts';

/** Schedules whose targets steer them by `Punctual-Control`. */

export const STEERED_KINDS = 7;

/** @param now their one-offs come some seconds after it */
export function steeredWorkload(count: number, now: number): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => steered(index, now));
}

/** Whether its target may pause or disable it. No caller changes it then, so that each change of it is the target's. */
export function isSteered({ url }: Pick<ScheduleInput, 'url'>): boolean {
  return new URL(url).pathname.startsWith('/steer/');
}

function steered(index: number, now: number): ScheduleInput {
  const host = `https://steers${index}.example`;
  const round = Math.floor(index / STEERED_KINDS);
  const each = (interval: string, kind: string, policy: ScheduleInput['policy'] = {}) => ({
    ...every(interval, `${host}/steer/${kind}`),
    policy: { retryDelaysSeconds: [1], maxRetries: 2, ...policy },
  });
  switch (index % STEERED_KINDS) {
    case 0:
      return each('*/3 * * * * *', 'again');
    case 1:
      // It asks until it is done: a one-off that has become a poller.
      return { ...each(onceAfter(6 + (round % 4), now), 'poll'), afterCompletion: 'delete' };
    case 2:
      return each('*/2 * * * * *', 'pause');
    case 3:
      return each('*/5 * * * * *', 'final');
    case 4:
      return each('*/3 * * * * *', 'whim');
    case 5:
      return each('*/2 * * * * *', 'whim', { obeyTarget: false });
    default:
      return { ...each('* * * * * *', 'again'), maxRuns: 8 };
  }
}
