import { DatabaseError, Pool, type PoolClient, types } from 'pg';
import { ENGINE_LEVEL } from '../../domain/schedule/level.ts';
import type { Cell, Row } from '../columns.ts';
import type { PoolUse } from '../contract/store.ts';
import { storeUnavailable } from '../fault.ts';
import { answers, primaryOf, serversOf } from './servers.ts';
import { begin, isPooled, prepareSession, STATEMENT_MS } from './session.ts';
import { Silence } from './silence.ts';

/** How long a caller waits for a connection, at most: for a free one, or for a new one. */
const CONNECT_MS = 5_000;
/** The client gives up a statement that the server should have ended. Of a silent server `Silence` knows sooner. */
const SILENT_MS = STATEMENT_MS + 2_000;
/** How often a statement that lost a deadlock is sent again: it was taken back as a whole. */
const TRIES = 3;

/**
 * A prepared statement: parsed and planned once on each connection, under its name; behind a pooler
 * each time.
 */
export interface Statement {
  name: string;
  text: string;
}

export type Value = Cell | Cell[] | string[] | number[];
export type Query = (statement: Statement | string, values?: Value[]) => Promise<Row[]>;

/**
 * A bounded pool of connections. Every call ends within a bounded time, and whatever keeps it from
 * the database is `store_unavailable`; a row that breaks a constraint is the writer's fault.
 */
export class Connections {
  readonly #servers: string[];
  readonly #size: number;
  #pool: Pool;
  #server: string;
  #seeking: Promise<void> | null = null;
  #closed: Promise<void> | null = null;
  readonly #silence = new Silence(() => answers(this.#server));

  /**
   * @param connections how many, at most
   * @throws where the url is none; what is thrown may repeat it, with its password
   */
  constructor(url: string, connections: number) {
    this.#servers = serversOf(url);
    this.#size = connections;
    this.#server = this.#servers[0]!;
    this.#pool = poolOf(this.#server, connections);
  }

  /** Whether the url names more than one server. Then one may take over from another. */
  get hasStandby(): boolean {
    return this.#servers.length > 1;
  }

  /** The one that is gone to, as a url. It carries a password: it is never shown. */
  get server(): string {
    return this.#server;
  }

  get use(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    const busy = totalCount - idleCount;
    return { most: this.#size, busy, idle: idleCount, waiting: waitingCount };
  }

  /** Looks which server takes writes, where there are several, and goes there. One look at a time. */
  seek(): Promise<void> {
    if (!this.hasStandby) return Promise.resolve();
    this.#seeking ??= this.#goToPrimary().finally(() => {
      this.#seeking = null;
    });
    return this.#seeking;
  }

  async #goToPrimary(): Promise<void> {
    // The one that it has comes first: an old primary that is back takes writes too.
    const primary = await primaryOf([
      this.#server,
      ...this.#servers.filter(server => server !== this.#server),
    ]);
    if (primary === null || primary === this.#server || this.#closed) return;
    const left = this.#pool;
    this.#pool = poolOf(primary, this.#size);
    this.#server = primary;
    void left.end();
  }

  readonly query: Query = (statement, values = []) =>
    this.#bounded(client =>
      isPooled(client)
        ? inTransaction(client, query => query(statement, values))
        : send(client, statement, values),
    );

  /** All or nothing. `work` may be called again after a deadlock. */
  readonly transaction = <T>(work: (query: Query) => Promise<T>): Promise<T> =>
    this.#bounded(client => inTransaction(client, work));

  /** @throws PunctualError `store_unavailable` where the server goes silent before `work` ends; `work` goes on then */
  readonly unlessSilent = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await this.#silence.unless(work);
    } catch (error) {
      throw storeUnavailable(error);
    }
  };

  /** Waits for the calls under way. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    let timer: NodeJS.Timeout;
    const patience = new Promise<void>(resolve => {
      timer = setTimeout(resolve, SILENT_MS);
    });
    await Promise.race([this.#pool.end(), patience]).finally(() => clearTimeout(timer));
  }

  async #bounded<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#once(work);
      } catch (error) {
        if (isDeadlock(error) && tries < TRIES) continue;
        if (isServersFault(error)) void this.seek();
        throw isWritersFault(error) ? error : storeUnavailable(error);
      }
    }
  }

  async #once<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    // One that breaks between two statements says so here; the next statement fails anyway.
    const ignore = () => {};
    client.on('error', ignore);
    try {
      const result = await this.#silence.unless(work(client));
      client.off('error', ignore);
      client.release();
      return result;
    } catch (error) {
      await this.#silence.unless(giveUp(client, error)).catch(() => client.release(true));
      client.off('error', ignore);
      throw error;
    }
  }

  async #connect(): Promise<PoolClient> {
    const connecting = this.#pool.connect();
    try {
      return await this.#silence.unless(connecting);
    } catch (error) {
      connecting.then(
        late => late.release(),
        () => {},
      );
      throw error;
    }
  }
}

/**
 * SQL: whether a session is one of Punctual on this database. Its name says the level of its release (domain/schedule/level.ts);
 * releases before the levels say none.
 */
