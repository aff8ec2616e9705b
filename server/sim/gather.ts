import type { DatabaseSync } from 'node:sqlite';
import type * as Wire from '@punctual/client';
import type { Run, ScheduleInput, SchedulePatch } from '@punctual/client';
import { runAnswer } from '../src/api/answers.ts';
import { runId } from '../src/domain/id.ts';
import type { Schedule } from '../src/domain/schedule/schedule.ts';
import type { Store } from '../src/store/contract/store.ts';
import type { Asked, Callers, Edit } from './callers.ts';
import type { PlayedClient } from './clients.ts';
import type {
  ChangeSeen,
  Content,
  Evidence,
  Excludes,
  HistorySeen,
  InFlightSeen,
  Planned,
  ScheduleSeen,
  VersionSeen,
} from './model/evidence.ts';
import type { ClientSeen } from './model/evidence-of-clients.ts';
import { isSteered } from './steered-workload.ts';
import type { ChangesWritten } from './store/changes-written.ts';
import { isPlanned } from './workload.ts';

/** The store as the world itself looks at it: nothing is in its way. */
export interface Looked {
  database: DatabaseSync;
  store: Store;
  clients: PlayedClient[];
  /** When changes were written. */
  written: ChangesWritten;
}

const ANY_SCHEDULE = '00000000-0000-7000-8000-000000000000';

/** Whether something of a time up to `until` has not come to its end. That is asked often: to gather all takes longer. */
export function isOwed(database: DatabaseSync, until: number): boolean {
  // The id of a run begins with its time.
  const bound = runId(ANY_SCHEDULE, until + 1).slice(0, 13);
  const { owed } = database
    .prepare(`
      SELECT EXISTS (SELECT 1 FROM queue WHERE scheduled_for <= :until) OR EXISTS (
        SELECT 1 FROM outbox WHERE state IN ('waiting', 'inFlight', 'awaiting')
          AND (scheduled_for <= :until OR run_id < :bound)) AS owed`)
    .get({ until, bound }) as { owed: number };
  return owed === 1;
}

/** What the store says at the end, beside what the world has seen. */
export async function gather(
  looked: Looked,
  { asked, triggered, refused, explained, nexts }: Callers,
  now: number,
  seen: Omit<
    Evidence,
    | 'schedules'
    | 'runs'
    | 'triggered'
    | 'refused'
    | 'madeTwice'
    | 'explained'
    | 'nexts'
    | 'decidedAt'
  >,
): Promise<Evidence> {
  const idsOf = madeOf(looked.database);
  const madeTwice = [...idsOf].filter(([, ids]) => ids.length > 1).map(([label]) => label);
  const schedules = await Promise.all(
    asked.map(each => seenOf(looked, each, idsOf.get(each.label)?.[0])),
  );
  const callers = new Set(
    schedules.filter(({ integrations }) => integrations.length > 0).map(({ id }) => id),
  );
  const { clients } = looked;
  const listed = await allRunsOf(looked, callers, now);
  const runs = [...listed, ...(seen.pruned ?? []).map(({ run }) => run)];
  const decidedAt = decidedIn(looked.database);
  for (const { run, decidedAt: at } of seen.pruned ?? []) if (at) decidedAt[run.id] = at;
  const told = { schedules, runs, decidedAt, triggered, refused, explained, nexts, madeTwice };
  if (clients.length === 1) return { ...seen, ...told };
  return { ...seen, ...told, clients: clients.map(each => clientSeen(looked, each)) };
}

function clientSeen({ database }: Looked, client: PlayedClient): ClientSeen {
  const { credentials, suspensions, deletion, secrets, calls } = client;
  const left = deletion === null ? [] : leftOf(database, credentials.clientRowId);
  return { id: credentials.clientId, suspensions, deletion, secrets, calls, left };
}

/** What is there of a client that was deleted. */
const LEFT = {
  schedules: "SELECT 1 FROM schedules WHERE client_key = ? AND status <> 'deleted'",
  'rows of the queue': `SELECT 1 FROM queue JOIN schedules USING (schedule_key) WHERE client_key = ?`,
  'rows of the outbox': `
    SELECT 1 FROM outbox WHERE client_key = ? AND state IN ('waiting', 'inFlight', 'awaiting')`,
  keys: 'SELECT 1 FROM api_keys WHERE client_key = ? AND revoked_at IS NULL',
  secrets:
    "SELECT 1 FROM clients WHERE client_key = ? AND (signing_secret <> '' OR old_secret <> '')",
};

function leftOf(database: DatabaseSync, clientRowId: number): string[] {
  const isLeft = ([, rows]: [string, string]) =>
    database.prepare(`${rows} LIMIT 1`).get(clientRowId) !== undefined;
  return Object.entries(LEFT)
    .filter(isLeft)
    .map(([what]) => what);
}

