import type { Schedule, ScheduleInput } from '@punctual/client';

/** The schedules of *Show me*: on the sample targets, and known by their external ids. */

const PREFIX = 'show-me-';
/** `tag` of a list finds them. */
export const SHOW_ME_TAG = 'sample:show-me';

type Sample = Pick<ScheduleInput, 'policy'> & { label: string };

/** Each ends well within its ten seconds, so that none of its times is skipped. */
const SAMPLES: Record<'healthy' | 'flaky' | 'hanging', Sample> = {
  healthy: { label: 'Show me: healthy' },
  flaky: { label: 'Show me: flaky', policy: { maxRetries: 1, retryDelaysSeconds: [2] } },
  hanging: { label: 'Show me: hanging', policy: { timeoutSeconds: 3, maxRetries: 0 } },
};

/** @param sampleUrl of the session */
export function showMeInputs(sampleUrl: string): ScheduleInput[] {
  return Object.entries(SAMPLES).map(([name, sample]) => ({
    ...sample,
    url: `${sampleUrl}/${name}`,
    verb: 'GET',
    interval: '*/10 * * * * *',
    timezone: 'UTC',
    externalId: PREFIX + name,
    tags: { sample: 'show-me' },
  }));
}

/** @returns those that *Show me* made and that still exist: a tag alone may be somebody else's */
export function shownSamples(schedules: readonly Schedule[]): Schedule[] {
  const ids = Object.keys(SAMPLES).map(name => PREFIX + name);
  return schedules.filter(
    ({ externalId, status }) => status !== 'deleted' && ids.includes(externalId ?? ''),
  );
}
