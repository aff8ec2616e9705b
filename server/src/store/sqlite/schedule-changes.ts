import type { DatabaseSync } from 'node:sqlite';
import { changerText, type ScheduleChanger } from '../../domain/schedule/changer.ts';
import { levelOf } from '../../domain/schedule/level.ts';
import { marksOf } from '../../domain/schedule/marks.ts';
import { endsFurtherRuns } from '../../domain/schedule/service-change.ts';
import { type Cell, CHANGED_SCHEDULE, type Row } from '../columns.ts';
import { BY_SERVICE, type ScheduleChange, type ScheduleStore } from '../contract/schedules.ts';
import { asWritten, changedLevel } from '../rows/queue.ts';
import type { GroupCommit } from './group-commit.ts';
import { passedTimes } from './passed-times.ts';
import { replacedCalendars } from './replaced-calendars.ts';
import { requeueWriter } from './requeue.ts';
import { tellingTaken } from './schedule-codec.ts';
import type { ScheduleMarks } from './schedule-marks.ts';
import type { SearchIndex } from './search-index.ts';
import { targetRuns } from './target-runs.ts';
import { versionWriter } from './versions.ts';

/** Changes of schedules, one or many in one transaction. */
export function scheduleChanges(
  database: DatabaseSync,
  commits: GroupCommit,
  texts: SearchIndex,
  marks: ScheduleMarks,
): Pick<ScheduleStore, 'update' | 'updateAll'> {
  const update = database.prepare(`
    UPDATE schedules SET version = version + 1, ${CHANGED_SCHEDULE.assignments(() => '?')}
    WHERE client_key = ? AND id = ? AND version = ?
    RETURNING schedule_key`);
  const keepChange = database.prepare(`
    INSERT INTO schedule_changes (schedule_key, changed_at, interval, timezone, status, timing)
    SELECT schedule_key, ?, interval, timezone, status, timing FROM schedules
    WHERE client_key = ? AND id = ? AND version = ?
    ON CONFLICT DO NOTHING`);
  const queueLevel = database.prepare(`
    UPDATE queue SET needs = ${changedLevel('max', ':needs')}
    WHERE schedule_key = :key AND needs <> :needs`);
  const endManual = database.prepare(`
    UPDATE outbox SET due_at = min(due_at, ?)
    WHERE schedule_key = ? AND kind = 'manual' AND state = 'waiting'`);
  const requeue = requeueWriter(database, commits);
  const times = passedTimes(database);
  const furtherRuns = targetRuns(database);
  const versions = versionWriter(database);
  const recountReplaced = replacedCalendars(database);

  /** @returns false where another change was faster */
  function apply(
    clientRowId: number,
    { schedule, version, requeue: counted }: ScheduleChange,
    changer: ScheduleChanger,
  ): boolean {
    const change = asWritten(counted, schedule, commits.now());
    const { id, externalId = '', updatedAt } = schedule;
    const place: [number, string, number] = [clientRowId, id, version];
    if (updatedAt !== undefined) versions.keep(updatedAt, changerText(changer), place);
    if (change !== 'keep') keepChange.run(change.changedAt, ...place);
    const passed = change === 'keep' ? [] : times.before(clientRowId, id, change.changedAt);
    const start = change === 'keep' ? null : requeue.openStart(clientRowId, change.start, schedule);
    texts.changed(clientRowId, schedule, version);
    const cells = CHANGED_SCHEDULE.cells(schedule);
    const row = tellingTaken(externalId, () => update.get(...cells, ...place)) as Row | undefined;
    if (!row) return false;
    const key = row.schedule_key as number;
    marks.rewrite(clientRowId, key, marksOf(schedule));
    recountReplaced(clientRowId, CHANGED_SCHEDULE.cellOf(cells, 'timing') as Cell);
    const needs = levelOf(schedule);
    if (change === 'keep') queueLevel.run({ needs, key });
    else {
      times.write(passed);
      requeue.write(key, { ...change, start }, schedule);
      if (endsFurtherRuns(schedule, change.changedAt)) furtherRuns.drop(key, change.changedAt);
      if (schedule.status === 'deleted') endManual.run(change.changedAt, key);
    }
    return true;
  }

  return {
    update: (clientRowId, schedule, version, requeue, changer = BY_SERVICE) =>
      commits.write(() => apply(clientRowId, { schedule, version, requeue }, changer)),
    async updateAll(clientRowId, changes, changer = BY_SERVICE) {
      try {
        await commits.write(() => {
          for (const change of changes) {
            if (!apply(clientRowId, change, changer)) throw new Overtaken();
          }
        });
        return true;
      } catch (error) {
        if (error instanceof Overtaken) return false;
        throw error;
      }
    },
  };
}

/** Takes back the changes before it: another change was faster. */
class Overtaken extends Error {}