/** The rows of the queue and of the outbox that some process works on, or should. */
export function inFlightIn(database: DatabaseSync, at: number): InFlightSeen[] {
  const rows = database
    .prepare(`
      SELECT schedules.id AS scheduleId, scheduled_for AS scheduledFor, NULL AS entry, claimed_at AS claimedAt,
        due_at AS dueAt
      FROM queue JOIN schedules USING (schedule_key) WHERE state = 'inFlight'
      UNION ALL
      SELECT schedules.id, 0, outbox.id, claimed_at, due_at
      FROM outbox JOIN schedules USING (schedule_key) WHERE state = 'inFlight'`)
    .all() as { scheduleId: string; scheduledFor: number; entry: string | null }[];
  return rows.map(({ entry, scheduledFor, ...row }) => ({
    ...(row as unknown as InFlightSeen),
    at,
    id: entry ?? runId(row.scheduleId, scheduledFor),
  }));
}

/** When it was decided that times and further runs do not fire, by the ids of their records. */
function decidedIn(database: DatabaseSync): HistorySeen['decidedAt'] {
  const rows = database
    .prepare(`
      SELECT id, manual_id AS further, scheduled_for AS at, finished_at AS decidedAt
      FROM runs JOIN schedules USING (schedule_key) WHERE runs.status IN ('missed', 'skipped')`)
    .all() as { id: string; further: string; at: number; decidedAt: number }[];
  return Object.fromEntries(
    rows.map(({ id, further, at, decidedAt }) => [further || runId(id, at), decidedAt]),
  );
}

/** All runs, with the callbacks of those schedules that have some. */
export async function historyOf(
  looked: Omit<Looked, 'written'>,
  asked: Asked[],
  now: number,
): Promise<HistorySeen> {
  // What was asked for and not answered may have been made.
  const idsOf = madeOf(looked.database);
  const calling = asked.filter(({ body }) => body.integrations !== undefined);
  const callers = calling.flatMap(({ label }) => idsOf.get(label) ?? []);
  const runs = await allRunsOf(looked, new Set(callers), now);
  return { runs, decidedAt: decidedIn(looked.database) };
}

/** The ids of schedules by the labels that their callers gave them. */
function madeOf(database: DatabaseSync): Map<string, string[]> {
  const groups = Map.groupBy(namesIn(database), ([, label]) => label);
  return new Map([...groups].map(([label, same]) => [label, same.map(([id]) => id)]));
}

/** The labels that callers gave their schedules, by their ids. */
export function namesIn(database: DatabaseSync): Map<string, string> {
  const rows = database.prepare('SELECT id, label FROM schedules').all();
  const made = rows as { id: string; label: string }[];
  // Each change puts its number behind.
  return new Map(made.map(({ id, label }) => [id, label.split('#', 1)[0]!]));
}

async function allRunsOf(
  looked: Pick<Looked, 'store' | 'clients'>,
  callers: Set<string>,
  now: number,
): Promise<Run[]> {
  const runs = looked.clients.map(client => runsOf(looked, client, callers, now));
  return (await Promise.all(runs)).flat();
}

async function runsOf(
  { store: { runs } }: Pick<Looked, 'store'>,
  { credentials: { clientRowId } }: PlayedClient,
  callers: Set<string>,
  now: number,
): Promise<Run[]> {
  const listed = await runs.list(clientRowId, { now }, 100_000);
  return Promise.all(
    listed.map(async run => {
      const callbacks = callers.has(run.scheduleId)
        ? await runs.callbacks(clientRowId, run.id)
        : [];
      return runAnswer(run, callbacks);
    }),
  );
}

async function seenOf(
  { store, clients, written }: Omit<Looked, 'database'>,
  { body, client, label, told, edits: asked }: Asked,
  made: string | undefined,
): Promise<ScheduleSeen> {
  const { clientId, clientRowId } = client.credentials;
  const edits = [...asked, ...withClient(client, asked)];
  const id = told?.id ?? made ?? label;
  const found = await store.schedules.find(clientRowId, id);
  const { interval, timezone, policy } = body;
  const { integrations = [], createdAt = Number.NaN } = found?.schedule ?? {};
  return {
    id,
    interval,
    timezone,
    createdAt,
    ...(clients.length > 1 && { client: clientId }),
    integrations: integrations.map(({ id, callOnSuccess }) => ({ id, callOnSuccess })),
    ...(integrations.length === 0 && { origin: new URL(body.url).origin }),
    ...(policy && { policy }),
    ...(body.exclude !== undefined && { excludes: excludesOf(body) }),
    ...(body.destination !== undefined && { destination: body.destination }),
    ...(found !== null &&
      isPlanned(body) &&
      body.exclude === undefined && {
        planned: {
          ...boundsOf(body),
          afterCompletion: body.afterCompletion ?? 'disable',
          status: found.schedule.status,
          ...(found.schedule.statusReason && { statusReason: found.schedule.statusReason }),
          version: found.version,
          updatedAt: found.schedule.updatedAt ?? null,
        },
      }),
    ...(found !== null &&
      edits.length > 0 && {
        versions: await versionsOf({ store, clientRowId, written }, found.schedule, edits),
        changes: edits.map(changeOf),
      }),
    ...(found !== null &&
      isSteered(body) &&
      !isPlanned(body) && {
        versions: (await versionsOf({ store, clientRowId, written }, found.schedule, [])).map(
          version => byTarget(version, id, written),
        ),
      }),
    acknowledged: told !== null,
    listed: found !== null,
  };
}

