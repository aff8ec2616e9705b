import { checkInterval } from '../calendar/calendar.ts';
import { PunctualError } from '../errors.ts';
import { newId } from '../id.ts';
import { checkHeaders } from './headers.ts';
import type { Integration, Policy, Schedule, Verb } from './schedule.ts';
import { type AllowTargets, checkTargetUrl } from './target.ts';

/**
 * Drafts: the schedule that the body of a create, a replace or a patch asks for.
 *
 * Guarantee: a draft can be stored and fired. Its shape was checked before (api/openapi/schemas).
 * This module adds the defaults, keeps the values that a patch leaves out, and checks the interval,
 * the targets, the headers and the sizes.
 */

export interface IntegrationBody {
  id?: string;
  type: 'WEBHOOK';
  url: string;
  name?: string;
  includeScheduleUrlInCallback?: boolean;
  callOnSuccess?: boolean;
}

/** Read-only fields (`id`, `createdAt`, `updatedAt`) may stand beside these and are not looked at. */
export interface ScheduleBody {
  url: string;
  verb: Verb;
  interval: string;
  timezone: string;
  status?: 'enabled' | 'disabled';
  headers?: Record<string, string>;
  data?: Record<string, string>;
  integrations?: IntegrationBody[];
  label?: string;
  policy?: Policy;
}

type Merge<Value> = { [Key in keyof Value]?: Value[Key] | null };

export interface PatchBody {
  url?: string;
  verb?: Verb;
  interval?: string;
  timezone?: string;
  status?: 'enabled' | 'disabled';
  headers?: Merge<Record<string, string>> | null;
  data?: Merge<Record<string, string>> | null;
  integrations?: IntegrationBody[] | null;
  label?: string | null;
  policy?: Merge<Policy> | null;
}

export function draftNew(body: ScheduleBody, now: number, allow: AllowTargets): Schedule {
  return checked(
    {
      id: newId(now),
      status: body.status ?? 'enabled',
      createdAt: now,
      ...propertiesOf(body, [], now),
    },
    allow,
  );
}

/**
 * All properties come from the body; identity, age and (where the body has none) status stay.
 *
 * @throws PunctualError `schedule_deleted`, or what is wrong with the body
 */
export function draftReplacement(
  body: ScheduleBody,
  current: Schedule,
  now: number,
  allow: AllowTargets,
): Schedule {
  return checked(replaced(current, body, now), allow);
}

/**
 * JSON Merge Patch (RFC 7396): a property that the patch leaves out stays, null removes it.
 * Properties left out are not checked again, so that a schedule whose target is no longer allowed
 * can still be disabled.
 *
 * @throws PunctualError `schedule_deleted`, or what is wrong with the result
 */
export function draftPatch(
  patch: PatchBody,
  current: Schedule,
  now: number,
  allow: AllowTargets,
): Schedule {
  const merged: ScheduleBody = {
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
  };
  return checked(replaced(current, merged, now), allow, patch);
}

/** Permanently disabled; everything else is kept. Null where it is deleted already. */
export function draftDeletion(current: Schedule, now: number): Schedule | null {
  if (current.status === 'deleted') return null;
  return { ...current, status: 'deleted', updatedAt: laterThan(current, now) };
}

/** @throws PunctualError `schedule_deleted` */
export function refuseDeleted(schedule: Schedule, whatFails: 'changed' | 'triggered'): void {
  if (schedule.status !== 'deleted') return;
  throw new PunctualError(
    'schedule_deleted',
    `The schedule is deleted and can no longer be ${whatFails}.`,
  );
}

/** Whether times have to be counted anew: only these three decide when a schedule fires. */
export function changesTimes(before: Schedule, after: Schedule): boolean {
  return (
    before.interval !== after.interval ||
    before.timezone !== after.timezone ||
    before.status !== after.status
  );
}

/** `updatedAt` moves with every change, also within one millisecond and when the clock goes back. */
function laterThan({ createdAt, updatedAt = createdAt }: Schedule, now: number): number {
  return Math.max(now, updatedAt + 1);
}

/** @throws PunctualError `schedule_deleted` */
function replaced(current: Schedule, body: ScheduleBody, now: number): Schedule {
  refuseDeleted(current, 'changed');
  return {
    id: current.id,
    status: body.status ?? current.status,
    createdAt: current.createdAt,
    updatedAt: laterThan(current, now),
    ...propertiesOf(body, current.integrations ?? [], now),
  };
}

function propertiesOf(body: ScheduleBody, known: readonly Integration[], now: number) {
  return {
    url: body.url,
    verb: body.verb,
    interval: body.interval,
    timezone: body.timezone,
    ...given('headers', body.headers),
    ...given('data', body.data),
    ...given(
      'integrations',
      body.integrations && withIds(body.integrations, new Set(known.map(({ id }) => id)), now),
    ),
    label: body.label ?? '',
    ...given('policy', body.policy),
  };
}

/** An id that was this schedule's is kept, once; any other gives way to a new one. */
function withIds(bodies: IntegrationBody[], known: Set<string>, now: number): Integration[] {
  return bodies.map(body => ({
    id: body.id !== undefined && known.delete(body.id) ? body.id : newId(now),
    type: body.type,
    name: body.name ?? '',
    url: body.url,
    includeScheduleUrlInCallback: body.includeScheduleUrlInCallback ?? false,
    callOnSuccess: body.callOnSuccess ?? false,
  }));
}

/** @param touched the properties to be judged; all of them by default */
function checked(schedule: Schedule, allow: AllowTargets, touched: object = schedule): Schedule {
  const { url, interval, timezone, headers, data, integrations = [] } = schedule;
  if ('url' in touched) checkTargetUrl(url, allow, 'url');
  checkInterval(interval, timezone);
  if (headers && 'headers' in touched) checkHeaders(headers);
  if (data && 'data' in touched) checkData(data);
  if ('integrations' in touched) {
    integrations.forEach(({ url }, index) => {
      checkTargetUrl(url, allow, `integrations[${index}].url`);
    });
  }
  return schedule;
}

const MOST_DATA_BYTES = 128 * 1024;

export function checkData(data: Record<string, string>): void {
  if (Buffer.byteLength(JSON.stringify(data)) <= MOST_DATA_BYTES) return;
  throw new PunctualError('body_too_large', 'data must be at most 128 KiB as JSON.');
}

/** An optional property that is absent where it is unset. */
function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}

function mergedValue<Value>(
  patch: Value | null | undefined,
  current: Value | undefined,
): Value | undefined {
  return patch === undefined ? current : (patch ?? undefined);
}

/** Built from entries, so that a key such as `__proto__` stays a key. */
function mergedObject<Value extends object>(
  patch: Merge<Value> | null | undefined,
  current: Value | undefined,
): Value | undefined {
  if (patch === undefined) return current;
  if (patch === null) return undefined;
  const merged = new Map<string, unknown>(Object.entries(current ?? {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return Object.fromEntries(merged) as Value;
}
