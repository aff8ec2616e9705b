import type { DatabaseSync } from 'node:sqlite';
import type { Store } from '../../src/store/contract/store.ts';
import type { Machine } from '../machine.ts';
import type { TakenBackSeen } from '../model/evidence-of-counts.ts';

type Skipped = Omit<TakenBackSeen, 'takenAt'>;

/** Notes the records of skipped times that the store takes back: an answer from before has counted them. */
export class TakenBack {
  readonly seen: TakenBackSeen[] = [];
  readonly #machine: Machine;
  readonly #database: DatabaseSync;

  constructor(machine: Machine, database: DatabaseSync) {
    this.#machine = machine;
    this.#database = database;
  }

  /** The store of a process, watched. */
  watched(store: Store): Store {
    const { queue } = store;
    const forgetSkipped: Store['queue']['forgetSkipped'] = async runs => {
      const before = runs.flatMap(({ scheduleRowId }) => this.#skippedOf(scheduleRowId));
      await queue.forgetSkipped(runs);
      const left = runs.flatMap(({ scheduleRowId }) => this.#skippedOf(scheduleRowId));
      const isLeft = new Set(left.map(({ scheduleId, at }) => `${scheduleId} ${at}`));
      const takenAt = this.#machine.now;
      for (const record of before)
        if (!isLeft.has(`${record.scheduleId} ${record.at}`))
          this.seen.push({ ...record, takenAt });
    };
    return { ...store, queue: { ...queue, forgetSkipped } };
  }

  #skippedOf(scheduleRowId: number): Skipped[] {
    const rows = this.#database
      .prepare(`
        SELECT id AS scheduleId, scheduled_for AS at, finished_at AS decidedAt
        FROM runs JOIN schedules USING (schedule_key)
        WHERE schedule_key = ? AND runs.status = 'skipped' AND manual_id = ''`)
      .all(scheduleRowId);
    return rows as unknown as Skipped[];
  }
}
