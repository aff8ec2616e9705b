import type { QueueStore, Settlement } from '../contract/queue.ts';
import { claimFrom } from '../rows/queue.ts';
import { attemptsCell, type Cell, type Row } from '../rows/row.ts';
import { callbackCells, runCells } from '../rows/runs.ts';

/**
 * What every firing takes to the statements and back, flat: it travels between threads, and one text
 * or one list of cells for a whole batch costs a fraction of what copies of objects do.
 */

/** Where the statements run: what every firing takes along, ready to travel between threads. */
export interface QueueTexts {
  /** @returns the claimed rows as JSON: an array of cells each, in the order of `FIRING` */
  claimText(...claim: Parameters<QueueStore['claim']>): Promise<string>;
  /** @param cells as `settlementCells` puts them in a row */
  settleCells(cells: Cell[]): Promise<number[]>;
}

export const FIREABLE_JOINS = `
  JOIN schedules ON schedules.schedule_key = queue.schedule_key
  JOIN clients ON clients.client_key = schedules.client_key`;

/**
 * What a claim reads. One text of all cells, made by SQLite and parsed where it is wanted, costs a
 * third of as many columns.
 */
export const FIREABLE = [
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

/** @param texts of rows, their `FIRING` each */
export function arrayText(texts: string[]): string {
  return `[${texts.join()}]`;
}

/**
 * The cells of `FIRING` under their names again. Written out, because a loop over the names takes three
 * times as long, and this is done for every firing.
 */
export function claimedRows(text: string): Row[] {
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
export function queueClaims(rows: QueueTexts): Pick<QueueStore, 'claim' | 'settle'> {
  return {
    async claim(now, limit, unseenUntil, ...how) {
      const claimed = claimedRows(await rows.claimText(now, limit, unseenUntil, ...how));
      return claimed.map(row => claimFrom(row, now, unseenUntil));
    },
    settle: settlements => rows.settleCells(settlementCells(settlements)),
  };
}

/**
 * All cells of all settlements, one after the other, as their statements want them: the key of the
 * schedule, the fence, whether a row follows and the row, how many runs follow and these, how many
 * callbacks follow and these.
 */
function settlementCells(settlements: Settlement[]): Cell[] {
  const cells: Cell[] = [];
  for (const { scheduleRowId, clientRowId, fence, row, records, callbacks } of settlements) {
    cells.push(scheduleRowId, fence.scheduledFor, fence.attempt, fence.changedAt);
    if (row === null) cells.push(0);
    else {
      cells.push(1, row.state, row.dueAt, row.scheduledFor, row.nextFor, row.attempt);
      cells.push(attemptsCell(row.attempts));
    }
    cells.push(records.length);
    for (const record of records) cells.push(...runCells(clientRowId, scheduleRowId, record));
    cells.push(callbacks.length);
    for (const callback of callbacks) {
      cells.push(...callbackCells(clientRowId, scheduleRowId, callback, records));
    }
  }
  return cells;
}

/** Reads cells in the order in which they were written. */
export class CellReader {
  readonly #cells: Cell[];
  #at = 0;

  constructor(cells: Cell[]) {
    this.#cells = cells;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#cells.length;
  }

  number(): number {
    return this.#cells[this.#at++] as number;
  }

  take(count: number): Cell[] {
    this.#at += count;
    return this.#cells.slice(this.#at - count, this.#at);
  }

  /** How many follow, and so many of `size` cells. */
  list(size: number): Cell[][] {
    const list: Cell[][] = [];
    for (let left = this.number(); left > 0; left -= 1) list.push(this.take(size));
    return list;
  }
}

export const FENCE_CELLS = 3;
export const ROW_CELLS = 6;
export const RUN_CELLS = 11;
export const CALLBACK_CELLS = 9;
