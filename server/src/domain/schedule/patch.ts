import { fieldsOf, type Timing } from '../calendar/timing.ts';
import { iso } from '../iso.ts';
import type { DeepMerge, PatchBody, ScheduleBody } from './body.ts';
import { given } from './given.ts';
import type { Policy, Schedule } from './schedule.ts';
import type { TimingBody } from './timing-draft.ts';

/** The body that a patch (RFC 7396) makes of a stored schedule: a property that it leaves out stays, null removes it. */
export function mergedBody(patch: PatchBody, current: Schedule): ScheduleBody {
  const timing = timingBodyOf(current.timing);
  return {
    url: patch.url ?? current.url,
    verb: patch.verb ?? current.verb,
    interval: patch.interval ?? current.interval,
    timezone: patch.timezone ?? current.timezone,
    ...given('status', patch.status),
    ...given('headers', mergedObject(patch.headers, current.headers)),
    ...given('data', mergedObject(patch.data, current.data)),
    ...given('integrations', mergedValue(patch.integrations, current.integrations)),
    ...given('label', mergedValue(patch.label, current.label)),
    ...given('policy', mergedObject<Policy>(patch.policy, current.policy)),
    ...given('externalId', mergedValue(patch.externalId, current.externalId)),
    ...given('tags', mergedObject(patch.tags, current.tags)),
    ...given('body', mergedValue(patch.body, current.delivery?.body)),
    ...given('destination', mergedValue(patch.destination, current.delivery?.destination)),
    ...given('startsAt', mergedValue(patch.startsAt, timing.startsAt)),
    ...given('endsAt', mergedValue(patch.endsAt, timing.endsAt)),
    ...given('maxRuns', mergedValue(patch.maxRuns, timing.maxRuns)),
    ...given('pausedUntil', mergedValue(patch.pausedUntil, timing.pausedUntil)),
    ...given('windowSeconds', mergedValue(patch.windowSeconds, timing.windowSeconds)),
    ...given('exclude', mergedValue(patch.exclude, timing.exclude)),
    ...given('onExcluded', mergedValue(patch.onExcluded, timing.onExcluded)),
    ...given('afterCompletion', mergedValue(patch.afterCompletion, timing.afterCompletion)),
  };
}

/** The timing of a schedule as a body asks for it. */
export function timingBodyOf(timing: Timing = {}): TimingBody {
  const { startsAt, endsAt, pausedUntil, ...same } = fieldsOf(timing);
  return {
    ...same,
    ...(startsAt !== undefined && { startsAt: iso(startsAt) }),
    ...(endsAt !== undefined && { endsAt: iso(endsAt) }),
    ...(pausedUntil !== undefined && { pausedUntil: iso(pausedUntil) }),
  };
}

function mergedValue<Value>(
  patch: Value | null | undefined,
  current: Value | undefined,
): Value | undefined {
  return patch === undefined ? current : (patch ?? undefined);
}

/** At every depth. Built from entries, so that a key such as `__proto__` stays a key. */
function mergedObject<Value extends object>(
  patch: DeepMerge<Value> | null | undefined,
  current: Value | undefined,
): Value | undefined {
  if (patch === undefined) return current;
  if (patch === null) return undefined;
  const merged = new Map<string, unknown>(Object.entries(current ?? {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? mergedInto(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged) as Value;
}

function mergedInto(current: unknown, patch: object): object {
  return mergedObject<object>(patch, isObject(current) ? current : {})!;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
