import type { DatabaseSync } from 'node:sqlite';
import { DELETED } from '../../domain/schedule/marks.ts';
import type { Row } from '../columns.ts';

/** Marks of schedules (domain/schedule/marks.ts), within the transaction that writes the schedule. */
export interface ScheduleMarks {
  add(clientRowId: number, key: number, marks: string[]): void;
  /** Leaves those that stay as they are: most changes are of something else. */
  rewrite(clientRowId: number, key: number, marks: string[]): void;
  /** As of a schedule that was deleted. */
  setApart(key: number): void;
}

export function scheduleMarks(database: DatabaseSync): ScheduleMarks {
  const insert = database.prepare(
    'INSERT INTO schedule_marks (client_key, mark, schedule_key) VALUES (?, ?, ?)',
  );
  const list = database.prepare('SELECT mark FROM schedule_marks WHERE schedule_key = ?');
  const remove = database.prepare(
    'DELETE FROM schedule_marks WHERE client_key = ? AND mark = ? AND schedule_key = ?',
  );
  const forgetOthers = database.prepare(
    "DELETE FROM schedule_marks WHERE schedule_key = ? AND mark NOT GLOB 'tag:*'",
  );
  const setApart = database.prepare(
    `UPDATE schedule_marks SET mark = '${DELETED}' || mark WHERE schedule_key = ?`,
  );

  function add(clientRowId: number, key: number, marks: string[]): void {
    for (const mark of marks) insert.run(clientRowId, mark, key);
  }

  return {
    add,
    rewrite(clientRowId, key, marks) {
      const before = new Set((list.all(key) as Row[]).map(({ mark }) => mark as string));
      const after = new Set(marks);
      for (const mark of before.difference(after)) remove.run(clientRowId, mark, key);
      add(clientRowId, key, [...after.difference(before)]);
    },
    setApart(key) {
      forgetOthers.run(key);
      setApart.run(key);
    },
  };
}

/** Finds a mark that few schedules have, among those that a schedule must have. */
export type RarestMark = (clientRowId: number, marks: string[], most: number) => string | null;

/** @returns the rarest of `marks`, or null where more than `most` schedules have each of them */
export function rarestMark(database: DatabaseSync): RarestMark {
  const count = database.prepare(`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM schedule_marks WHERE client_key = ? AND mark = ? LIMIT ? + 0)`);
  return (clientRowId, marks, most) => {
    let rarest: string | null = null;
    let fewest = most + 1;
    for (const mark of marks) {
      const found = (count.get(clientRowId, mark, fewest) as Row).count as number;
      if (found < fewest) [rarest, fewest] = [mark, found];
    }
    return rarest;
  };
}
