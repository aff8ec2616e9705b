import type * as Wire from '@punctual/client';
import { loadCalendars } from '../domain/calendar/load-calendars.ts';
import { type ZoneMove, zoneMoves } from '../domain/calendar/zone-moves.ts';
import { isTimezone, zoneData, zoneOf } from '../domain/calendar/zones/zone.ts';
import {
  differsFrom,
  endOfChanges,
  type ZoneChanges,
  zoneOfChanges,
} from '../domain/calendar/zones/zone-changes.ts';
import { iso } from '../domain/iso.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { Store } from '../store/contract/store.ts';
import type { StoredZoneRules } from '../store/contract/zone-rules.ts';
import { Slices } from './http/slices.ts';

/** The report of the last change of the rules of time zones: who moves, from when to when. */

const DAYS_MS = 90 * 86_400_000;
const MOST_SCHEDULES = 100;
const SHOWN_MOVES = 20;

/** Rules that came with the release in use, after another one. */
type Followed = StoredZoneRules & Required<Pick<StoredZoneRules, 'previous'>>;

export async function zoneReport(
  store: Store,
  clientRowId: number,
  now: number,
): Promise<Wire.ZoneReport> {
  const { release } = zoneData();
  const followed = (await store.zoneRules.list()).filter(
    (rules): rules is Followed =>
      rules.release === release && rules.previous !== undefined && isTimezone(rules.zone),
  );
  const latest = followed.reduce<Followed | null>(
    (a, b) => (a === null || b.previous.changedAt > a.previous.changedAt ? b : a),
    null,
  );
  const slices = new Slices(clientRowId);
  const zones: Wire.ChangedZone[] = [];
  for (const { zone, previous } of followed) {
    if (slices.isOver) await slices.next();
    const changed = await changedZone(store, clientRowId, zone, previous.changes, now, slices);
    if (changed !== null) zones.push(changed);
  }
  return {
    version: release,
    ...(latest !== null && {
      previousVersion: latest.previous.release,
      changedAt: iso(latest.previous.changedAt),
    }),
    zones,
  };
}

/** Null where nothing has changed, or the client has no schedule there. */
async function changedZone(
  store: Store,
  clientRowId: number,
  timezone: string,
  changes: ZoneChanges,
  now: number,
  slices: Slices,
): Promise<Wire.ChangedZone | null> {
  const to = Math.min(now + DAYS_MS, endOfChanges(changes));
  if (to <= now || !differsFrom(changes, zoneOf(timezone), now)) return null;
  const { count, schedules } = await store.zoneRules.enabledOf(
    clientRowId,
    timezone,
    MOST_SCHEDULES,
  );
  if (count === 0) return null;
  await loadCalendars(store.calendars, schedules);
  const old = zoneOfChanges(changes);
  const moved: Wire.MovedSchedule[] = [];
  for (const schedule of schedules) {
    if (slices.isOver) await slices.next();
    const moves = zoneMoves(schedule, old, { from: now, to, limit: SHOWN_MOVES });
    if (moves.length > 0) moved.push(movedSchedule(schedule, moves));
  }
  return { timezone, scheduleCount: count, schedules: moved };
}

function movedSchedule({ id, label }: Schedule, moves: ZoneMove[]): Wire.MovedSchedule {
  return { id, label, moved: moves.map(moveAnswer) };
}

function moveAnswer({ before, after }: ZoneMove): Wire.ZoneMove {
  return {
    ...(before !== undefined && { before: iso(before) }),
    ...(after !== undefined && { after: iso(after) }),
  };
}
