import type { ScheduleInput, SchedulePatch } from '@punctual/client';

/** An edit as a JSON Merge Patch (RFC 7396): only the changes, so that nothing else of the schedule moves. */
export function patchOf(before: ScheduleInput, after: ScheduleInput): SchedulePatch {
  return merging(before, after) as SchedulePatch;
}

type Fields = Record<string, unknown>;

function merging(before: object, after: object): Fields {
  const [old, now] = [before as Fields, after as Fields];
  const removed = Object.keys(old).filter(name => now[name] === undefined);
  const patch: Fields = Object.fromEntries(removed.map(name => [name, null]));
  for (const [name, value] of Object.entries(now)) {
    if (JSON.stringify(value) === JSON.stringify(old[name])) continue;
    const isMerged = isObject(value) && isObject(old[name]);
    patch[name] = isMerged ? merging(old[name] as object, value) : value;
  }
  return patch;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const OF_TIMES = [
  'interval',
  'timezone',
  'startsAt',
  'endsAt',
  'maxRuns',
  'windowSeconds',
  'exclude',
  'onExcluded',
  // It decides the offset in a window.
  'externalId',
] as const;

/** The part of an edit that may change when the schedule fires, or null. */
export function timesPatch(patch: SchedulePatch): SchedulePatch | null {
  const names = OF_TIMES.filter(name => patch[name] !== undefined);
  return names.length === 0 ? null : Object.fromEntries(names.map(name => [name, patch[name]]));
}
