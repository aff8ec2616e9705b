import { nextTime } from '../calendar/times.ts';
import { PunctualError } from '../errors.ts';
import { newId } from '../id.ts';
import { iso } from '../iso.ts';
import type { IntegrationBody, PatchBody, ScheduleBody } from './body.ts';
import { checkData } from './data.ts';
import { allGiven, given } from './given.ts';
import { checkHeaders } from './headers.ts';
import { checkExternalId, checkTags } from './identity.ts';
import { mergedBody } from './patch.ts';
import { checkPolicy } from './policy-draft.ts';
import { checkRawBody } from './raw-body.ts';
import { checkDestination, NO_REFERENCES, type References } from './references.ts';
import { deliveryOf } from './request-parts.ts';
import type { Integration, Schedule } from './schedule.ts';
import { type AllowTargets, checkTargetUrl } from './target.ts';
import { checkTemplates } from './template/check.ts';
import {
  type CalendarVersions,
  checkComing,
  checkOneOff,
  isSameTiming,
  type TimingBody,
  timingFrom,
  withTiming,
} from './timing-draft.ts';

/**
 * Drafts: the schedule that the body of a create, a replace or a patch asks for.
 *
 * Guarantee: a draft can be stored and fired. Its shape was checked before (api/openapi/schemas).
 * This module adds the defaults, keeps the values that a patch leaves out, and checks the interval,
 * the targets, the headers and the sizes.
 */

/**
 * @param references have at least those that the body names
 * @throws PunctualError what is wrong with the body
 */
export function draftNew(
  body: ScheduleBody,
  now: number,
  allow: AllowTargets,
  references: References = NO_REFERENCES,
  id = newId(now),
): Schedule {
  const draft: Schedule = {
    id,
    status: body.status ?? 'enabled',
    createdAt: now,
    ...propertiesOf(body, [], now),
  };
  return settled(checked(draft, allow, references), null, now, references.calendars);
}

/**
 * All properties come from the body; identity and age stay, and where the body has none, so do status, external id and
 * `pausedUntil`.
 *
 * @throws PunctualError `schedule_deleted`, or what is wrong with the body
 */
export function draftReplacement(
  body: ScheduleBody,
  current: Schedule,
  now: number,
  allow: AllowTargets,
  references: References = NO_REFERENCES,
): Schedule {
  const kept = { ...given('externalId', current.externalId), ...keptPause(current) };
  const draft = replaced(current, { ...kept, ...body }, now);
  return settled(checked(draft, allow, references), current, now, references.calendars);
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
  references: References = NO_REFERENCES,
): Schedule {
  const merged = mergedBody(patch, current);
  const draft = checked(replaced(current, merged, now), allow, references, patch);
  return settled(draft, current, now, references.calendars);
}

function keptPause({ timing }: Schedule): TimingBody {
  const pausedUntil = timing?.pausedUntil;
  return pausedUntil === undefined ? {} : { pausedUntil: iso(pausedUntil) };
}

/**
 * The draft with its timing, and with a status that fits it: an enabled schedule has a time to come.
 *
 * @param before null where it is new
 */
function settled(
  draft: Schedule,
  before: Schedule | null,
  now: number,
  calendars: CalendarVersions,
): Schedule {
  checkOneOff(draft, before, now);
  const timed = withTiming(draft, before, now, calendars);
  const isUntouched = before !== null && !changesTimes(before, timed, now);
  if (isUntouched) return withPassedPause(timed, before);
  if (timed.status !== 'enabled') return timed;
  checkComing(timed, now);
  return timed.timing !== undefined && endsInPause(timed, now) ? completedOf(timed) : timed;
}

/** A pause that has passed stays on record until the times change: explanations of its times need it. */
function withPassedPause(schedule: Schedule, { timing }: Schedule): Schedule {
  return timing === undefined ? schedule : { ...schedule, timing };
}

/** A pause leaves no time to come: the schedule completes at once. */
function endsInPause(schedule: Schedule, now: number): boolean {
  return schedule.timing?.pausedUntil !== undefined && nextTime(schedule, now) === null;
}

