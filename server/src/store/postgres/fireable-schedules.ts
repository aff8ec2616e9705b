import { type Cell, FIREABLE, type Row, selected } from '../columns.ts';
import type { Query, Statement } from './connection.ts';

/**
 * When the earliest row of the queue is due, among those that this engine may fire.
 *
 * @param level the parameter of its level
 */
export function nextDueAtSql(level: string): string {
  return `(SELECT min(due_at) FROM queue WHERE state <> 'inFlight' AND needs <= ${level})`;
}

const read = (name: string, columns: string): Statement => ({
  name,
  text: `
    SELECT ${columns}
    FROM schedules JOIN clients USING (client_key) WHERE schedule_key = ANY ($1)`,
});
const alone = read('fireable_schedules', selected(FIREABLE));
const withNextDueAt = read(
  'fireable_schedules_and_next_due',
  `${selected(FIREABLE)}, ${nextDueAtSql('$2')} AS next_due_at`,
);

/**
 * The schedules of these rows of the queue or the outbox, by the schedules' keys.
 *
 * @param level of this engine, where each is to have `next_due_at` too (`nextDueAtSql`)
 */
export async function fireableSchedulesOf(
  query: Query,
  rows: Row[],
  level?: number,
): Promise<Map<Cell, Row>> {
  if (rows.length === 0) return new Map();
  const keys = rows.map(row => row.schedule_key as number);
  const found = await (level === undefined
    ? query(alone, [keys])
    : query(withNextDueAt, [keys, level]));
  return new Map(found.map(row => [row.schedule_key!, row]));
}
