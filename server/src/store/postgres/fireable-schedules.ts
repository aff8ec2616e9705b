import { type Cell, FIREABLE, type Row, selected } from '../columns.ts';
import type { Query, Statement } from './connection.ts';

const firings: Statement = {
  name: 'firings',
  text: `
    SELECT ${selected(FIREABLE)}
    FROM schedules JOIN clients USING (client_key) WHERE schedule_key = ANY ($1)`,
};

/** What is needed to fire beside these rows of the queue or the outbox, by the schedules' keys. */
export async function fireableSchedulesOf(query: Query, rows: Row[]): Promise<Map<Cell, Row>> {
  if (rows.length === 0) return new Map();
  const found = await query(firings, [rows.map(row => row.schedule_key as number)]);
  return new Map(found.map(row => [row.schedule_key!, row]));
}
