import type { Key, Run, Schedule } from '@punctual/client';
import { runsPath } from '../run/run-query.ts';

/** The check list of a new installation. Its ticks follow from what the service has, and not from clicks. */

export interface FirstStep {
  text: string;
  isDone: boolean;
  /** The page where it is done, or seen. */
  href: string;
}

/** The service's own answers. */
export interface StepFacts {
  /** The newest. */
  schedules: readonly Schedule[];
  /** Whether there are more schedules. */
  isMore: boolean;
  succeeded: readonly Run[];
  failed: readonly Run[];
  keys: readonly Key[];
  /** The key of this session. */
  keyId: string;
}

/** A user with more schedules needs no first steps. */
const MOST_SCHEDULES = 10;

export function firstSteps({ schedules, succeeded, failed, keys, keyId }: StepFacts): FirstStep[] {
  const present = schedules.filter(({ status }) => status !== 'deleted');
  const [newest] = present;
  const watched = present.find(({ integrations = [] }) => integrations.length > 0);
  return [
    { text: 'Make a schedule', isDone: present.length > 0, href: '/schedules/new' },
    {
      text: 'Have a run succeed',
      isDone: succeeded.length > 0,
      href: runsPath({ status: 'succeeded' }),
    },
    {
      text: 'Have a run fail: it says why',
      isDone: failed.length > 0,
      href: runsPath({ status: 'failed' }),
    },
    {
      text: 'Have a webhook told of failures',
      isDone: watched !== undefined,
      href: newest ? `/schedules/${(watched ?? newest).id}/edit` : '/schedules/new',
    },
    {
      text: 'Make a key for your program',
      isDone: keys.some(({ id, revokedAt }) => id !== keyId && revokedAt === undefined),
      href: '/keys',
    },
  ];
}

/** Whether the check list is of use to somebody here. */
export function areStepsOpen(steps: readonly FirstStep[], facts: StepFacts): boolean {
  const isNew = !facts.isMore && facts.schedules.length <= MOST_SCHEDULES;
  return isNew && steps.some(({ isDone }) => !isDone);
}

const SOON_MS = 3_000;
/** About two minutes: samples succeed and fail within half a minute. */
const SOON_TIMES = 40;
const LATER_MS = 15_000;

/**
 * @param answers that have come so far
 * @returns the time until the facts are asked for again, ms
 */
export function askAgainMs(answers: number): number {
  return answers < SOON_TIMES ? SOON_MS : LATER_MS;
}

type Shelf = Pick<Storage, 'getItem' | 'setItem'>;
const PREFIX = 'punctual first steps hidden ';

export function areStepsHidden(clientId: string, shelf: Shelf = localStorage): boolean {
  try {
    return shelf.getItem(PREFIX + clientId) !== null;
  } catch {
    return false;
  }
}

export function hideSteps(clientId: string, shelf: Shelf = localStorage): void {
  try {
    shelf.setItem(PREFIX + clientId, 'yes');
  } catch {
    // A browser that keeps nothing hides them until the page is left.
  }
}
