import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { instantOf, lowestIdAt, runId } from '../../domain/id.ts';
import type { RunRecord } from '../../domain/run.ts';
import { attemptsFrom, type Row, runViewFrom } from '../rows.ts';
import type { CallbackView, RunFilter, RunStore, RunView } from '../store.ts';

/** Runs that have ended stand in `runs`; those that have not, in the queue and the outbox. */
export function sqliteRuns(database: DatabaseSync): RunStore {
  const endedColumns = 'runs.*, schedules.id AS schedule_id';
  const ended = (where: string) =>
    database.prepare(`
      SELECT ${endedColumns} FROM runs JOIN schedules USING (schedule_key)
      WHERE ${where} AND runs.id < :before AND runs.id >= :from AND runs.id < :to
      ORDER BY runs.id DESC LIMIT :limit`);
  const endedOfClient = ended('runs.client_key = :clientKey AND :status IS NULL');
  const endedOfStatus = ended('runs.client_key = :clientKey AND runs.status = :status');
  const endedOfSchedule = ended(`
    runs.schedule_key = (
      SELECT schedule_key FROM schedules WHERE client_key = :clientKey AND id = :scheduleId)
    AND (:status IS NULL OR runs.status = :status)`);
  const endedFind = database.prepare(`
    SELECT ${endedColumns} FROM runs JOIN schedules USING (schedule_key)
    WHERE runs.client_key = ? AND runs.id = ?`);

  const begun = database.prepare(`
    SELECT queue.*, schedules.id AS schedule_id
    FROM queue JOIN schedules USING (schedule_key)
    WHERE queue.state <> 'waiting' AND queue.attempt > 0 AND schedules.client_key = :clientKey
      AND (:scheduleId IS NULL OR schedules.id = :scheduleId)
      AND queue.scheduled_for >= :from AND queue.scheduled_for <= :to
    ORDER BY queue.scheduled_for DESC`);
  const manual = database.prepare(`
    SELECT outbox.*, schedules.id AS schedule_id
    FROM outbox JOIN schedules USING (schedule_key)
    WHERE outbox.kind = 'manual' AND outbox.client_key = :clientKey
      AND (:scheduleId IS NULL OR schedules.id = :scheduleId)
      AND outbox.id < :before`);
  const callbacks = database.prepare(
    "SELECT * FROM outbox WHERE kind = 'callback' AND run_id = ? AND client_key = ? ORDER BY id",
  );

  function listEnded(clientKey: number, filter: RunFilter, limit: number, before: string) {
    const range = {
      before,
      limit,
      from: filter.from === undefined ? '' : lowestIdAt(filter.from),
      to: filter.to === undefined ? '~' : lowestIdAt(filter.to),
      status: filter.status ?? null,
    };
    const { scheduleId } = filter;
    const rows = scheduleId
      ? endedOfSchedule.all({ clientKey, scheduleId, ...range })
      : chooseByStatus(filter).all({ clientKey, ...range });
    return (rows as Row[]).map(runViewFrom);
  }

  function chooseByStatus({ status }: RunFilter): StatementSync {
    return status === undefined ? endedOfClient : endedOfStatus;
  }

  function listLive(clientKey: number, filter: RunFilter, before: string): RunView[] {
    const scheduleId = filter.scheduleId ?? null;
    const last = before === '~' ? Number.MAX_SAFE_INTEGER : instantOf(before);
    const live = [
      ...(
        begun.all({
          clientKey,
          scheduleId,
          from: filter.from ?? Number.MIN_SAFE_INTEGER,
          to: Math.min(last, (filter.to ?? Number.MAX_SAFE_INTEGER) - 1),
        }) as Row[]
      ).map(begunView),
      ...(manual.all({ clientKey, scheduleId, before }) as Row[]).map(manualView),
    ];
    return live.filter(
      run =>
        run.id < before &&
        (filter.status === undefined || run.status === filter.status) &&
        (filter.from === undefined || run.scheduledFor >= filter.from) &&
        (filter.to === undefined || run.scheduledFor < filter.to),
    );
  }

  return {
    async list(clientKey, filter, limit, before = '~') {
      const live = listLive(clientKey, filter, before);
      return [...listEnded(clientKey, filter, limit, before), ...live]
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit);
    },
    async find(clientKey, id) {
      const row = endedFind.get(clientKey, id) as Row | undefined;
      if (row) return runViewFrom(row);
      const at = instantOf(id);
      const near = listLive(clientKey, { from: at, to: at + 1 }, '~');
      return near.find(run => run.id === id) ?? null;
    },
    async callbacks(clientKey, id) {
      return (callbacks.all(id, clientKey) as Row[]).map(callbackView);
    },
  };
}

/** How history is written, by the queue and by the outbox alike. */
export function runWriter(database: DatabaseSync) {
  // A nominal time that comes again (a clock set back) keeps its first record: one id, one run.
  const insert = database.prepare(`
    INSERT INTO runs (client_key, id, schedule_key, scheduled_for, trigger, status, started_at,
      finished_at, attempts, reason, missed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  return (clientKey: number, scheduleKey: number, run: RunRecord): void => {
    insert.run(
      clientKey,
      run.id,
      scheduleKey,
      run.scheduledFor,
      run.trigger,
      run.status,
      run.startedAt ?? null,
      run.finishedAt ?? null,
      JSON.stringify(run.attempts),
      run.reason ?? null,
      run.missed ? JSON.stringify(run.missed) : null,
    );
  };
}

function begunView(row: Row): RunView {
  const attempts = attemptsFrom(row.attempts);
  const view: RunView = {
    id: runId(row.schedule_id as string, row.scheduled_for as number),
    scheduleId: row.schedule_id as string,
    scheduledFor: row.scheduled_for as number,
    trigger: 'schedule',
    // In flight without a begun attempt: the engine is deciding about a retry.
    status:
      row.state === 'inFlight' && (row.attempt as number) > attempts.length
        ? 'running'
        : 'retrying',
    attempts,
  };
  const startedAt = attempts[0]?.startedAt ?? row.claimed_at;
  if (startedAt != null) view.startedAt = startedAt as number;
  return view;
}

function manualView(row: Row): RunView {
  const attempts = attemptsFrom(row.attempts);
  const view: RunView = {
    id: row.id as string,
    scheduleId: row.schedule_id as string,
    scheduledFor: row.scheduled_for as number,
    trigger: 'manual',
    status: unendedStatus(row),
    attempts,
  };
  const startedAt = attempts[0]?.startedAt ?? row.claimed_at;
  if (startedAt != null) view.startedAt = startedAt as number;
  return view;
}

function callbackView(row: Row): CallbackView {
  const ended = row.state === 'succeeded' || row.state === 'failed';
  return {
    id: row.id as string,
    integrationId: row.integration_id as string,
    url: row.url as string,
    status: ended ? (row.state as 'succeeded' | 'failed') : unendedStatus(row),
    attempts: attemptsFrom(row.attempts),
  };
}

function unendedStatus(row: Row): 'running' | 'queued' | 'retrying' {
  if (row.state === 'inFlight') return 'running';
  return (row.attempt as number) === 0 ? 'queued' : 'retrying';
}
