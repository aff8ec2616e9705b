import { BREAKER_COLUMNS } from '../rows/breakers.ts';
import type { Cell } from '../rows/row.ts';

/** The tables that every backend has, in pages: what is carried from one to another. */
export interface Table {
  name: TableName;
  /** What is the same in every backend; leases belong to PostgreSQL alone. */
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
      ...['client_key', 'id', 'name', 'signing_secret', 'created_at', 'rotated_at', 'old_secret'],
      ...['old_secret_until', 'suspended_at', 'resumed_at', 'deleted_at'],
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
    columns: ['hash', 'key_id', 'expires_at', 'id', 'created_at', 'last_used_at'],
    key: ['hash'],
  },
  {
    name: 'schedules',
    columns: [
      ...['schedule_key', 'client_key', 'id', 'version', 'status', 'url', 'verb', 'interval'],
      ...['timezone', 'created_at', 'updated_at', 'headers', 'data', 'integrations', 'label'],
      ...['policy', 'url_folded', 'label_folded'],
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
    columns: [
      ...['client_key', 'scheduled_for', 'schedule_key', 'manual_id', 'trigger', 'status'],
      ...['started_at', 'finished_at', 'attempts', 'reason', 'missed', 'keep'],
    ],
    key: ['client_key', 'scheduled_for', 'schedule_key', 'manual_id'],
  },
  {
    name: 'outbox',
    columns: [
      ...['id', 'kind', 'client_key', 'schedule_key', 'state', 'due_at', 'attempt', 'attempts'],
      ...['claimed_at', 'scheduled_for', 'run_id', 'integration_id', 'url', 'body', 'keep'],
    ],
    key: ['id'],
  },
  {
    name: 'queue',
    columns: [
      ...['schedule_key', 'state', 'due_at', 'scheduled_for', 'next_for', 'attempt', 'attempts'],
      ...['claimed_at', 'changed_at', 'blocked_since'],
    ],
    key: ['schedule_key'],
  },
  { name: 'breakers', columns: BREAKER_COLUMNS, key: ['id'] },
  { name: 'data_keys', columns: ['id', 'wrapped', 'created_at'], key: ['id'] },
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
