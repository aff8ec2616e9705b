import type { DatabaseSync } from 'node:sqlite';
import type { Run, ScheduleInput } from '@punctual/client';
import { runAnswer } from '../src/api/answers.ts';
import type { Store } from '../src/store/contract/store.ts';
import type { Asked, Callers } from './callers.ts';
import type { Evidence, Planned, ScheduleSeen } from './model/evidence.ts';

/** The store as the world itself looks at it: nothing is in its way. */
export interface Looked {
  database: DatabaseSync;
  store: Store;
  clientRowId: number;
}

/** What the store says at the end, beside what the world has seen. */
export async function gather(
  looked: Looked,
  { asked, triggered, refused }: Callers,
  now: number,
  seen: Omit<Evidence, 'schedules' | 'runs' | 'triggered' | 'refused' | 'madeTwice'>,
): Promise<Evidence> {
  const idsOf = madeOf(looked.database);
  const madeTwice = [...idsOf].filter(([, ids]) => ids.length > 1).map(([label]) => label);
  const schedules = await Promise.all(
    asked.map(each => seenOf(looked, each, idsOf.get(each.label)?.[0])),
  );
  const callers = new Set(
    schedules.filter(({ integrations }) => integrations.length > 0).map(({ id }) => id),
  );
  const runs = await runsOf(looked, callers, now);
  return { ...seen, schedules, runs, triggered, refused, madeTwice };
}

/** The ids of schedules by the labels that their callers gave them. */
function madeOf(database: DatabaseSync): Map<string, string[]> {
  const rows = database.prepare('SELECT id, label FROM schedules').all();
  const made = rows as { id: string; label: string }[];
  const groups = Map.groupBy(made, ({ label }) => label);
  return new Map([...groups].map(([label, same]) => [label, same.map(({ id }) => id)]));
}

async function runsOf(
  { store: { runs }, clientRowId }: Looked,
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
  { store, clientRowId }: Looked,
  { body, label, told }: Asked,
  made: string | undefined,
): Promise<ScheduleSeen> {
  const id = told?.id ?? made ?? label;
  const found = await store.schedules.find(clientRowId, id);
  const { interval, timezone, policy } = body;
  const { integrations = [], createdAt = Number.NaN } = found?.schedule ?? {};
  return {
    id,
    interval,
    timezone,
    createdAt,
    integrations: integrations.map(({ id, callOnSuccess }) => ({ id, callOnSuccess })),
    ...(policy && { policy }),
    ...(found !== null &&
      isPlanned(body) && {
        planned: {
          ...boundsOf(body),
          afterCompletion: body.afterCompletion ?? 'disable',
          status: found.schedule.status,
          ...(found.schedule.statusReason && { statusReason: found.schedule.statusReason }),
          version: found.version,
          updatedAt: found.schedule.updatedAt ?? null,
        },
      }),
    acknowledged: told !== null,
    listed: found !== null,
  };
}

const BOUNDS = ['startsAt', 'endsAt', 'pausedUntil'] as const;
const COUNTS = ['maxRuns', 'windowSeconds'] as const;

function isPlanned(body: ScheduleInput): boolean {
  return /^(at|rate)\(/.test(body.interval) || [...BOUNDS, ...COUNTS].some(name => name in body);
}

/** Those that the caller set. */
function boundsOf(body: ScheduleInput): Partial<Planned> {
  const instants = BOUNDS.filter(name => name in body).map(name => [name, Date.parse(body[name]!)]);
  const counts = COUNTS.filter(name => name in body).map(name => [name, body[name]]);
  return Object.fromEntries([...instants, ...counts]);
}
