import type { Cell } from '../columns.ts';
import {
  BREAKER,
  CALLBACK,
  DATA_KEY,
  FOLDED_TEXTS,
  QUEUE,
  QUEUE_MARKS,
  RUN,
  SCHEDULE,
  SECRETS,
  SESSION,
} from '../columns.ts';

/** The tables that every backend has, in pages: what is carried from one to another. */
export interface Table {
  name: TableName;
  /** The columns that every backend has; leases belong to PostgreSQL alone. */
  columns: string[];
  /** Unique, never NULL, and the order of its pages. */
  key: string[];
}

export type TableName =
  | 'clients'
  | 'api_keys'
  | 'sessions'
  | 'schedules'
  | 'schedule_changes'
  | 'runs'
  | 'outbox'
  | 'queue'
  | 'breakers'
  | 'data_keys'
  | 'installation';

/** Each after those that its rows refer to. */
export const TABLES: Table[] = [
  {
    name: 'clients',
    columns: [
      ...['client_key', 'id', 'name', 'created_at', 'rotated_at', ...SECRETS],
      ...['suspended_at', 'resumed_at', 'deleted_at'],
    ],
    key: ['client_key'],
  },
  {
    name: 'api_keys',
    columns: ['id', 'client_key', 'hash', 'created_at', 'revoked_at', 'name', 'created_by'],
    key: ['id'],
  },
  {
    name: 'sessions',
    columns: [...SESSION.names, 'expires_at'],
    key: ['hash'],
  },
  {
    name: 'schedules',
    columns: [
      ...['schedule_key', 'client_key', 'version'],
      ...SCHEDULE.names,
      ...FOLDED_TEXTS.names,
    ],
    key: ['schedule_key'],
  },
  {
    name: 'schedule_changes',
    columns: ['schedule_key', 'changed_at', 'interval', 'timezone', 'status'],
    key: ['schedule_key', 'changed_at'],
  },
  {
    name: 'runs',
    columns: [...RUN.names, 'keep'],
    key: ['client_key', 'scheduled_for', 'schedule_key', 'manual_id'],
  },
  {
    name: 'outbox',
    columns: [
      ...CALLBACK.names,
      ...['kind', 'state', 'attempt', 'attempts', 'claimed_at', 'scheduled_for'],
    ],
    key: ['id'],
  },
  {
    name: 'queue',
    columns: ['schedule_key', ...QUEUE.names, 'claimed_at', ...QUEUE_MARKS],
    key: ['schedule_key'],
  },
  { name: 'breakers', columns: [...BREAKER.names], key: ['id'] },
  { name: 'data_keys', columns: [...DATA_KEY.names], key: ['id'] },
  { name: 'installation', columns: ['name', 'value'], key: ['name'] },
];

/** Reads a table from one row on, in the order of its key. */
export interface PageReader {
  /** @param after the key of the row before, or null for the first page */
  page(table: Table, after: Cell[] | null, rows: number): Promise<Cell[][]>;
}

/** @param row with the cells of `columns` */
export function keyOf({ columns, key }: Table, row: Cell[]): Cell[] {
  return key.map(column => row[columns.indexOf(column)]!);
}
