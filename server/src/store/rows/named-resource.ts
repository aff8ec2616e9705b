import { PunctualError } from '../../domain/errors.ts';
import type { Columns, Row } from '../columns.ts';
import type { ScheduleUse } from '../contract/named-resource.ts';

/** A kind of named resource, as both backends keep it. `Use` is a schedule that names one. */
export interface NamedResource<Stored, Use extends ScheduleUse> {
  /** Its table. The sentences call the resources so too. */
  table: 'calendars' | 'destinations';
  /** The columns that anybody may see. */
  columns: Columns<Stored>;
  /** The columns of a schedule that names one. */
  use: Columns<Omit<Use, 'scheduleRowId'>>;
  /** The mark of a schedule that names it. */
  markOf: (name: string) => string;
  /** Of one client, at most. */
  most: number;
}

/** @param row of a schedule with its `schedule_key` */
export function useFrom<Use extends ScheduleUse>(
  row: Row,
  { use }: Pick<NamedResource<unknown, Use>, 'use'>,
): Use {
  return { scheduleRowId: row.schedule_key as number, ...use.fromRow(row) } as Use;
}

export function tooMany({
  table,
  most,
}: Pick<NamedResource<unknown, ScheduleUse>, 'table' | 'most'>) {
  return new PunctualError(
    'quota_exceeded',
    `There are ${most} ${table} already, and a client may have no more: delete one that nothing uses.`,
  );
}
