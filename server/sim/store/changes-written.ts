import type { DatabaseSync } from 'node:sqlite';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import type { Settlement } from '../../src/store/contract/queue.ts';
import type { ScheduleChange } from '../../src/store/contract/schedules.ts';
import type { Machine } from '../machine.ts';

type Written = Pick<Settlement, 'scheduleRowId' | 'change'>;

/** When changes of schedules were written: those that came with the end of an attempt, and those that callers asked for. */
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
  note(part: string, method: string, parameters: unknown[], answer: unknown): void {
    if (method === 'settle') this.#noteSettled(parameters[0] as Written[]);
    if (part !== 'schedules' || answer !== true) return;
    if (method === 'update') this.#noteAsked(parameters[1] as Schedule);
    if (method === 'updateAll')
      for (const { schedule } of parameters[1] as ScheduleChange[]) this.#noteAsked(schedule);
  }

  #noteSettled(settlements: Written[]): void {
    for (const { scheduleRowId, change } of settlements) {
      if (change !== undefined) this.#set(this.#idOf(scheduleRowId), change.at);
    }
  }

  #noteAsked({ id, createdAt, updatedAt = createdAt }: Schedule): void {
    this.#set(id, updatedAt);
  }

  #set(id: string, at: number): void {
    this.#writtenAt.set(`${id} ${at}`, this.#machine.trueNow);
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
