import type * as Wire from '@punctual/client';
import { clockNotes } from '../domain/calendar/clock-change.ts';
import { type Difference, differenceOf } from '../domain/calendar/difference.ts';
import { loadCalendars } from '../domain/calendar/load-calendars.ts';
import { nextTime } from '../domain/calendar/times.ts';
import { PunctualError } from '../domain/errors.ts';
import { isId } from '../domain/id.ts';
import { iso } from '../domain/iso.ts';
import { isExternalId } from '../domain/schedule/identity.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type {
  SimulatedChange,
  SimulatedFacts,
  SimulatedResult,
} from '../domain/schedule/simulate.ts';
import type { AllowTargets } from '../domain/schedule/target.ts';
import type { Store } from '../store/contract/store.ts';
import { clockNoteAnswer } from './clock-notes.ts';
import { externalIdIn } from './find-schedule.ts';
import type { YieldTurn } from './http/slices.ts';
import { namesIn, referencesFor } from './references.ts';

/** A simulation, between the wire and the domain. */

/** Epoch ms; `to` is exclusive. */
export interface SimulatedRange {
  from: number;
  to: number;
}

/** @throws PunctualError `request_invalid` */
export function readChange(input: Wire.ChangeInput, index: number): SimulatedChange {
  const { create, id, patch, delete: isDelete } = input;
  const kinds = [create, patch, isDelete].filter(given => given !== undefined);
  if (kinds.length !== 1) {
    throw invalid(index, 'must have one of create, patch and delete.');
  }
  if (create !== undefined) {
    if (id !== undefined) throw invalid(index, 'must not have an id beside create.');
    return { action: 'create', body: create };
  }
  if (id === undefined) throw invalid(index, 'must have an id.');
  return patch === undefined
    ? { action: 'delete', name: id }
    : { action: 'patch', name: id, patch };
}

function invalid(index: number, sentence: string): PunctualError {
  return new PunctualError('request_invalid', `changes[${index}] ${sentence}`);
}

/** Questions of one simulation that the store has at the same time. */
const FINDS_AT_ONCE = 50;

/** Reads all that the changes refer to; their times can be counted then. */
export async function factsOf(
  changes: SimulatedChange[],
  store: Store,
  clientRowId: number,
  allow: AllowTargets,
): Promise<SimulatedFacts> {
  const schedules = await namedBy(changes, store, clientRowId);
  await loadCalendars(store.calendars, [...schedules.values()]);
  const references = await referencesFor(store, clientRowId, [
    ...[...schedules.values()].map(namesIn),
    ...changes.flatMap(change => bodyOf(change) ?? []),
  ]);
  return { schedules, references, allow };
}

async function namedBy(
  changes: SimulatedChange[],
  { schedules }: Store,
  clientRowId: number,
): Promise<Map<string, Schedule>> {
  const names = changes.flatMap(change => (change.action === 'create' ? [] : change.name));
  const ids = names.filter(isId);
  const external = [
    ...names.flatMap(name => externalIdIn(name) ?? []),
    ...changes.flatMap(change => bodyOf(change)?.externalId ?? []),
  ].filter(isExternalId);
  const found = await schedules.findAll(clientRowId, [...new Set(ids)]);
  const asked = [...new Set(external)];
  for (let first = 0; first < asked.length; first += FINDS_AT_ONCE) {
    const some = asked.slice(first, first + FINDS_AT_ONCE);
    const each = some.map(externalId => schedules.findByExternalId(clientRowId, externalId));
    found.push(...(await Promise.all(each)).filter(one => one !== null));
  }
  return new Map(found.map(({ schedule }) => [schedule.id, schedule]));
}

function bodyOf(change: SimulatedChange) {
  if (change.action === 'create') return change.body;
  return change.action === 'patch' ? change.patch : null;
}

/** Counts in slices: whatever else waits has its turn in between. */
export async function effectOf(
  { action, id, before, after, problems }: SimulatedResult,
  range: SimulatedRange,
  turn: YieldTurn,
): Promise<Wire.ChangeEffect> {
  const [old, next] = [firingOf(before), firingOf(after)];
  const difference = await counted(differenceOf(old, next, range), turn);
  const { countBefore, countAfter, changed } = difference;
  const [nextBefore, nextAfter] = [firstFrom(old, range), firstFrom(next, range)];
  return {
    action,
    ...(id !== undefined && { id }),
    firingsBefore: countBefore,
    firingsAfter: countAfter,
    ...(changed !== null && {
      ...changed,
      added: changed.added.map(iso),
      removed: changed.removed.map(iso),
    }),
    ...(nextBefore !== null && { nextBefore: iso(nextBefore) }),
    ...(nextAfter !== null && { nextAfter: iso(nextAfter) }),
    clockNotes: notesOf(next, range),
    problems,
  };
}

async function counted(work: Generator<void, Difference>, turn: YieldTurn): Promise<Difference> {
  for (;;) {
    if (turn.isOver) await turn.next();
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Null where it does not fire. */
export function firingOf(schedule: Schedule | null): Schedule | null {
  return schedule?.status === 'enabled' ? schedule : null;
}

function firstFrom(schedule: Schedule | null, { from }: SimulatedRange): number | null {
  return schedule === null ? null : nextTime(schedule, from - 1);
}

function notesOf(schedule: Schedule | null, { from, to }: SimulatedRange): Wire.ClockNote[] {
  return schedule === null ? [] : clockNotes(schedule, from, to - 1).map(clockNoteAnswer);
}
