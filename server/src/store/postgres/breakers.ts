import { BREAKER } from '../columns.ts';
import type { BreakerStore } from '../contract/breakers.ts';
import { columnsOf, parameters, type Query, type Statement } from './connection.ts';

const note: Statement = {
  name: 'breakers_note',
  text: `
    INSERT INTO breakers (${BREAKER.list()})
    SELECT * FROM unnest(${parameters(1, BREAKER.types)})
    ON CONFLICT (id) DO UPDATE SET closed_at = excluded.closed_at, open_until = excluded.open_until`,
};
const closeForgotten: Statement = {
  name: 'breakers_close_forgotten',
  text: 'UPDATE breakers SET closed_at = $1 WHERE closed_at IS NULL AND open_until <= $2',
};

export function postgresBreakers(query: Query): BreakerStore {
  return {
    async note(breakers, openUntil) {
      await query(
        note,
        columnsOf(breakers.map(breaker => BREAKER.cells({ ...breaker, openUntil }))),
      );
    },
    async closeForgotten(now, openUntil) {
      await query(closeForgotten, [now, openUntil]);
    },
  };
}
