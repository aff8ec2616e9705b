import { PUT_OFF_MS } from '../../domain/run/suspension.ts';
import { changerText, type ScheduleChanger } from '../../domain/schedule/changer.ts';
import { levelOf } from '../../domain/schedule/level.ts';
import { marksOf } from '../../domain/schedule/marks.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import { endsFurtherRuns } from '../../domain/schedule/service-change.ts';
import {
  type Cell,
  CHANGED_SCHEDULE,
  FOLDED_TEXTS,
  QUEUE,
  type Row,
  SCHEDULE_START,
} from '../columns.ts';
import {
  BY_SERVICE,
  type Requeue,
  type ScheduleChange,
  type ScheduleStore,
} from '../contract/schedules.ts';
import { fenceBefore } from '../fence.ts';
import { LEAST_RESERVED_LEVEL } from '../rows/outbox.ts';
import { asWritten, changedLevel, markCell, markedAt, startBehind } from '../rows/queue.ts';
import { UNSENT } from '../rows/recount.ts';
import { fold } from '../rows/row.ts';
import { RECOUNT_REPLACED } from './calendars.ts';
import {
  type Connections,
  columnsOf,
  parameters,
  type Query,
  type Statement,
} from './connection.ts';
import { tellingTaken } from './fault.ts';
import type { Notifier } from './notifications/notifier.ts';
import { schedulesBefore, writePassedTimes } from './passed-times.ts';
import { dropTargetRuns } from './target-runs.ts';
import { CONFIG_SQL, dropOldestSql } from './versions.ts';

/** Changes of schedules, one or many in one transaction: all in sets. */

export const NO_START = { first: null, second: null };
/**
 * Of a change: the version it names, and what goes with it besides. `changed_at` is NULL where the queue's row keeps its
 * times.
 */
const CHANGE = 'given_id, was, changed_at, needs, marks';
const CHANGE_TYPES = [
  ...['text', 'integer', 'bigint', 'integer', 'text'],
  ...CHANGED_SCHEDULE.types,
  ...FOLDED_TEXTS.types,
];
/**
 * The keys are looked up one by one: as a join it reads all schedules of the client, where the planner knows nothing of
 * the table yet. The state before is kept as it was before this statement. Marks that stay are left as they are, for most
 * changes are of something else.
 */
