import { changerFrom, changerOf, changerText } from '../../domain/schedule/changer.ts';
import type { StatusReason } from '../../domain/schedule/schedule.ts';
import { type Cell, CHANGED_SCHEDULE, type Row, SCHEDULE } from '../columns.ts';
import type { PastVersion, VersionAt } from '../contract/versions.ts';

/**
 * A version keeps the cells of a schedule as one JSON object, by the names of their columns. So a new column of schedules
 * needs no column there, and is absent in the versions before it.
 */

/** The arguments of the function that makes such an object: names and columns in turn. */
export const CONFIG = CHANGED_SCHEDULE.names.map(name => `'${name}', ${name}`).join(', ');

/** @param row of a version, with `id` and `created_at` of its schedule and the `key_name` of who changed it */
export function pastVersionFrom(row: Row): PastVersion {
  const changedBy = changerFrom(row.changed_by as string);
  return {
    schedule: scheduleFrom(row),
    version: row.version as number,
    until: row.until_at as number,
    changedBy,
    ...(row.key_name && { keyName: row.key_name as string }),
  };
}

/** @param row of a schedule; `held_version` and `config` of the version that the first later change ended */
export function versionAtFrom(row: Row, at: number): VersionAt {
  const present = { schedule: SCHEDULE.fromRow(row), version: row.version as number };
  const held =
    row.held_version === null
      ? present
      : { schedule: scheduleFrom(row), version: row.held_version as number };
  const { createdAt, updatedAt = createdAt } = held.schedule;
  return {
    scheduleRowId: row.schedule_key as number,
    present,
    // An older node keeps no versions, and those that are too old are gone.
    held: updatedAt <= at ? held : null,
  };
}

/** The author of a change of the service itself. @param cells in the order of `SERVICE_CHANGE` */
export function serviceChangedBy([at, , reason, pausedUntil]: Cell[]): string {
  return changerText(
    changerOf({
      at: at as number,
      statusReason: (reason as StatusReason | null) ?? undefined,
      pausedUntil: (pausedUntil as number | null) ?? undefined,
    }),
  );
}

function scheduleFrom({ id, created_at, config }: Row) {
  const cells = JSON.parse(config as string) as Row;
  return SCHEDULE.fromRow({ ...cells, id: id!, created_at: created_at! });
}
