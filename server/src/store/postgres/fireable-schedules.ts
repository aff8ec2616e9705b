import { type Cell, FIREABLE, type Row, selected } from '../columns.ts';
import type { Query, Statement } from './connection.ts';

/** When the earliest row of the queue is due. */
export const NEXT_DUE_AT = "(SELECT min(due_at) FROM queue WHERE state <> 'inFlight')";

const read = (name: string, columns: string): Statement => ({
  name,
  text: `
    SELECT ${columns}
    FROM schedules JOIN clients USING (client_key) WHERE schedule_key = ANY ($1)`,
});
const alone = read('fireable_schedules', selected(FIREABLE));
const withNextDueAt = read(
  'fireable_schedules_and_next_due',
  `${selected(FIREABLE)}, ${NEXT_DUE_AT} AS next_due_at`,
);

/**
 * The schedules of these rows of the queue or the outbox, by the schedules' keys.
 *
 * @param withNextDue whether each has `next_due_at` too (`NEXT_DUE_AT`)
 */
export async function fireableSchedulesOf(
  query: Query,
  rows: Row[],
  withNextDue = false,
): Promise<Map<Cell, Row>> {
  if (rows.length === 0) return new Map();
  const statement = withNextDue ? withNextDueAt : alone;
  const found = await query(statement, [rows.map(row => row.schedule_key as number)]);
  return new Map(found.map(row => [row.schedule_key!, row]));
}
