import type { Schedule } from '@punctual/client';

/** Changes that are on the screen before the service has made them: pure functions over answers. */

export interface PendingChange {
  /** Of schedules. */
  ids: ReadonlySet<string>;
  /** Their fields as they will be, undefined for one that goes away; null: they are deleted. */
  fields: { readonly [Field in keyof Schedule]?: Schedule[Field] | undefined } | null;
}

/** Answers are lists of rows with a schedule in each, at most this deep. */
const DEEPEST = 4;

/**
 * An answer of the service as it will be after the changes. Rows that no change touches are the same objects.
 *
 * @param changes in the order in which they were made
 */
export function withChanges<Data>(data: Data, changes: readonly PendingChange[]): Data {
  return changes.reduce((before, change) => changed(before, change, 0) as Data, data);
}

function changed(value: unknown, change: PendingChange, depth: number): unknown {
  if (depth > DEEPEST) return value;
  if (Array.isArray(value)) {
    const after = value
      .filter(row => !isGone(row, change))
      .map(row => changed(row, change, depth + 1));
    return isSameList(value, after) ? value : after;
  }
  if (!isRecord(value)) return value;
  if (isSchedule(value)) return change.ids.has(value.id) ? afterChange(value, change) : value;
  const after = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, changed(part, change, depth + 1)]),
  );
  const isSame = Object.entries(after).every(([name, part]) => value[name] === part);
  return isSame ? value : after;
}

function afterChange(schedule: Schedule, { fields }: PendingChange): object {
  return { ...schedule, ...(fields ?? { status: 'deleted' }) };
}

/** A row of a deleted schedule. Its runs have attempts; they are kept, and stay. */
function isGone(row: unknown, { ids, fields }: PendingChange): boolean {
  if (fields !== null || !isRecord(row)) return false;
  const schedule = isSchedule(row) ? row : row.schedule;
  if (isSchedule(schedule)) return ids.has(schedule.id);
  return typeof row.scheduleId === 'string' && !('attempts' in row) && ids.has(row.scheduleId);
}

function isSchedule(value: unknown): value is Schedule {
  return isRecord(value) && typeof value.id === 'string' && 'interval' in value && 'verb' in value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

function isSameList(before: unknown[], after: unknown[]): boolean {
  return before.length === after.length && before.every((each, index) => each === after[index]);
}

/** All schedules of an answer, by their ids. */
export function schedulesIn(data: unknown, depth = 0): Map<string, Schedule> {
  if (depth > DEEPEST) return new Map();
  if (isSchedule(data)) return new Map([[data.id, data]]);
  const parts = Array.isArray(data) ? data : isRecord(data) ? Object.values(data) : [];
  return new Map(parts.flatMap(part => [...schedulesIn(part, depth + 1)]));
}
