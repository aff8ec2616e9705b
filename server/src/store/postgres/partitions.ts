import { lowestIdAt } from '../../domain/id.ts';
import type { HistoryLimits } from '../contract/runs.ts';
import {
  dayAfter,
  dayOf,
  limitOf,
  RETENTION_CLASSES,
  type RetentionClass,
} from '../rows/retention-class.ts';
import { type Connections, type Query, readClock } from './connection.ts';

/**
 * Days of history: a table for each day (UTC, of the nominal time) and each `keep`, made ahead, so that
 * retention drops tables. Runs of other days stand in the default tables.
 */

/** The days around now that have tables of their own, counted from today. */
const FIRST_DAY = -1;
const LAST_DAY = 3;

/** Days further back than this get no tables of their own. */
const OLDEST_DAY = -400;

/** Rows that one call deletes where it cannot drop: of a default table, or of the outbox. */
const DELETED_AT_ONCE = 5_000;
/** A table of more pages (8 KiB) is not read to count its rows: the planner's estimate is told. */
const COUNTED_PAGES = 10_000;

/** Many nodes do this: one after the other. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtext('punctual days of history'))";
/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LOCK_NOT_AVAILABLE = '55P03';
/**
 * A statement that waits for a table's lock holds up all that come after it. So it gives up soon, and the next
 * call tries again.
 */
const BE_BRIEF = "SELECT set_config('lock_timeout', '2s', true)";
/** All writers wait behind a drop that waits, and a dump may hold the tables for hours. */
const BE_BRIEFER = "SELECT set_config('lock_timeout', '100ms', true)";

/**
 * Makes the tables from yesterday to three days ahead of `now`. Runs that stand in the default table
 * already move into their own. Cheap where all are there; to be called at least once a day.
 *
 * @throws PunctualError `store_unavailable`, also where the tables are too busy: call again
 */
export async function ensurePartitions(connections: Connections, now: number): Promise<void> {
  for (const keep of RETENTION_CLASSES) {
    const known = new Set(await namesOf(connections.query, keep));
    for (let offset = FIRST_DAY; offset <= LAST_DAY; offset += 1) {
      const day = dayAfter(dayOf(now), offset);
      if (!known.has(nameOf(keep, day))) {
        await connections.transaction(send => makeDay(send, keep, day));
      }
    }
  }
}

/**
 * Makes the tables of days that runs are about to fill, unless they are older than 400 days or not
 * near yet: those stand in the default tables.
 *
 * @throws PunctualError `store_unavailable`
 */
export async function ensureDaysOf(
  connections: Connections,
  runs: { keep: RetentionClass; instant: number }[],
  now: number,
): Promise<void> {
  const [first, last] = [OLDEST_DAY, LAST_DAY].map(days => dayAfter(dayOf(now), days));
  for (const keep of RETENTION_CLASSES) {
    const instants = runs.filter(run => run.keep === keep).map(run => run.instant);
    const known = new Set(instants.length === 0 ? [] : await namesOf(connections.query, keep));
    for (const day of new Set(instants.map(dayOf))) {
      if (day < first! || day > last! || known.has(nameOf(keep, day))) continue;
      await connections.transaction(send => makeDay(send, keep, day));
    }
  }
}

/**
 * `ensurePartitions` by the database's clock. If the tables are too busy, the next call does it. Until then the
 * default tables take new runs.
 */
export async function prepareDays(connections: Connections): Promise<void> {
  const now = await readClock(connections.query);
  await ensurePartitions(connections, now).catch(() => {});
}

/** Attached when it is complete: neither readers nor writers of other days wait for it. */
async function makeDay(send: Query, keep: RetentionClass, day: number): Promise<void> {
  await send(BE_BRIEF);
  await send(LOCK);
  const name = nameOf(keep, day);
  if ((await namesOf(send, keep)).includes(name)) return;
  const [from, to] = [day, dayAfter(day, 1)];
  await send(`LOCK TABLE runs_${keep}_default IN ACCESS EXCLUSIVE MODE`);
  await send(`CREATE TABLE ${name} (LIKE runs_${keep} INCLUDING DEFAULTS)`);
  await send(`
    WITH moved AS (
      DELETE FROM runs_${keep}_default WHERE scheduled_for >= ${from} AND scheduled_for < ${to}
      RETURNING *)
    INSERT INTO ${name} SELECT * FROM moved`);
  await send(`
    ALTER TABLE runs_${keep} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`);
}

