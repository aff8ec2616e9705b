import type * as Wire from '@punctual/client';
import { PunctualError } from '../domain/errors.ts';
import { iso } from '../domain/iso.ts';
import { fieldChanges, shortened } from '../domain/schedule/field-changes.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { VersionedSchedule } from '../store/contract/schedules.ts';
import type { Store } from '../store/contract/store.ts';
import type { PastVersion } from '../store/contract/versions.ts';
import { scheduleAnswer } from './answers.ts';
import { findSchedule } from './find-schedule.ts';
import { FIRST_VERSION } from './http/etag.ts';
import { jsonPathOf } from './http/json-path.ts';
import { cursorAfter, versionBefore } from './http/pagination.ts';

/** A version in the list, the present one or one before. */
type AnyVersion = VersionedSchedule & Partial<Pick<PastVersion, 'until'>>;

/**
 * A page of the versions of a schedule, newest first. Each is told with what it changed, so one more is read.
 *
 * @throws PunctualError `not_found`, `cursor_invalid`
 */
export async function listVersions(
  store: Store,
  caller: Caller,
  reference: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Wire.VersionPage> {
  const before = versionBefore(cursor);
  const present = await findSchedule(store, caller, reference);
  const past = await store.versions.list(
    caller.clientRowId,
    present.schedule.id,
    limit + 1,
    before ?? present.version,
  );
  const versions: AnyVersion[] = before === undefined ? [present, ...past] : past;
  const items = versions.slice(0, limit).map(version => {
    const predecessor = past.find(each => each.version < version.version);
    return versionAnswer(version, predecessor);
  });
  const isMore = versions.length > limit;
  return { items, ...(isMore && { nextCursor: cursorAfter(`v${items.at(-1)!.version}`) }) };
}

/**
 * A schedule as it was.
 *
 * @throws PunctualError `not_found` also where the version is not kept
 */
export async function findVersion(
  store: Store,
  caller: Caller,
  reference: string,
  versionText: string,
): Promise<Schedule> {
  const { schedule, version } = await findSchedule(store, caller, reference);
  const wanted = /^[1-9]\d{0,8}$/.test(versionText) ? Number(versionText) : 0;
  if (wanted === version) return schedule;
  const [found] = await store.versions.list(caller.clientRowId, schedule.id, 1, wanted + 1);
  if (found?.version === wanted) return found.schedule;
  throw new PunctualError(
    'not_found',
    'The schedule has no such version, or it is not kept any more.',
  );
}

/** The instant since which a version holds, epoch ms. */
export function heldSince({ createdAt, updatedAt = createdAt }: Schedule): number {
  return updatedAt;
}

function versionAnswer(
  version: AnyVersion,
  predecessor: PastVersion | undefined,
): Wire.ScheduleVersion {
  const { schedule, until } = version;
  const since = heldSince(schedule);
  const told = {
    version: version.version,
    at: iso(since),
    ...(until !== undefined && { until: iso(until) }),
  };
  if (version.version === FIRST_VERSION) return { ...told, changes: [] };
  // If one in between is not kept, nobody knows who changed what.
  if (predecessor === undefined || predecessor.until !== since) return told;
  return { ...told, ...whoAnswer(predecessor), changes: changesOf(predecessor.schedule, schedule) };
}

function whoAnswer({ changedBy, keyName }: PastVersion): Pick<Wire.ScheduleVersion, 'by' | 'key'> {
  if (changedBy.kind !== 'key') return { by: changedBy.kind };
  const { keyId } = changedBy;
  return { by: 'key', key: { keyId, ...(keyName !== undefined && { name: keyName }) } };
}

function changesOf(before: Schedule, after: Schedule): Wire.FieldChange[] {
  const at = heldSince(after);
  return fieldChanges(shown(before, at), shown(after, at)).map(({ way, ...values }) => ({
    path: jsonPathOf(way),
    ...(shortened(values) as object),
  }));
}

function shown(schedule: Schedule, at: number): object {
  const { updatedAt: _, ...answer } = scheduleAnswer(schedule, at);
  return answer;
}
