/**
 * Every table's columns, once: name, type, and how a value is written to its cell and read from it.
 *
 * Statements keep their own shape and splice these lists. Property and column have the same name, in snake case;
 * a row id `xRowId` is the column `x_key`.
 */
import type { DataKey } from '../domain/access/envelope.ts';
import type { CalendarSource } from '../domain/calendar/exclusion/calendar-source.ts';
import type { Completion } from '../domain/run/completion.ts';
import type { QueueRow } from '../domain/run/queue-row.ts';
import type { Attempt, RunRecord, RunTrigger } from '../domain/run/run.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { ServiceChange } from '../domain/schedule/service-change.ts';
import {
  attempts,
  bigint,
  type Cell,
  Columns,
  integer,
  json,
  nullable,
  optional,
  text,
} from './column-kinds.ts';
import type { BreakerRecord } from './contract/breakers.ts';
import type { CalendarVersion, StoredCalendar } from './contract/calendars.ts';
import type { DestinationUse, SecretDestination } from './contract/destinations.ts';
import type { ScheduleUse } from './contract/named-resource.ts';
import type { NewCallback, Settlement, TargetRun } from './contract/queue.ts';
import type { Session } from './contract/sessions.ts';
import type { StoredZoneRules } from './contract/zone-rules.ts';

export {
  attempts,
  bigint,
  type Cell,
  Columns,
  integer,
  nullable,
  type Row,
  rowReader,
  text,
} from './column-kinds.ts';

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
  timing: optional(json()),
  delivery: optional(json()),
  externalId: optional(text()),
  tags: optional(json()),
  statusReason: optional(text()),
});

/** The columns that a change may write. */
export const CHANGED_SCHEDULE = SCHEDULE.except('id', 'createdAt');

/** The columns that PostgreSQL searches beside `SCHEDULE`; SQLite folds while it searches. */
export const FOLDED_TEXTS = new Columns<{ urlFolded: string; labelFolded: string }>({
  urlFolded: text(),
  labelFolded: text(),
});

/** The first row of a schedule's queue, in columns of the statement that makes it. */
export const SCHEDULE_START = new Columns<{
  first: number | null;
  second: number | null;
  needs: number;
}>({
  first: nullable(bigint()),
  second: nullable(bigint()),
  needs: integer(),
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

// Calendars and zones ------------------------------------------------------------------------------

export const CALENDAR = new Columns<StoredCalendar>({
  name: text(),
  kind: text(),
  url: optional(text()),
  version: text(),
  createdAt: bigint(),
  updatedAt: optional(bigint()),
  staleSince: optional(bigint()),
  fault: optional(text()),
});

/** The columns of a schedule that a change of its calendar counts anew. */
export const CALENDAR_USE = new Columns<Omit<ScheduleUse, 'scheduleRowId'>>({ id: text() });

/** When a calendar is read or expanded anew, and how far the count of its schedules has come. */
export const CALENDAR_MARKS = ['due_at', 'recount_before'];

/** A version of a calendar as it is kept. */
interface CalendarVersionRow extends Pick<CalendarVersion, 'name' | 'periods'> {
  id: string;
  clientRowId: number;
  source: CalendarSource;
  expandedAt: number;
  replacedAt: number | undefined;
}

export const CALENDAR_VERSION = new Columns<CalendarVersionRow>({
  id: text(),
  clientRowId: bigint(),
  name: text(),
  source: json(),
  periods: json(),
  expandedAt: bigint(),
  replacedAt: optional(bigint()),
});

/** The rules of a zone as they are kept: those of the release before stand beside them. */
interface ZoneRulesRow extends Pick<StoredZoneRules, 'zone' | 'release' | 'changes'> {
  previousRelease: string | undefined;
  previousChanges: StoredZoneRules['changes'] | undefined;
  changedAt: number | undefined;
}

export const ZONE_RULES = new Columns<ZoneRulesRow>({
  zone: text(),
  release: text(),
  changes: json(),
  previousRelease: optional(text()),
  previousChanges: optional(json()),
  changedAt: optional(bigint()),
});

// Destinations -------------------------------------------------------------------------------------

export const DESTINATION = new Columns<SecretDestination>({
  name: text(),
  config: json(),
  secrets: optional(text()),
  version: text(),
  createdAt: bigint(),
  updatedAt: optional(bigint()),
});

/** The columns of a schedule that a change of its destination may break. */
export const DESTINATION_USE = new Columns<Omit<DestinationUse, 'scheduleRowId'>>({
  id: text(),
  url: text(),
  headers: optional(json()),
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
  number: bigint(),
  changedAt: nullable(bigint()),
});

export const SERVICE_CHANGE = new Columns<ServiceChange>({
  at: bigint(),
  status: optional(text()),
  statusReason: optional(text()),
  pausedUntil: optional(bigint()),
});

export const TARGET_RUN = new Columns<TargetRun>({ id: text(), dueAt: bigint(), at: bigint() });

/** The call of a target about an attempt; its owner stands beside it. */
export const COMPLETION = new Columns<Completion>({
  runId: text(),
  attempt: integer(),
  saidAt: bigint(),
  status: optional(text()),
  message: optional(text()),
  deadlineAt: optional(bigint()),
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

/** The columns of a schedule that a firing reads: `delivery` tells what callbacks say of the others. */
const FIRED_SCHEDULE = SCHEDULE.except('updatedAt', 'externalId', 'tags', 'statusReason');

/** All that is needed to fire: the schedule and its client. */
export const FIREABLE: ReadColumn[] = [
  ...readFrom('schedules', ['schedule_key', 'client_key', 'version']),
  { from: 'clients.id', name: 'client_id' },
  ...readFrom('clients', SECRETS),
  ...readFrom('schedules', FIRED_SCHEDULE.names),
];

/** A row of the queue as a claim reads it. */
export const CLAIMED = ['schedule_key', ...QUEUE.names, ...QUEUE_MARKS];