export const IS_OF_PUNCTUAL =
  "datname = current_database() AND application_name ~ '^punctual( level [0-9]+)?$'";

function poolOf(server: string, size: number): Pool {
  const pool = new Pool({
    connectionString: server,
    max: size,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: SILENT_MS,
    keepAlive: true,
    application_name: `punctual level ${ENGINE_LEVEL}`,
    types: { getTypeParser },
    onConnect: prepareSession,
  });
  // A connection that breaks at rest leaves the pool; who next needs one gets a new one.
  pool.on('error', () => {});
  return pool;
}

async function inTransaction<T>(
  client: PoolClient,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  await begin(client);
  const result = await work((statement, values = []) => send(client, statement, values));
  await client.query('COMMIT');
  return result;
}

async function send(
  client: PoolClient,
  statement: Statement | string,
  values: Value[],
): Promise<Row[]> {
  const { name, text }: Partial<Statement> =
    typeof statement === 'string' ? { text: statement } : statement;
  const isPrepared = name !== undefined && !isPooled(client);
  return (await client.query(isPrepared ? { name, text, values } : { text, values })).rows as Row[];
}

/** A connection that still answers is used again; any other one is closed, which rolls back too. */
async function giveUp(client: PoolClient, error: unknown): Promise<void> {
  if (!(error instanceof DatabaseError)) return client.release(true);
  try {
    await client.query('ROLLBACK');
    client.release();
  } catch {
    client.release(true);
  }
}

/** The database's clock, epoch ms: the one that all nodes share. */
export async function readClock(query: Query): Promise<number> {
  const [row] = await query(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  );
  return row!.now as number;
}

/** Rows turned into columns: one array for each parameter of an `unnest`. */
export function columnsOf(rows: Cell[][], width = rows[0]?.length ?? 0): Cell[][] {
  const columns: Cell[][] = Array.from({ length: width }, () => new Array(rows.length));
  for (let at = 0; at < rows.length; at += 1) {
    for (let column = 0; column < width; column += 1) columns[column]![at] = rows[at]![column]!;
  }
  return columns;
}

/** `$first, $first + 1, …` for an `unnest` of these types. */
export function parameters(first: number, types: readonly string[]): string {
  return types.map((type, index) => `$${first + index}::${type}[]`).join(', ');
}

const INT8 = 20;

/** Instants and keys are numbers: both stay far below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8 ? Number : types.getTypeParser(oid, format as 'text');
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: data exceptions and constraints. */
function isWritersFault(error: unknown): boolean {
  return error instanceof DatabaseError && /^2[23]/.test(error.code ?? '');
}

/** It is gone, going, or a standby (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
function isServersFault(error: unknown): boolean {
  return !(error instanceof DatabaseError) || /^(08|57P|25006)/.test(error.code ?? '');
}

function isDeadlock(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '40P01';
}
