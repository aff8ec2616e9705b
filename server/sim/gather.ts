import { runAnswer } from '../src/api/answers.ts';
import type { Timing } from '../src/domain/calendar/timing.ts';
import type { Schedule } from '../src/domain/schedule/schedule.ts';
import type { Store } from '../src/store/contract/store.ts';
import type { Asked, Callers } from './callers.ts';
import type { Evidence, ScheduleSeen } from './model/evidence.ts';

/** What the store says at the end, beside what the world has seen. */
export async function gather(
  store: Store,
  { asked, triggered, clientRowId }: Callers,
  now: number,
  seen: Omit<Evidence, 'schedules' | 'runs' | 'triggered'>,
): Promise<Evidence> {
  const listed = await store.runs.list(clientRowId, { now }, 100_000);
  const callers = new Set(
    asked
      .filter(({ schedule }) => schedule.integrations !== undefined)
      .map(({ schedule }) => schedule.id),
  );
  const runs = await Promise.all(
    listed.map(async run => {
      const callsBack = callers.has(run.scheduleId);
      return runAnswer(run, callsBack ? await store.runs.callbacks(clientRowId, run.id) : []);
    }),
  );
  const schedules = await Promise.all(asked.map(each => seenOf(store, clientRowId, each)));
  return { ...seen, schedules, runs, triggered };
}

async function seenOf(
  store: Store,
  clientRowId: number,
  { schedule, acknowledged }: Asked,
): Promise<ScheduleSeen> {
  const {
    id,
    interval,
    timezone,
    createdAt,
    integrations = [],
    timing = {},
    policy,
    url,
  } = schedule;
  const found = await store.schedules.find(clientRowId, id);
  return {
    id,
    interval,
    timezone,
    createdAt,
    integrations: integrations.map(({ id, callOnSuccess }) => ({ id, callOnSuccess })),
    ...(integrations.length === 0 && { origin: new URL(url).origin }),
    ...(policy && { policy }),
    ...(found !== null &&
      isPlanned(schedule) && {
        planned: {
          ...boundsOf(timing),
          afterCompletion: timing.afterCompletion ?? 'disable',
          status: found.schedule.status,
          ...(found.schedule.statusReason && { statusReason: found.schedule.statusReason }),
          version: found.version,
          updatedAt: found.schedule.updatedAt ?? null,
        },
      }),
    acknowledged,
    listed: found !== null,
  };
}

function isPlanned({ interval, timing }: Schedule): boolean {
  return /^(at|rate)\(/.test(interval) || timing !== undefined;
}

/** Those that the caller set. */
function boundsOf({ startsAt, endsAt, maxRuns, pausedUntil, windowSeconds }: Timing) {
  return {
    ...(startsAt !== undefined && { startsAt }),
    ...(endsAt !== undefined && { endsAt }),
    ...(maxRuns !== undefined && { maxRuns }),
    ...(pausedUntil !== undefined && { pausedUntil }),
    ...(windowSeconds !== undefined && { windowSeconds }),
  };
}
