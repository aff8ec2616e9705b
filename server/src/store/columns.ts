/**
 * Every table's columns, once: name, type, and how a value is written to its cell and read from it.
 *
 * Statements keep their own shape and splice these lists. Property and column have the same name, in snake case;
 * a row id `xRowId` is the column `x_key`.
 */
import type { DataKey } from '../domain/access/envelope.ts';
import type { QueueRow } from '../domain/run/queue-row.ts';
import type { Attempt, RunRecord, RunTrigger } from '../domain/run/run.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { BreakerRecord } from './contract/breakers.ts';
import type { NewCallback, Settlement } from './contract/queue.ts';
import type { Session } from './contract/sessions.ts';

/** One value of a row as the database takes it and gives it. */
export type Cell = string | number | null;
/** The cells of a row by the names of their columns. */
export type Row = Record<string, Cell>;

/** Types as PostgreSQL names them. SQLite's tables are made so that each cell comes back as it was given. */
type Type = 'text' | 'bigint' | 'integer';

/** How a property stands in its cell. `$` is the value in `write`, and the cell in `read`. */
interface Kind<Value> {
  readonly type: Type;
  readonly write: string;
  readonly read: string;
  /** NULL is an absent property. */
  readonly isOptional: boolean;
  /** Never set: it lets the compiler compare the kind with the property's type. */
  readonly value?: Value;
}

const kind = (type: Type, write = '$', read = '$') => ({ type, write, read, isOptional: false });

export const text = <Value extends string>(): Kind<Value> => kind('text');
export const integer = (): Kind<number> => kind('integer');
/** Instants (epoch ms) and row ids: both stay far below 2^53. */
export const bigint = (): Kind<number> => kind('bigint');
const json = <Value extends object>(): Kind<Value> =>
  kind('text', 'JSON.stringify($)', 'JSON.parse($)');
/** Most rows have no attempts to tell of: NULL keeps them narrow. */
export const attempts = (): Kind<Attempt[]> =>
  kind('text', '($.length === 0 ? null : JSON.stringify($))', '($ ? JSON.parse($) : [])');
export const nullable = <Value>(of: Kind<Value>): Kind<Value | null> => of;
const optional = <Value>(of: Kind<Value>): Kind<Value | undefined> => ({
  ...of,
  write: `($ === undefined ? null : ${of.write})`,
  isOptional: true,
});

/** The compiler asks for each property of `Value`, and for a kind that fits its type. */
type Kinds<Value> = { readonly [Property in keyof Required<Value>]: Kind<Value[Property]> };

/** Columns in one order: for lists in statements, and for the cells of values. */
export class Columns<Value> {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly #kinds: Kinds<Value>;
  /** Puts the cells of a value behind those that are there. */
  readonly append: (cells: Cell[], value: Value) => void;
  /** The value that a row holds, among whatever other columns. */
  readonly fromRow: (row: Row) => Value;

  constructor(kinds: Kinds<Value>) {
    const properties = entriesOf(kinds);
    this.#kinds = kinds;
    this.names = properties.map(([property]) => nameOf(property));
    this.types = properties.map(([, { type }]) => type);
    this.append = appendOf<Value>(properties);
    this.fromRow = fromRowOf<Value>(properties);
  }

  get width(): number {
    return this.names.length;
  }

  /** `id, status, …`, each with `prefix` in front. */
  list(prefix = ''): string {
    return this.names.map(name => `${prefix}${name}`).join(', ');
  }

  /** `id = …, status = …`, from the place of each column, counted from 0. */
  assignments(cellOf: (name: string, index: number) => string): string {
    return this.names.map((name, index) => `${name} = ${cellOf(name, index)}`).join(', ');
  }

  /** `?, ?, …`: as many as there are columns. */
  marks(): string {
    return this.names.map(() => '?').join(', ');
  }

  /** @returns new cells, one for each column */
  cells(value: Value): Cell[] {
    const cells: Cell[] = [];
    this.append(cells, value);
    return cells;
  }

  /** The cell of one property among all cells of a value. */
  cellOf(cells: readonly Cell[], property: keyof Value & string): Cell {
    return cells[this.names.indexOf(nameOf(property))]!;
  }

