import { ENGINE_LEVEL } from '../../domain/schedule/level.ts';
import type { Cluster } from '../contract/cluster.ts';
import { IS_OF_PUNCTUAL, type Query, type Statement } from './connection.ts';
import type { Lease } from './lease.ts';

/** The engines that fire from this store, by the clock of the database. */

/** An engine counts for this many leases after it was last seen, and is forgotten after ten times as many. */
const LEASES = 3;
const FORGOTTEN = 10 * LEASES;

const span = (leases: number) => `${leases} * $2 * interval '1 millisecond'`;

/** It waits for no disk, and for no other node that does the same. */
const note: Statement = {
  name: 'engines_note',
  text: `
    WITH noted AS (
      INSERT INTO engines (node, seen_at) VALUES ($1, clock_timestamp())
      ON CONFLICT (node) DO UPDATE SET seen_at = excluded.seen_at
      RETURNING set_config('synchronous_commit', 'off', true)
    ), forgotten AS (
      DELETE FROM engines WHERE node = ANY (ARRAY(
        SELECT node FROM engines
        WHERE node <> $1 AND seen_at < clock_timestamp() - ${span(FORGOTTEN)}
        FOR UPDATE SKIP LOCKED))
    )
    SELECT (SELECT count(*) FROM noted) + count(*) AS count FROM engines
    WHERE node <> $1 AND seen_at BETWEEN clock_timestamp() - ${span(LEASES)}
      AND clock_timestamp() + ${span(LEASES)}`,
};
const older: Statement = {
  name: 'engines_older',
  text: `
    SELECT count(*) AS count FROM pg_stat_activity
    WHERE ${IS_OF_PUNCTUAL}
      AND coalesce(substring(application_name FROM '[0-9]+$')::integer, 0) < ${ENGINE_LEVEL}`,
};
const forget: Statement = { name: 'engines_forget', text: 'DELETE FROM engines WHERE node = $1' };

export function postgresEngines(
  query: Query,
  { node, leaseMs }: Lease,
): Pick<Cluster, 'engineLives' | 'engineStopped' | 'hasOlderNodes'> {
  return {
    async hasOlderNodes() {
      const [row] = await query(older);
      return (row!.count as number) > 0;
    },
    async engineLives() {
      const [row] = await query(note, [node, leaseMs]);
      return row!.count as number;
    },
    async engineStopped() {
      await query(forget, [node]);
    },
  };
}