const update: Statement = {
  name: 'schedules_update',
  text: `
    WITH given AS MATERIALIZED (
      SELECT given.*, found.* FROM unnest(${parameters(3, CHANGE_TYPES)})
        AS given (${CHANGE}, ${CHANGED_SCHEDULE.list()}, ${FOLDED_TEXTS.list()})
      CROSS JOIN LATERAL (
        SELECT schedule_key AS key, interval AS old_interval, timezone AS old_timezone,
          status AS old_status, timing AS old_timing, updated_at AS old_updated_at,
          ${CONFIG_SQL} AS old_config
        FROM schedules WHERE client_key = $1 AND id = given_id
        OFFSET 0) AS found
    ), kept AS (
      INSERT INTO schedule_changes (schedule_key, changed_at, interval, timezone, status, timing)
      SELECT key, changed_at, old_interval, old_timezone, old_status, old_timing
      FROM given WHERE changed_at IS NOT NULL
      ON CONFLICT DO NOTHING
    ), changed AS (
      UPDATE schedules SET version = version + 1,
        ${CHANGED_SCHEDULE.assignments(name => `given.${name}`)},
        ${FOLDED_TEXTS.assignments(name => `given.${name}`)}
      FROM given WHERE schedule_key = key AND version = was
      RETURNING schedule_key, changed_at, given.needs, marks, was, old_updated_at, old_config,
        schedules.updated_at AS until_at
    ), versioned AS (
      INSERT INTO schedule_versions (schedule_key, version, until_at, changed_by, config)
      SELECT schedule_key, was, until_at, $2::text, old_config
      FROM changed WHERE until_at IS NOT NULL AND until_at IS DISTINCT FROM old_updated_at
    ), dropped AS (${dropOldestSql('changed')}
    ), levelled AS (
      UPDATE queue SET needs = ${changedLevel('greatest', 'changed.needs')} FROM changed
      WHERE queue.schedule_key = changed.schedule_key AND changed.changed_at IS NULL
        AND queue.needs <> changed.needs
    ), reserved AS (
      UPDATE outbox SET state = 'reserved', needs = greatest(outbox.needs, (
        SELECT changed.needs FROM changed WHERE changed.schedule_key = outbox.schedule_key))
      WHERE schedule_key = ANY (ARRAY(
          SELECT schedule_key FROM changed WHERE changed.needs >= ${LEAST_RESERVED_LEVEL}))
        AND kind = 'manual' AND state IS NOT DISTINCT FROM 'waiting' AND due_at < ${PUT_OFF_MS}
    ), wanted AS MATERIALIZED (
      SELECT schedule_key, mark
      FROM changed CROSS JOIN LATERAL json_array_elements_text(marks::json) AS mark
    ), unmarked AS (
      DELETE FROM schedule_marks
      WHERE schedule_key = ANY (ARRAY(SELECT schedule_key FROM changed))
        AND (schedule_key, mark) NOT IN (SELECT schedule_key, mark FROM wanted)
    ), marked AS (
      INSERT INTO schedule_marks (client_key, mark, schedule_key)
      SELECT $1, mark, schedule_key FROM wanted
      ON CONFLICT DO NOTHING
    ), replaced AS (${RECOUNT_REPLACED}
    )
    SELECT schedule_key FROM changed`,
};
const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';
const lock: Statement = {
  name: 'schedules_lock',
  text: `
    SELECT schedule_key, id, version, ${NOW} FROM schedules
    WHERE client_key = $1 AND id = ANY ($2)
    ORDER BY schedule_key FOR UPDATE`,
};
/** Rows of the queue that are requeued: `first` is NULL where nothing is to come. */
const REQUEUED = `unnest(
        $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[]
      ) AS given (key, at, first, second, needs)`;
const queueInsert: Statement = {
  name: 'queue_insert',
  text: `
    INSERT INTO queue AS old
      (schedule_key, state, due_at, scheduled_for, next_for, needs, fence, blocked_since)
    SELECT key, 'waiting', first, first, second, needs, ${fenceBefore('key')}, (
      SELECT claimed_at FROM outbox
      WHERE schedule_key = key AND kind = 'manual' AND state IN ('inFlight', 'awaiting')
        AND trigger IS DISTINCT FROM 'dropped')
    FROM ${REQUEUED}
    ON CONFLICT (schedule_key) DO UPDATE SET due_at = excluded.due_at,
      scheduled_for = excluded.scheduled_for, next_for = excluded.next_for, needs = excluded.needs,
      changed_at = NULL
    WHERE old.state = 'waiting'`,
};
/**
 * Records of a clock that was ahead, of what was never sent of the times to come. While a schedule has no row, nothing counts it
 * anew. The last bound is the earliest of the times, and says which days are looked in.
 */
const forgetUnsent: Statement = {
  name: 'queue_forget_unsent',
  text: `
    DELETE FROM runs
    WHERE schedule_key = ANY ($1::bigint[]) AND scheduled_for >= $3::bigint AND keep = 'short'
      AND ${UNSENT}
      AND scheduled_for >= (
        SELECT first FROM unnest($1, $2::bigint[]) AS given (key, first) WHERE key = schedule_key)`,
};
const queueRemoveWaiting: Statement = {
  name: 'queue_remove_waiting',
  text: "DELETE FROM queue WHERE schedule_key = ANY ($1) AND state = 'waiting'",
};
const queueMarkBegun: Statement = {
  name: 'queue_mark_begun',
  text: `
    UPDATE queue SET changed_at = ${markCell('greatest', 'given.at')}, next_for = given.first,
      needs = ${changedLevel('greatest', 'given.needs')},
      due_at = CASE WHEN state IN ('inFlight', 'awaiting') THEN due_at
        ELSE least(due_at, coalesce(given.first, given.at)) END
    FROM ${REQUEUED}
    WHERE schedule_key = given.key AND state IS DISTINCT FROM 'waiting'`,
};
const queueLock: Statement = {
  name: 'queue_lock',
  text: `
    SELECT schedule_key, changed_at, ${QUEUE.list()}, ${NOW} FROM queue WHERE schedule_key = ANY ($1)
    ORDER BY schedule_key FOR UPDATE`,
};
const endManual: Statement = {
  name: 'outbox_end_manual',
  text: `
    UPDATE outbox SET due_at = least(due_at, (
      SELECT at FROM unnest($1::bigint[], $2::bigint[]) AS given (key, at)
      WHERE key = outbox.schedule_key))
    WHERE schedule_key = ANY ($1) AND kind = 'manual' AND state IN ('waiting', 'reserved')`,
};