/** `RunStore.prune`: what is called again and again makes the days to come, too. */
export async function pruneHistory(
  connections: Connections,
  limits: HistoryLimits,
): Promise<number> {
  await prepareDays(connections);
  let count = 0;
  for (const keep of RETENTION_CLASSES) {
    const before = limitOf(keep, limits);
    for (const name of await namesOf(connections.query, keep)) {
      if (dayAfter(dayFrom(name), 1) > before) continue;
      const dropped = await connections.transaction(send => dropDay(send, name)).catch(ifBusy);
      if (dropped === null) break;
      count += dropped;
    }
    count += await deleteDefault(connections.query, keep, before);
    count += await deleteCallbacks(connections.query, keep, before);
  }
  count += await deleteChanges(connections.query, limitOf('long', limits));
  count += await deleteVersions(connections.query, limitOf('long', limits));
  count += await deleteBreakers(connections.query, limitOf('long', limits));
  return count;
}

/** Left for the next call. @returns null where somebody holds the tables */
function ifBusy(error: Error): null {
  const { code } = (error.cause ?? {}) as { code?: string };
  if (code !== LOCK_NOT_AVAILABLE) throw error;
  return null;
}

/** @returns how many runs went, or about how many */
async function dropDay(send: Query, name: string): Promise<number> {
  await send(BE_BRIEFER);
  await send(LOCK);
  const [table] = await send(
    `SELECT relpages, reltuples::bigint AS about FROM pg_class WHERE oid = to_regclass($1)`,
    [name],
  );
  if (table === undefined) return 0;
  const isCounted = (table.relpages as number) <= COUNTED_PAGES;
  const [counted] = isCounted ? await send(`SELECT count(*) AS count FROM ${name}`) : [];
  await send(`DROP TABLE ${name}`);
  return (counted?.count ?? table.about) as number;
}

async function deleteDefault(query: Query, keep: RetentionClass, before: number): Promise<number> {
  const table = `runs_${keep}_default`;
  const gone = await query(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE scheduled_for < $1 LIMIT ${DELETED_AT_ONCE}))
    RETURNING 1`,
    [before],
  );
  return gone.length;
}

async function deleteCallbacks(
  query: Query,
  keep: RetentionClass,
  before: number,
): Promise<number> {
  const gone = await query(
    `DELETE FROM outbox WHERE id = ANY (ARRAY(
      SELECT id FROM outbox
      WHERE kind = 'callback' AND state IN ('succeeded', 'failed') AND keep = $1 AND run_id < $2
      LIMIT ${DELETED_AT_ONCE}))
    RETURNING 1`,
    [keep, lowestIdAt(before)],
  );
  return gone.length;
}

async function deleteChanges(query: Query, before: number): Promise<number> {
  const gone = await query(
    `DELETE FROM schedule_changes WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM schedule_changes WHERE changed_at < $1 LIMIT ${DELETED_AT_ONCE}))
    RETURNING 1`,
    [before],
  );
  return gone.length;
}

async function deleteVersions(query: Query, before: number): Promise<number> {
  const gone = await query(
    `DELETE FROM schedule_versions WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM schedule_versions WHERE until_at < $1 LIMIT ${DELETED_AT_ONCE}))
    RETURNING 1`,
    [before],
  );
  return gone.length;
}

async function deleteBreakers(query: Query, before: number): Promise<number> {
  const gone = await query(
    `DELETE FROM breakers WHERE id = ANY (ARRAY(
      SELECT id FROM breakers WHERE closed_at < $1 LIMIT ${DELETED_AT_ONCE}))
    RETURNING 1`,
    [before],
  );
  return gone.length;
}

/** The names of the tables of days, the default left out. */
async function namesOf(query: Query, keep: RetentionClass): Promise<string[]> {
  const rows = await query(
    `SELECT relname::text AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid
    WHERE inhparent = to_regclass($1) AND relname ~ '_[0-9]{8}$' ORDER BY relname`,
    [`runs_${keep}`],
  );
  return rows.map(({ name }) => name as string);
}

/** `runs_short_20260601`. */
function nameOf(keep: RetentionClass, day: number): string {
  return `runs_${keep}_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

function dayFrom(name: string): number {
  const digits = name.slice(-8);
  return Date.UTC(+digits.slice(0, 4), +digits.slice(4, 6) - 1, +digits.slice(6));
}
