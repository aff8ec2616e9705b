import { PunctualError } from '../../../domain/errors.ts';
import type { Cell } from '../../columns.ts';
import type { MovedTable, MoveTarget, Progress } from '../../transfer/move.ts';
import { TABLES, type Table, type TableName } from '../../transfer/tables.ts';
import {
  type Connections,
  columnsOf,
  IS_OF_PUNCTUAL,
  parameters,
  type Query,
  readClock,
} from '../connection.ts';
import { connectAndMigrate } from '../open.ts';
import { ensureDaysOf } from '../partitions.ts';
import { moveUnderWay, NO_MOVE, NOT_ENDED } from './marker.ts';

/** How long what ends anyway is waited for: the connection of a move that was just killed. */
const PATIENCE_SECONDS = 3;

/**
 * The database at `url` as what a store is moved into: an empty one, or one that holds a part of the same move.
 * Until `end` nobody else writes to it. Nodes refuse to start on it. The database itself takes rows of clients,
 * keys, schedules, runs, outbox and queue from the move only, so that nodes of an older release cannot write
 * either.
 *
 * @param id of the move
 * @throws PunctualError `move_refused`, `store_newer`, `store_unavailable`
 */
export async function openTarget(url: string, id: string): Promise<MoveTarget> {
  const connections = await connectAndMigrate(url, 2);
  try {
    if ((await moveUnderWay(connections.query))?.tables == null) {
      await refuseBesideNodes(connections.query);
    }
    const { progress, ended } = await connections.transaction(send => begin(send, id));
    const now = await readClock(connections.query);
    const inserts = await insertsOf(connections.query);
    return new Target({ connections, id, now, inserts, progress, ended });
  } catch (error) {
    await connections.close();
    throw causeOf(error);
  }
}

interface Begun {
  progress: Progress;
  ended: MovedTable[] | null;
}

interface TargetOptions extends Begun {
  connections: Connections;
  id: string;
  now: number;
  inserts: Map<TableName, string>;
}

class Target implements MoveTarget {
  readonly progress: Progress;
  readonly ended: MovedTable[] | null;
  readonly #connections: Connections;
  readonly #id: string;
  readonly #now: number;
  readonly #inserts: Map<TableName, string>;
  /** The note in the database. If another move has written meanwhile, the notes differ. */
  #noted: string;

  constructor({ connections, id, now, inserts, progress, ended }: TargetOptions) {
    this.progress = progress;
    this.ended = ended;
    this.#connections = connections;
    this.#id = id;
    this.#now = now;
    this.#inserts = inserts;
    this.#noted = JSON.stringify(progress);
  }

  page({ name, columns, key }: Table, after: Cell[] | null, rows: number): Promise<Cell[][]> {
    const marks = key.map((_, index) => `$${index + 2}`).join();
    const where = after === null ? '' : `WHERE (${key.join()}) > (${marks})`;
    const cells = columns.map(column => (column === 'state' ? AS_IN_THE_SOURCE : column));
    return this.#connections
      .query(`SELECT ${cells.join()} FROM ${name} ${where} ORDER BY ${key.join()} LIMIT $1`, [
        rows,
        ...(after ?? []),
      ])
      .then(page => page.map(row => columns.map(column => row[column]!)));
  }