export function scheduleChanges(
  { query, transaction }: Connections,
  notifier: Notifier,
): Pick<ScheduleStore, 'update' | 'updateAll'> {
  function announce(changes: ScheduleChange[]): void {
    for (const { schedule, requeue } of changes) {
      const { id, createdAt, updatedAt = createdAt } = schedule;
      notifier.changed(id, requeue === 'keep' ? updatedAt : requeue.changedAt);
    }
  }

  return {
    async update(clientRowId, schedule, version, requeue, changer = BY_SERVICE) {
      const changes = [{ schedule, version, requeue }];
      const by = { clientRowId, changer };
      const isChanged = await tellingTaken(
        requeue === 'keep'
          ? query(update, changeValues(by, changes)).then(rows => rows.length === 1)
          : transaction(send => apply(send, by, changes)),
      );
      if (isChanged) announce(changes);
      return isChanged;
    },
    async updateAll(clientRowId, changes, changer = BY_SERVICE) {
      if (changes.length === 0) return true;
      const by = { clientRowId, changer };
      const isChanged = await tellingTaken(transaction(send => apply(send, by, changes)));
      if (isChanged) announce(changes);
      return isChanged;
    },
  };
}

/** The owner of the schedules, and who changes them. */
interface Changing {
  clientRowId: number;
  changer: ScheduleChanger;
}

/** A change whose row of the queue is written anew. */
export interface Requeued extends Exclude<Requeue, 'keep'> {
  key: number;
  schedule: Schedule;
}

/**
 * Rows are locked in one order everywhere: schedule, outbox, queue, each by its key.
 *
 * The queue's rows are locked before they are looked at. A claim that is just being written would
 * otherwise be missed by both: by the statement for rows that wait and by the one for rows that do
 * not.
 *
 * @returns false where another change was faster: nothing is written
 */
async function apply(send: Query, by: Changing, counted: ScheduleChange[]): Promise<boolean> {
  const rows = await send(lock, [by.clientRowId, counted.map(({ schedule }) => schedule.id)]);
  const now = (rows[0]?.now ?? 0) as number;
  const changes = counted.map(change => ({
    ...change,
    requeue: asWritten(change.requeue, change.schedule, now),
  }));
  const byId = new Map(rows.map(row => [row.id as string, row]));
  const isOvertaken = changes.some(
    ({ schedule, version }) => byId.get(schedule.id)?.version !== version,
  );
  if (isOvertaken || byId.size < changes.length) return false;
  const requeued = changes.flatMap(({ schedule, requeue }): Requeued[] =>
    requeue === 'keep'
      ? []
      : [{ ...requeue, schedule, key: byId.get(schedule.id)!.schedule_key as number }],
  );
  const deleted = requeued.filter(({ schedule }) => schedule.status === 'deleted');
  if (deleted.length > 0) {
    await send(endManual, columnsOf(deleted.map(({ key, changedAt }) => [key, changedAt])));
  }
  const dropped = requeued.filter(({ schedule, changedAt }) =>
    endsFurtherRuns(schedule, changedAt),
  );
  await dropTargetRuns(
    send,
    dropped.map(({ key, changedAt }) => [key, changedAt]),
  );
  const queued = await send(queueLock, [rows.map(row => row.schedule_key as number)]);
  await writePassedTimes(send, queued, requeued);
  const moving = requeued.filter(change => !isKept(queued, change));
  const opened = await withOpenStarts(send, queued, moving);
  await send(update, changeValues(by, changes));
  if (opened.length > 0) await requeueAll(send, queued, opened);
  return true;
}

