import type * as Wire from '@punctual/client';
import { isKnownCalendar } from '../domain/calendar/known-calendars.ts';
import { loadVersions } from '../domain/calendar/load-calendars.ts';
import { zoneOf } from '../domain/calendar/zones/zone.ts';
import { isId, runId } from '../domain/id.ts';
import { iso } from '../domain/iso.ts';
import { type ExplainFacts, type Explanation, explain } from '../domain/run/explain.ts';
import type { HeldSchedule } from '../domain/run/standing.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { RunView } from '../store/contract/runs.ts';
import type { ScheduleAt } from '../store/contract/schedules.ts';
import type { Store } from '../store/contract/store.ts';
import { runListAnswer } from './answers.ts';
import { idOf, noSchedule } from './find-schedule.ts';
import { readInstant } from './http/instant.ts';

/** Of one schedule before an instant; among them is the record of missed times that spans it. */
const MOST_BEFORE = 100;

/**
 * Explains an instant from the records and the schedule at that time.
 *
 * @param around `Facts` that do not depend on the schedule
 * @throws PunctualError `not_found`, `request_invalid`
 */
export async function explainAt(
  store: Store,
  caller: Caller,
  reference: string,
  atText: string,
  around: Pick<ExplainFacts, 'now' | 'historyFrom' | 'pausedSince' | 'startedInPause'>,
): Promise<Wire.Explanation> {
  const { now } = around;
  const { clientRowId } = caller;
  const id = await idOf(store, caller, reference);
  const latest = isId(id) ? await store.schedules.findAt(clientRowId, id, LAST_AT) : null;
  if (latest === null) throw noSchedule();
  const at = readAt(atText, latest.held.timezone);
  // To come is what the schedule is now, also where the clock was set back since it was changed.
  const heldAt = at > now ? LAST_AT : at;
  const entry = (await store.schedules.findAt(clientRowId, id, heldAt)) ?? latest;
  const run = await runAt(store, clientRowId, id, at);
  const held = await countable(store, entry.held);
  const explained = explain({ ...entry, held, ...around, at, run });
  return answer(entry, explained, run);
}

/** The schedule as it was, with its calendars loaded. Those that are older than history are known no more. */
async function countable({ calendars }: Store, held: HeldSchedule): Promise<HeldSchedule> {
  const { timing } = held;
  if (timing?.calendars === undefined) return held;
  await loadVersions(calendars, timing.calendars);
  return { ...held, timing: { ...timing, calendars: timing.calendars.filter(isKnownCalendar) } };
}

/** Read after the queue's row: what is decided in between is then on record, and not nobody's. */
async function runAt(
  { runs }: Store,
  clientRowId: number,
  scheduleId: string,
  at: number,
): Promise<RunView | null> {
  if (at < 0 || at > LAST_AT) return null;
  const exact = await runs.find(clientRowId, runId(scheduleId, at));
  if (exact !== null) return exact;
  const before = await runs.list(clientRowId, { scheduleId, to: at + 1 }, MOST_BEFORE);
  return (
    before.find(({ missed }) => missed !== undefined && missed.to >= at) ??
    before.find(({ trigger, scheduledFor }) => trigger !== 'schedule' && scheduledFor === at) ??
    null
  );
}

/** The last instant that an id can carry. */
const LAST_AT = 2 ** 48 - 1;

/**
 * An instant, or a time of the wall clock in `timezone`. A local time that comes twice means the
 * first. One that does not exist takes the offset from before, as a clock shows it that nobody
 * sets.
 */
function readAt(text: string, timezone: string): number {
  if (!LOCAL.test(text)) return readInstant(text, 'The query parameter at');
  const local = readInstant(`${text}Z`, 'The query parameter at');
  const zone = zoneOf(timezone);
  // No change of the clock is within a day of another.
  const offsetMs = zone.segmentAt(local - DAY_MS).offsetMs;
  const early = local - offsetMs;
  const segment = zone.segmentAt(early);
  if (segment.offsetMs === offsetMs) return early;
  const isGap = segment.shiftMs > 0 && early < segment.startAt + segment.shiftMs;
  const isRepeated = segment.shiftMs < 0 && early < segment.startAt;
  return isGap || isRepeated ? early : local - segment.offsetMs;
}

const LOCAL = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?$/;
const DAY_MS = 86_400_000;

function answer(
  { schedule, held }: ScheduleAt,
  explained: Explanation,
  run: RunView | null,
): Wire.Explanation {
  const { at, movedTo, previous, next, ...same } = explained;
  return {
    scheduleId: schedule.id,
    at: iso(at),
    ...same,
    interval: held.interval,
    timezone: held.timezone,
    ...(movedTo !== undefined && { movedTo: iso(movedTo) }),
    ...(previous !== undefined && { previous: iso(previous) }),
    ...(next !== undefined && { next: iso(next) }),
    ...(run !== null && { run: runListAnswer(run) }),
  };
}
