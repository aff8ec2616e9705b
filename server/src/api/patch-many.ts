import type * as Wire from '@punctual/client';
import { PunctualError } from '../domain/errors.ts';
import { isId } from '../domain/id.ts';
import { draftPatch } from '../domain/schedule/draft.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { ScheduleChange, VersionedSchedule } from '../store/contract/schedules.ts';
import type { ApiDeps } from './deps.ts';
import { externalIdIn, lookUp, noSchedule } from './find-schedule.ts';
import { nextSlice } from './http/slices.ts';
import { checkTagFilter } from './http/tags.ts';
import { recountReplaced } from './recount-replaced.ts';
import { namesIn, referencesFor } from './references.ts';
import { inPlace, placed, requeueOf, untilWritten } from './update-schedule.ts';

/** Schedules in one call, at most. */
export const MOST_PATCHED = 1_000;

/** A schedule that is to be patched, and how the caller names it in errors. */
interface Selected extends VersionedSchedule {
  place: string;
}

/**
 * Patches many schedules, all or nothing: read, decide, write if nobody else wrote one of them in between, or begin again.
 *
 * @returns them in the order of the ids; those of a tag newest first
 * @throws PunctualError `body_invalid`, `not_found`, and what is wrong with one of them, which it names
 */
export function patchMany(
  deps: ApiDeps,
  caller: Caller,
  input: Wire.PatchManyInput,
): Promise<Schedule[]> {
  checkSelection(input);
  return untilWritten(async () => {
    const selected = await select(deps, caller, input);
    return patchOnce(deps, caller, selected, input.patch);
  });
}

/** @returns null where somebody else was faster with one of them */
async function patchOnce(
  deps: ApiDeps,
  caller: Caller,
  selected: Selected[],
  patch: Wire.SchedulePatch,
): Promise<Schedule[] | null> {
  const { store, clock, engine } = deps;
  const { clientRowId } = caller;
  refuseSharedId(selected, patch);
  const named = selected.map(({ schedule }) => namesIn(schedule));
  const references = await referencesFor(store, clientRowId, [patch, ...named]);
  const { calendars } = references;
  const now = clock.now();
  const changes: ScheduleChange[] = [];
  for (const [index, { place, schedule, version }] of selected.entries()) {
    if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await nextSlice(clientRowId);
    const next = inPlace(place, () => draftPatch(patch, schedule, now, deps.allow, references));
    changes.push({ schedule: next, version, requeue: requeueOf(schedule, next, now) });
  }
  if (!(await updateAll(deps, caller, selected, changes))) return null;
  for (const { schedule } of changes) engine.changed(schedule.id, now);
  if (calendars.size > 0) await recountReplaced(deps, clientRowId, calendars);
  return changes.map(({ schedule }) => schedule);
}

const ITEMS_PER_TURN = 50;

async function updateAll(
  { store }: ApiDeps,
  { clientRowId, keyId }: Caller,
  [first]: Selected[],
  changes: ScheduleChange[],
): Promise<boolean> {
  if (first === undefined) return true;
  try {
    return await store.schedules.updateAll(clientRowId, changes, { kind: 'key', keyId });
  } catch (error) {
    // Only a patch of one schedule sets an external id.
    throw error instanceof PunctualError ? placed(first.place, error) : error;
  }
}

/** @throws PunctualError `body_invalid` */
function checkSelection({ ids, tag }: Wire.PatchManyInput): void {
  if ((ids === undefined) === (tag === undefined)) {
    throw invalid('The body must have exactly one of ids and tag.');
  }
  if (tag !== undefined) checkTagFilter(tag, 'tag');
}

/** @throws PunctualError `request_invalid` where it would give one external id to several */
function refuseSharedId(selected: Selected[], { externalId }: Wire.SchedulePatch): void {
  if (selected.length < 2 || typeof externalId !== 'string') return;
  throw new PunctualError(
    'request_invalid',
    'patch.externalId is the id of one schedule only: patch that one by itself.',
  );
}

function select(
  deps: ApiDeps,
  caller: Caller,
  { ids, tag }: Wire.PatchManyInput,
): Promise<Selected[]> {
  return ids === undefined ? tagged(deps, caller, tag!) : listed(deps, caller, ids);
}

async function tagged({ store }: ApiDeps, { clientRowId }: Caller, tag: string) {
  const ids = await store.schedules.idsWithTag(clientRowId, tag, MOST_PATCHED + 1);
  if (ids.length > MOST_PATCHED) {
    throw new PunctualError(
      'request_invalid',
      `More than 1,000 schedules have the tag: select fewer, by ids or by another tag.`,
    );
  }
  const byId = await foundById(store.schedules, clientRowId, ids);
  return ids.flatMap(id => {
    const found = byId.get(id);
    // One that was deleted in between is selected no more.
    return found === undefined || found.schedule.status === 'deleted'
      ? []
      : [{ ...found, place: `schedule ${id}` }];
  });
}

async function listed(
  { store }: ApiDeps,
  caller: Caller,
  references: string[],
): Promise<Selected[]> {
  const ids = references.filter(isId);
  const byId = await foundById(store.schedules, caller.clientRowId, ids);
  const selected: Selected[] = [];
  const places = new Map<string, string>();
  for (const [index, reference] of references.entries()) {
    const place = `ids[${index}]`;
    const isExternal = externalIdIn(reference) !== null;
    const found = isExternal ? await lookUp(store, caller, reference) : byId.get(reference);
    if (found == null) throw placed(place, noSchedule());
    const before = places.get(found.schedule.id);
    if (before !== undefined) throw invalid(`${place} names the same schedule as ${before}.`);
    places.set(found.schedule.id, place);
    selected.push({ ...found, place });
  }
  return selected;
}

async function foundById(
  schedules: ApiDeps['store']['schedules'],
  clientRowId: number,
  ids: string[],
): Promise<Map<string, VersionedSchedule>> {
  const found = ids.length === 0 ? [] : await schedules.findAll(clientRowId, ids);
  return new Map(found.map(one => [one.schedule.id, one]));
}

function invalid(sentence: string): PunctualError {
  return new PunctualError('body_invalid', sentence);
}