/** @param queued the rows of the queue, as they were locked */
function isKept(queued: Row[], { key, keptFor }: Requeued): boolean {
  if (keptFor === undefined) return false;
  const row = queued.find(({ schedule_key }) => schedule_key === key);
  if (row === undefined) return false;
  return row.changed_at !== null || (row.state === 'waiting' && row.scheduled_for === keptFor);
}

/**
 * To be called before the changes are written.
 *
 * @param queued their rows of the queue, as they were locked
 * @returns them without the times that were decided about since the clock was read
 */
async function withOpenStarts(
  send: Query,
  queued: Row[],
  requeued: Requeued[],
): Promise<Requeued[]> {
  const rows = new Map(queued.map(row => [row.schedule_key as number, row]));
  const isBehind = ({ key, start }: Requeued) => {
    const row = rows.get(key);
    if (start === null || row === undefined) return false;
    return row.attempts !== null || (row.scheduled_for as number) > start.first;
  };
  const behind = requeued.filter(isBehind);
  if (behind.length === 0) return requeued;
  const before = await schedulesBefore(
    send,
    behind.map(({ key }) => key),
  );
  return requeued.map(change => {
    const { key, start, schedule } = change;
    const was = before.get(key);
    if (was === undefined || start === null) return change;
    const row = rows.get(key)!;
    const open = startBehind({ ...row, ...was }, start, schedule, row.now as number);
    return { ...change, start: open };
  });
}

/** The caller has locked the schedules. @param queued their rows of the queue, as they were locked */
async function requeueAll(send: Query, queued: Row[], requeued: Requeued[]): Promise<void> {
  const now = (queued[0]?.now ?? 0) as number;
  const cells = requeued.map(({ key, changedAt, start, schedule }) => {
    const times = { ...(start ?? NO_START), needs: levelOf(schedule) };
    return [key, markedAt(changedAt, now), ...SCHEDULE_START.cells(times)];
  });
  await send(queueMarkBegun, columnsOf(cells));
  const [starting, ending] = [cells.filter(isStarting), cells.filter(cell => !isStarting(cell))];
  if (starting.length > 0) {
    const columns = columnsOf(starting);
    await send(queueInsert, columns);
    const [keys, , firsts] = columns as [number[], Cell[], number[]];
    await send(forgetUnsent, [keys, firsts, firsts.reduce((a, b) => Math.min(a, b))]);
  }
  if (ending.length > 0) await send(queueRemoveWaiting, [ending.map(([key]) => key as number)]);
}

function isStarting([, , first]: Cell[]): boolean {
  return first !== null;
}

/** With the end of manual runs. The caller has locked the schedules. */
export async function lockAndRequeue(send: Query, requeued: Requeued[]): Promise<void> {
  if (requeued.length === 0) return;
  const queued = await send(queueLock, [requeued.map(({ key }) => key)]);
  await writePassedTimes(send, queued, requeued);
  await requeueAll(send, queued, await withOpenStarts(send, queued, requeued));
}

function changeValues(
  { clientRowId, changer }: Changing,
  changes: ScheduleChange[],
): (Cell | Cell[])[] {
  const columns = columnsOf(
    changes.map(({ schedule, version, requeue }) => {
      const changedAt = requeue === 'keep' ? null : requeue.changedAt;
      const marks = marksCell(schedule);
      const cells: Cell[] = [schedule.id, version, changedAt, levelOf(schedule), marks];
      CHANGED_SCHEDULE.append(cells, schedule);
      FOLDED_TEXTS.append(cells, foldedTextsOf(schedule));
      return cells;
    }),
  );
  return [clientRowId, changerText(changer), ...columns];
}

/** As the statements take the marks of a schedule. */
export function marksCell(schedule: Schedule): string {
  return JSON.stringify(marksOf(schedule));
}

export function foldedTextsOf({ url, label }: Schedule) {
  return { urlFolded: fold(url), labelFolded: fold(label) };
}
