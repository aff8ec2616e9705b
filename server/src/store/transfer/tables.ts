import type { Cell } from '../columns.ts';
import {
  BREAKER,
  CALENDAR,
  CALENDAR_MARKS,
  CALENDAR_VERSION,
  CALLBACK,
  DATA_KEY,
  DESTINATION,
  FOLDED_TEXTS,
  QUEUE,
  QUEUE_MARKS,
  RUN,
  SCHEDULE,
  SECRETS,
  SESSION,
  ZONE_RULES,
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
  | 'fences'
  | 'breakers'
  | 'data_keys'
  | 'installation'
  | 'schedule_marks'
  | 'calendars'
  | 'calendar_versions'
  | 'idempotency'
  | 'zone_rules'
  | 'destinations'
  | 'completions'
  | 'schedule_versions';

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
    columns: ['schedule_key', 'changed_at', 'interval', 'timezone', 'status', 'timing'],
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
      ...['kind', 'state', 'attempt', 'attempts', 'claimed_at', 'scheduled_for', 'trigger'],
    ],
    key: ['id'],
  },
  {
    name: 'queue',
    columns: ['schedule_key', ...QUEUE.names, 'claimed_at', 'fence', ...QUEUE_MARKS, 'needs'],
    key: ['schedule_key'],
  },
  { name: 'fences', columns: ['schedule_key', 'fence'], key: ['schedule_key'] },
  { name: 'breakers', columns: [...BREAKER.names], key: ['id'] },
  { name: 'data_keys', columns: [...DATA_KEY.names], key: ['id'] },
  { name: 'installation', columns: ['name', 'value'], key: ['name'] },
  {
    name: 'schedule_marks',
    columns: ['client_key', 'mark', 'schedule_key'],
    key: ['client_key', 'mark', 'schedule_key'],
  },
  {
    name: 'calendars',
    columns: ['client_key', ...CALENDAR.names, ...CALENDAR_MARKS],
    key: ['client_key', 'name'],
  },
  { name: 'calendar_versions', columns: [...CALENDAR_VERSION.names], key: ['id'] },
  {
    name: 'idempotency',
    columns: ['client_key', 'key', 'fingerprint', 'ids', 'at'],
    key: ['client_key', 'key'],
  },
  { name: 'zone_rules', columns: [...ZONE_RULES.names], key: ['zone'] },
  {
    name: 'destinations',
    columns: ['client_key', ...DESTINATION.names],
    key: ['client_key', 'name'],
  },
  {
    name: 'completions',
    columns: [
      ...['run_id', 'attempt', 'client_key', 'schedule_key', 'said_at'],
      ...['status', 'message', 'deadline_at'],
    ],
    key: ['run_id', 'attempt'],
  },
  {
    name: 'schedule_versions',
    columns: ['schedule_key', 'version', 'until_at', 'changed_by', 'config'],
    key: ['schedule_key', 'version'],
  },
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
