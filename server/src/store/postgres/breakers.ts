import type { BreakerStore } from '../contract/breakers.ts';
import { BREAKER_COLUMNS, breakerCells } from '../rows/breakers.ts';
import { columnsOf, type Query, type Statement } from './connection.ts';

const note: Statement = {
  name: 'breakers_note',
  text: `
    INSERT INTO breakers (${BREAKER_COLUMNS.join(', ')})
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[],
      $6::bigint[], $7::bigint[])
    ON CONFLICT (id) DO UPDATE SET closed_at = excluded.closed_at, open_until = excluded.open_until`,
};
const closeForgotten: Statement = {
  name: 'breakers_close_forgotten',
  text: 'UPDATE breakers SET closed_at = $1 WHERE closed_at IS NULL AND open_until <= $2',
};

export function postgresBreakers(query: Query): BreakerStore {
  return {
    async note(breakers, openUntil) {
      await query(note, columnsOf(breakers.map(breaker => breakerCells(breaker, openUntil))));
    },
    async closeForgotten(now, openUntil) {
      await query(closeForgotten, [now, openUntil]);
    },
  };
}