/** The schedule when no time is left to come. */
export function completedOf(schedule: Schedule): Schedule & { status: 'disabled' | 'deleted' } {
  const status = schedule.timing?.afterCompletion === 'delete' ? 'deleted' : 'disabled';
  return { ...schedule, status, statusReason: 'completed' };
}

/** Permanently disabled; everything else is kept. Null where it is deleted already. */
export function draftDeletion(current: Schedule, now: number): Schedule | null {
  if (current.status === 'deleted') return null;
  const { statusReason: _, ...kept } = current;
  return { ...kept, status: 'deleted', updatedAt: laterThan(current, now) };
}

/** @throws PunctualError `schedule_deleted` */
export function refuseDeleted(schedule: Schedule, whatFails: 'changed' | 'triggered'): void {
  if (schedule.status !== 'deleted') return;
  throw new PunctualError(
    'schedule_deleted',
    `The schedule is deleted and can no longer be ${whatFails}.`,
  );
}

/** Whether times have to be counted anew: only these decide when a schedule fires. */
export function changesTimes(before: Schedule, after: Schedule, now: number): boolean {
  return (
    before.interval !== after.interval ||
    before.timezone !== after.timezone ||
    before.status !== after.status ||
    !isSameTiming(openPause(before, now), openPause(after, now))
  );
}

/** A pause that is over counts as none. @param now by the clock: where that was set back, `updatedAt` may be much later */
function openPause({ timing }: Schedule, now: number) {
  if (timing?.pausedUntil === undefined || timing.pausedUntil > now) return timing;
  const { pausedUntil: _, ...open } = timing;
  return Object.keys(open).length === 0 ? undefined : open;
}

/** `updatedAt` moves with every change, also within one millisecond and when the clock goes back. */
export function laterThan({ createdAt, updatedAt = createdAt }: Schedule, now: number): number {
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
    ...keptReason(current, body),
  };
}

/** A change of status by a caller removes the reason. */
function keptReason({ status, statusReason }: Schedule, body: ScheduleBody) {
  const isKept = body.status === undefined || body.status === status;
  return isKept ? given('statusReason', statusReason) : {};
}

function propertiesOf(body: ScheduleBody, known: readonly Integration[], now: number) {
  const { externalId, tags } = body;
  const timing = timingFrom(body, now);
  return allGiven({
    url: body.url,
    verb: body.verb,
    interval: body.interval,
    timezone: body.timezone,
    headers: body.headers,
    data: body.data,
    integrations:
      body.integrations && withIds(body.integrations, new Set(known.map(({ id }) => id)), now),
    label: body.label ?? '',
    policy: body.policy,
    timing: Object.keys(timing).length > 0 ? timing : undefined,
    delivery: deliveryOf(body),
    externalId,
    tags,
  });
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
function checked(
  schedule: Schedule,
  allow: AllowTargets,
  { destinations }: References,
  touched: object = schedule,
): Schedule {
  const { url, verb, headers, data, integrations = [], delivery, externalId, tags } = schedule;
  const { policy } = schedule;
  if (policy?.template === true) checkTemplates({ ...schedule, body: delivery?.body });
  if ('url' in touched) checkTargetUrl(url, allow, 'url');
  if (headers && 'headers' in touched) checkHeaders(headers);
  if (data && 'data' in touched) checkData(data);
  if (delivery?.destination !== undefined && DIRECTING.some(field => field in touched)) {
    checkDestination({ ...schedule, destination: delivery.destination }, destinations);
  }
  if (delivery?.body !== undefined) checkRawBody(delivery.body, verb, data);
  if (externalId !== undefined) checkExternalId(externalId);
  if (tags && 'tags' in touched) checkTags(tags);
  if (policy && 'policy' in touched) checkPolicy(policy, allow.lacksUrl);
  if ('integrations' in touched) {
    integrations.forEach(({ url }, index) => {
      checkTargetUrl(url, allow, `integrations[${index}].url`);
    });
  }
  return schedule;
}

/** The fields that have to fit a destination. */
const DIRECTING = ['url', 'headers', 'destination'];
