import { outboxDueAnew, outboxPlaceOf } from '../outbox-rows.ts';
import type { OutboxStore } from '../queue.ts';
import type { Cell } from '../rows.ts';
import { type Connections, columnsOf, type Statement } from './connection.ts';

/** Entries of one call. */
const RECOUNTED_AT_ONCE = 1_000;

const putOff: Statement = {
  name: 'outbox_put_off',
  text: `
    SELECT outbox.id, due_at, attempts, policy
    FROM outbox LEFT JOIN schedules
      ON kind = 'manual' AND schedules.schedule_key = outbox.schedule_key
    WHERE state = 'waiting' AND due_at > $1::bigint AND (due_at, outbox.id) > ($2::bigint, $3::text)
    ORDER BY due_at, outbox.id LIMIT ${RECOUNTED_AT_ONCE} FOR UPDATE OF outbox`,
};
const bringForward: Statement = {
  name: 'outbox_bring_forward',
  text: `
    UPDATE outbox SET due_at = given.due_at
    FROM unnest($1::text[], $2::bigint[]) AS given (id, due_at) WHERE outbox.id = given.id`,
};

export function outboxRecount({ transaction }: Connections): OutboxStore['recount'] {
  return (now, after) =>
    transaction(async send => {
      const rows = await send(putOff, [now, after?.dueAt ?? now, after?.id ?? '']);
      const dues = rows.map((row): Cell[] => [row.id!, outboxDueAnew(row, now)]);
      if (dues.length > 0) await send(bringForward, columnsOf(dues));
      return outboxPlaceOf(rows.at(-1));
    });
}