  except<Property extends keyof Value>(...left: Property[]): Columns<Omit<Value, Property>> {
    const kept = Object.entries(this.#kinds).filter(([name]) => !left.includes(name as Property));
    return new Columns(Object.fromEntries(kept) as unknown as Kinds<Omit<Value, Property>>);
  }
}

/**
 * Cells in this order, as a row again. Generated: a loop over the names takes three times as long, and this
 * is done for every firing.
 */
export function rowReader(names: readonly string[]): (cells: Cell[]) => Row {
  const pairs = names.map((name, index) => `${name}: cells[${index}]`);
  return new Function('cells', `return { ${pairs.join(', ')} };`) as (cells: Cell[]) => Row;
}

type Property = [name: string, kind: Kind<unknown>];

function entriesOf<Value>(kinds: Kinds<Value>): Property[] {
  return Object.entries(kinds) as Property[];
}

function nameOf(property: string): string {
  return property.replace(/RowId$/, 'Key').replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

/** Generated, as `rowReader` is: one call for all cells of a value. */
function appendOf<Value>(properties: Property[]): (cells: Cell[], value: Value) => void {
  const cells = properties.map(([name, { write }]) => write.replaceAll('$', `value.${name}`));
  const body = `cells.push(${cells.join(', ')});`;
  return new Function('cells', 'value', body) as (cells: Cell[], value: Value) => void;
}

/** Generated, as `rowReader` is: required properties first, and then those that are there. */
function fromRowOf<Value>(properties: Property[]): (row: Row) => Value {
  const readOf = ([name, { read }]: Property) => read.replaceAll('$', `row.${nameOf(name)}`);
  const required = properties.filter(([, { isOptional }]) => !isOptional);
  const optional = properties.filter(([, { isOptional }]) => isOptional);
  const body = [
    `const value = { ${required.map(each => `${each[0]}: ${readOf(each)}`).join(', ')} };`,
    ...optional.map(each => {
      const [name] = each;
      return `if (row.${nameOf(name)} != null) value.${name} = ${readOf(each)};`;
    }),
    'return value;',
  ];
  return new Function('row', body.join('\n')) as (row: Row) => Value;
}

// Schedules and clients ----------------------------------------------------------------------------

export const SCHEDULE = new Columns<Schedule>({
  id: text(),
  status: text(),
  url: text(),
  verb: text(),
  interval: text(),
  timezone: text(),
  createdAt: bigint(),
  updatedAt: optional(bigint()),
  headers: optional(json()),
  data: optional(json()),
  integrations: optional(json()),
  label: text(),
  policy: optional(json()),
});

/** The columns that a change may write. */
export const CHANGED_SCHEDULE = SCHEDULE.except('id', 'createdAt');

/** The columns that PostgreSQL searches beside `SCHEDULE`; SQLite folds while it searches. */
export const FOLDED_TEXTS = new Columns<{ urlFolded: string; labelFolded: string }>({
  urlFolded: text(),
  labelFolded: text(),
});

/** The first row of a schedule's queue, in columns of the statement that makes it. */
export const SCHEDULE_START = new Columns<{ first: number | null; second: number | null }>({
  first: nullable(bigint()),
  second: nullable(bigint()),
});

/** A client's signing secrets. */
export const SECRETS = ['signing_secret', 'old_secret', 'old_secret_until'];

export const SESSION = new Columns<Session>({
  hash: text(),
  keyId: text(),
  id: text(),
  createdAt: bigint(),
  lastUsedAt: bigint(),
});

export const DATA_KEY = new Columns<DataKey>({ id: text(), wrapped: text(), createdAt: bigint() });

export const BREAKER = new Columns<BreakerRecord & { openUntil: number }>({
  id: text(),
  clientRowId: bigint(),
  origin: text(),
  since: bigint(),
  openedAt: bigint(),
  closedAt: optional(bigint()),
  openUntil: bigint(),
});

// The queue and the outbox -------------------------------------------------------------------------

export const QUEUE = new Columns<QueueRow>({
  state: text(),
  dueAt: bigint(),
  scheduledFor: bigint(),
  nextFor: nullable(bigint()),
  attempt: integer(),
  attempts: attempts(),
});

/** The columns of a row that was in flight when its node went away. */
export const RECOVERED = QUEUE.except('scheduledFor', 'nextFor');

/** Beside `QUEUE`, of a row that waits behind a change or a manual run. */
export const QUEUE_MARKS = ['changed_at', 'blocked_since'];

const ATTEMPTS = QUEUE.except('state', 'dueAt', 'scheduledFor', 'nextFor', 'attempt');

export function attemptsCell(ended: Attempt[]): Cell {
  return ATTEMPTS.cells({ attempts: ended })[0]!;
}

export const FENCE = new Columns<Settlement['fence']>({
  scheduledFor: bigint(),
  attempt: integer(),
  changedAt: nullable(bigint()),
});

/** The owner of a run or a callback. */
export interface Owner {
  clientRowId: number;
  scheduleRowId: number;
}

/** A callback as it enters the outbox. */
export interface CallbackRow extends NewCallback, Owner {
  /** Its retention class, the one of its run. */
  keep: string;
}

export const CALLBACK = new Columns<CallbackRow>({
  id: text(),
  clientRowId: bigint(),
  scheduleRowId: bigint(),
  dueAt: bigint(),
  runId: text(),
  integrationId: text(),
  url: text(),
  body: text(),
  keep: text(),
});

// History ------------------------------------------------------------------------------------------

/** A run as history keeps it. */
export interface RunRow extends Owner {
  scheduledFor: number;
  /** '' for a scheduled run: its id is derived. */
  manualId: string;
  trigger: RunTrigger;
  status: RunRecord['status'];
  startedAt: number | undefined;
  /** Of a run that was not sent: when that was decided. */
  finishedAt: number | undefined;
  attempts: Attempt[];
  reason: string | undefined;
  missed: RunRecord['missed'];
}

/** Its key comes first. */
export const RUN = new Columns<RunRow>({
  clientRowId: bigint(),
  scheduledFor: bigint(),
  scheduleRowId: bigint(),
  manualId: text(),
  trigger: text(),
  status: text(),
  startedAt: optional(bigint()),
  finishedAt: optional(bigint()),
  attempts: json(),
  reason: optional(text()),
  missed: optional(json()),
});

// Claims -------------------------------------------------------------------------------------------

/** A column of a statement's result: where it is read, and its name in the row. */
interface ReadColumn {
  from: string;
  name: string;
}

export function readFrom(table: string, names: readonly string[]): ReadColumn[] {
  return names.map(name => ({ from: `${table}.${name}`, name }));
}

/** `clients.id AS client_id, …` */
export function selected(columns: ReadColumn[]): string {
  return columns.map(({ from, name }) => `${from} AS ${name}`).join(', ');
}

/** All that is needed to fire: the schedule and its client. */
export const FIREABLE: ReadColumn[] = [
  ...readFrom('schedules', ['schedule_key', 'client_key', 'version']),
  { from: 'clients.id', name: 'client_id' },
  ...readFrom('clients', SECRETS),
  ...readFrom('schedules', SCHEDULE.except('updatedAt').names),
];

/** A row of the queue as a claim reads it. */
export const CLAIMED = ['schedule_key', ...QUEUE.names, ...QUEUE_MARKS];
