import { claimFrom } from '../queue-rows.ts';
import { attemptsCell, type Cell, type Row } from '../rows.ts';
import { callbackCells, runCells } from '../run-rows.ts';
import type { QueueStore, Settlement } from '../work.ts';

/**
 * What every firing takes to the statements and back, flat: it travels between threads, and texts
 * and cells cost a third of what copies of objects do.
 */

/** Where the statements run: what every firing takes along, ready to travel between threads. */
export interface QueueRows {
  /** @returns the claimed rows as JSON: an array of cells each, in the order of `FIRING` */
  claimText(...claim: Parameters<QueueStore['claim']>): Promise<string>;
  settleCells(settlements: SettlementCells[]): Promise<number[]>;
}

/** A settlement as its statements want it. */
export type SettlementCells = [
  scheduleKey: number,
  fence: Cell[],
  row: Cell[] | null,
  records: Cell[][],
  callbacks: Cell[][],
];

export const FIRING_JOINS = `
  JOIN schedules ON schedules.schedule_key = queue.schedule_key
  JOIN clients ON clients.client_key = schedules.client_key`;

/**
 * What a claim reads. One text of all cells, made by SQLite and parsed where it is wanted, costs a
 * third of as many columns.
 */
export const FIRING = [
  'queue.schedule_key',
  'queue.state',
  'queue.due_at',
  'queue.scheduled_for',
  'queue.next_for',
  'queue.attempt',
  'queue.attempts',
  'queue.changed_at',
  'queue.blocked_since',
  'clients.client_key',
  'clients.id',
  'clients.signing_secret',
  'clients.old_secret',
  'clients.old_secret_until',
  'schedules.id',
  'schedules.version',
  'schedules.status',
  'schedules.url',
  'schedules.verb',
  'schedules.interval',
  'schedules.timezone',
  'schedules.created_at',
  'schedules.headers',
  'schedules.data',
  'schedules.integrations',
  'schedules.label',
  'schedules.policy',
];

/** @param rows with their `FIRING` as `text` */
export function arrayText(rows: Row[]): string {
  return `[${rows.map(({ text }) => text).join()}]`;
}

/**
 * The cells of `FIRING` under their names again. Written out, because a loop over the names takes three
 * times as long, and this is done for every firing.
 */
export function firingRows(text: string): Row[] {
  return (JSON.parse(text) as Cell[][]).map(
    ([
      schedule_key,
      state,
      due_at,
      scheduled_for,
      next_for,
      attempt,
      attempts,
      changed_at,
      blocked_since,
      client_key,
      client_id,
      signing_secret,
      old_secret,
      old_secret_until,
      id,
      version,
      status,
      url,
      verb,
      interval,
      timezone,
      created_at,
      headers,
      data,
      integrations,
      label,
      policy,
    ]) =>
      ({
        schedule_key,
        state,
        due_at,
        scheduled_for,
        next_for,
        attempt,
        attempts,
        changed_at,
        blocked_since,
        client_key,
        client_id,
        signing_secret,
        old_secret,
        old_secret_until,
        id,
        version,
        status,
        url,
        verb,
        interval,
        timezone,
        created_at,
        headers,
        data,
        integrations,
        label,
        policy,
      }) as Row,
  );
}

/** Claims and settlements, wherever their rows are kept. */
export function queueClaims(rows: QueueRows): Pick<QueueStore, 'claim' | 'settle'> {
  return {
    async claim(now, limit, unseenUntil, ...how) {
      const claimed = firingRows(await rows.claimText(now, limit, unseenUntil, ...how));
      return claimed.map(row => claimFrom(row, now, unseenUntil));
    },
    settle: settlements => rows.settleCells(settlements.map(settlementCells)),
  };
}

function settlementCells(settlement: Settlement): SettlementCells {
  const { scheduleKey, clientKey, fence, row, records, callbacks } = settlement;
  return [
    scheduleKey,
    [fence.scheduledFor, fence.attempt, fence.changedAt],
    row && [
      row.state,
      row.dueAt,
      row.scheduledFor,
      row.nextFor,
      row.attempt,
      attemptsCell(row.attempts),
    ],
    records.map(record => runCells(clientKey, scheduleKey, record)),
    callbacks.map(callback => callbackCells(clientKey, scheduleKey, callback, records)),
  ];
}