function excludesOf({ exclude, onExcluded, windowSeconds }: ScheduleInput): Excludes {
  return { names: exclude!, onExcluded, windowSeconds };
}

const BOUNDS = ['startsAt', 'endsAt', 'pausedUntil'] as const;
const COUNTS = ['maxRuns', 'windowSeconds'] as const;

/** Those that the caller set. */
function boundsOf(body: ScheduleInput): Partial<Planned> {
  const instants = BOUNDS.filter(name => name in body).map(name => [name, Date.parse(body[name]!)]);
  const counts = COUNTS.filter(name => name in body).map(name => [name, body[name]]);
  return Object.fromEntries([...instants, ...counts]);
}

/** Its schedules go with a client that is deleted. Nodes hear of that within 5 s. */
function withClient({ deletion }: PlayedClient, edits: Edit[]): Edit[] {
  if (deletion === null) return [];
  const endedAt = deletion.by + 5_000;
  const { from: askedAt } = deletion;
  const during = { from: askedAt, to: endedAt };
  const answered = { answer: { status: 200, body: {} }, status: 200 };
  return [{ number: edits.length + 1, patch: null, askedAt, endedAt, during, ...answered }];
}

async function versionsOf(
  { store, clientRowId, written }: Pick<Looked, 'store' | 'written'> & { clientRowId: number },
  present: Schedule,
  edits: Edit[],
): Promise<VersionSeen[]> {
  const past = await store.versions.list(clientRowId, present.id, MOST_VERSIONS, 1e9);
  const all = [...past.map(({ schedule }) => schedule).reverse(), present];
  return all.map(schedule => {
    const { status, label = '', createdAt, updatedAt = createdAt } = schedule;
    const deletion = status === 'deleted' ? deletionOf(updatedAt, edits) : undefined;
    const change = deletion?.number ?? Number(label.split('#')[1] ?? 0);
    const { endedAt = createdAt } = edits[change - 1] ?? {};
    // Who waited no more was not told: a node that was frozen changed it as it went on.
    const writtenBy = Math.max(endedAt, written.of(present.id, updatedAt) ?? endedAt);
    return { change, at: updatedAt, writtenBy, is: contentOf(schedule) };
  });
}

/**
 * The one that deleted it. Of two at once, one is answered that it is gone. One that comes later is answered as if it had deleted it; one
 * whose process dies may have deleted it. One that was refused has not.
 */
function deletionOf(deletedAt: number, edits: Edit[]): Edit | undefined {
  const all = edits.filter(({ patch, status }) => patch === null && !isRefusal(status));
  const done = all.filter(({ answer }) => answer !== null);
  const hasBegun = ({ askedAt }: Edit) => askedAt <= deletedAt;
  const isThen = (edit: Edit) => hasBegun(edit) && deletedAt <= edit.endedAt;
  return [isThen, hasBegun, () => true]
    .map(isMeant => done.find(isMeant) ?? all.find(isMeant))
    .find(found => found !== undefined);
}

/** A store that failed may have done its work. */
function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500;
}

function byTarget(version: VersionSeen, id: string, written: ChangesWritten): VersionSeen {
  return written.of(id, version.at) === null ? version : { ...version, isByTarget: true };
}

const MOST_VERSIONS = 1_000;

function contentOf({ url, interval, timezone, status, timing }: Schedule): Content {
  return { url, interval, timezone, status, pausedUntil: timing?.pausedUntil };
}

function changeOf({ number, patch, answer, status, match, ...when }: Edit): ChangeSeen {
  const isDeleted = patch === null;
  const told: Wire.Schedule | undefined = isDeleted ? undefined : answer?.body;
  return {
    ...{ number, askedAt: when.askedAt, endedAt: when.endedAt, during: when.during },
    isDeleted: isDeleted && answer !== null,
    fields: isDeleted ? { status: 'deleted' } : fieldsOf(patch),
    told: told ? { at: Date.parse(told.updatedAt!), is: toldContent(told) } : null,
    ...(match !== undefined && { match: Number(match.replaceAll('"', '')) }),
    ...(status !== null && status !== 200 && { refusedWith: status }),
  };
}

function fieldsOf({ pausedUntil, ...patch }: SchedulePatch): Partial<Content> {
  if (pausedUntil === undefined) return patch as Partial<Content>;
  const until = pausedUntil === null ? undefined : Date.parse(pausedUntil);
  return { ...(patch as Partial<Content>), pausedUntil: until };
}

function toldContent({ url, interval, timezone, status, pausedUntil }: Wire.Schedule): Content {
  const until = pausedUntil === undefined ? undefined : Date.parse(pausedUntil);
  return { url, interval, timezone, status, pausedUntil: until };
}
