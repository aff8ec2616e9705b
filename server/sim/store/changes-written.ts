import type { DatabaseSync } from 'node:sqlite';
import type { Settlement } from '../../src/store/contract/queue.ts';
import type { Machine } from '../machine.ts';

type Written = Pick<Settlement, 'scheduleRowId' | 'change'>;

/** When changes of schedules were written that came with the end of an attempt. */
export class ChangesWritten {
  readonly #machine: Machine;
  readonly #database: DatabaseSync;
  /** By schedule and the instant of the change, epoch ms. */
  readonly #writtenAt = new Map<string, number>();

  constructor(machine: Machine, database: DatabaseSync) {
    this.#machine = machine;
    this.#database = database;
  }

  /** The store has done this work. */
  note(method: string, [settlements]: unknown[]): void {
    if (method !== 'settle') return;
    for (const { scheduleRowId, change } of settlements as Written[]) {
      if (change === undefined) continue;
      this.#writtenAt.set(`${this.#idOf(scheduleRowId)} ${change.at}`, this.#machine.trueNow);
    }
  }

  /** @param at as the change says; null: no such one was written */
  of(id: string, at: number): number | null {
    return this.#writtenAt.get(`${id} ${at}`) ?? null;
  }

  #idOf(key: number): string {
    const row = this.#database.prepare('SELECT id FROM schedules WHERE schedule_key = ?').get(key);
    return String(row?.id);
  }
}