  async write(table: Table, rows: Cell[][], progress: Progress): Promise<void> {
    const { name } = table;
    if (name === 'runs') await ensureDaysOf(this.#connections, daysIn(table, rows), this.#now);
    const [before, now] = [this.#noted, JSON.stringify(progress)];
    try {
      await this.#connections.transaction(async send => {
        await send(
          "SELECT set_config('punctual.move', $1, true), set_config('punctual.writes_texts', 'off', true)",
          [this.#id],
        );
        const noted = await send(
          `UPDATE punctual_move SET progress = $1 WHERE id = $2 AND progress = $3
            AND tables IS NULL RETURNING 1`,
          [now, this.#id, before],
        );
        if (noted.length === 0) throw overtaken();
        await send(this.#inserts.get(name)!, columnsOf(rows));
      });
    } catch (error) {
      throw notTaken(name, error);
    }
    this.#noted = now;
  }

  async end(tables: MovedTable[]): Promise<void> {
    const closing = this.#connections.transaction(async send => {
      const ended = await send(
        `UPDATE punctual_move SET tables = $1 WHERE id = $2 AND progress = $3 AND tables IS NULL
          RETURNING 1`,
        [JSON.stringify(tables), this.#id, this.#noted],
      );
      if (ended.length === 0) throw overtaken();
      for (const [table, key] of KEYS) await send(advanceSql(table, key));
      for (const { name } of TABLES) await send(`DROP TRIGGER punctual_move ON ${name}`);
      await send('DROP FUNCTION punctual_move()');
    });
    await closing.catch(error => {
      throw causeOf(error);
    });
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

/** A manual run that waits for an engine of its level is reserved here alone: the table sees to that. */
const AS_IN_THE_SOURCE = "CASE state WHEN 'reserved' THEN 'waiting' ELSE state END AS state";

/** The progress of a move that has written no page yet. */
const NOTHING = '{}';

/** A node would take for its own what is not there as a whole yet. */
async function refuseBesideNodes(query: Query): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const [row] = await query(`
      SELECT count(*) AS others FROM pg_stat_activity
      WHERE ${IS_OF_PUNCTUAL} AND pid <> pg_backend_pid()`);
    if (row!.others === 0) return;
    if (looks === PATIENCE_SECONDS) {
      throw refused('a Punctual is running on it: stop it first');
    }
    await query('SELECT pg_sleep(1)');
  }
}

/** Marks the database and shuts it, unless the same move did so before. */
async function begin(send: Query, id: string): Promise<Begun> {
  await send("SELECT pg_advisory_xact_lock(hashtext('punctual move'))");
  const known = await moveUnderWay(send);
  if (known !== null && known.id === id) {
    return {
      progress: JSON.parse(known.progress),
      ended: known.tables === null ? null : JSON.parse(known.tables),
    };
  }
  if (known !== null && known.tables === null && known.progress !== NOTHING) {
    throw refused('it holds a part of another move: empty it first');
  }
  await send(NO_MOVE);
  await shut(send);
  for (const { name } of TABLES) {
    const rows = await send(`SELECT 1 FROM ${name} LIMIT 1`);
    if (rows.length > 0)
      throw refused(`it is not empty, there are ${name.replace('_', ' ')} in it`);
  }
  await send('INSERT INTO punctual_move (id, progress) VALUES ($1, $2)', [id, NOTHING]);
  return { progress: {}, ended: null };
}

/** Triggers hold for every session, also for nodes that were there before and for older ones. */
async function shut(send: Query): Promise<void> {
  await send(`
    CREATE OR REPLACE FUNCTION punctual_move() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (
        SELECT 1 FROM punctual_move
        WHERE id = current_setting('punctual.move', true) AND tables IS NULL
      ) THEN
        RAISE EXCEPTION '${NOT_ENDED}';
      END IF;
      RETURN NULL;
    END $$`);
  for (const { name } of TABLES) {
    await send(`
      CREATE OR REPLACE TRIGGER punctual_move BEFORE INSERT OR UPDATE OR DELETE ON ${name}
      FOR EACH STATEMENT EXECUTE FUNCTION punctual_move()`);
  }
}

/** How a page of each table is written, with the types that its columns have here. */
async function insertsOf(query: Query): Promise<Map<TableName, string>> {
  const inserts = new Map<TableName, string>();
  for (const { name, columns } of TABLES) {
    const rows = await query(
      `SELECT attname::text AS column, format_type(atttypid, atttypmod) AS type FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attnum > 0`,
      [name],
    );
    const typeOf = new Map(rows.map(({ column, type }) => [column, type as string]));
    const types = columns.map(column => typeOf.get(column)!);
    inserts.set(name, insertSql(name, columns, types));
  }
  return inserts;
}

/** Rows in flight were cut off. Their lease has ended, so that the first engine recovers them. */
function insertSql(name: TableName, columns: string[], types: string[]): string {
  const given = `unnest(${parameters(1, types)}) AS given (${columns.join()})`;
  const leased = name === 'queue' || name === 'outbox';
  const lease = "CASE WHEN state = 'inFlight' THEN to_timestamp(0) END";
  return `
    INSERT INTO ${name} (${columns.join()}${leased ? ', lease_until' : ''})
    OVERRIDING SYSTEM VALUE
    SELECT ${columns.join()}${leased ? `, ${lease}` : ''} FROM ${given}`;
}

/** The tables that draw keys. */
const KEYS = [
  ['clients', 'client_key'],
  ['schedules', 'schedule_key'],
] as const;

/** Keys were carried: the next one that is drawn comes after them. */
function advanceSql(table: string, key: string): string {
  return `
    SELECT setval(pg_get_serial_sequence('${table}', '${key}'), max(${key})) FROM ${table}
    HAVING max(${key}) IS NOT NULL`;
}

function daysIn({ columns }: Table, rows: Cell[][]) {
  const [keepAt, timeAt] = [columns.indexOf('keep'), columns.indexOf('scheduled_for')];
  return rows.map(row => ({ keep: row[keepAt] as 'short', instant: row[timeAt] as number }));
}

function notTaken(name: TableName, error: unknown): unknown {
  const cause = causeOf(error);
  if (cause instanceof PunctualError) return cause;
  return refused(`it does not take a row of ${name}: ${(error as Error).message}`, error);
}

/** An error within a transaction rolls it back, and comes out as the cause. */
function causeOf(error: unknown): unknown {
  const { cause } = error as { cause?: unknown };
  return cause instanceof PunctualError ? cause : error;
}

function overtaken(): PunctualError {
  return refused('another move into it is running');
}

function refused(why: string, cause?: unknown): PunctualError {
  const sentence = `Nothing can be moved into this PostgreSQL database: ${why}.`;
  return new PunctualError('move_refused', sentence, { cause });
}
