import type { ZoneChanges } from '../../domain/calendar/zones/zone-changes.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';

/** The store contract, for the rules of time zones that times were counted with. */

/** The changes of one zone's clock within a span, and the release of the rules that they came from. */
export interface StoredZoneRules {
  zone: string;
  release: string;
  /** Instants with the offset from then on, ms; the first one stands at the begin of the span. */
  changes: ZoneChanges;
  /** The release before, with the rest of its span: they are the same where it has changed nothing within the span. */
  previous?: { release: string; changes: ZoneChanges; changedAt: number };
}

export interface ZonedSchedule {
  scheduleRowId: number;
  clientRowId: number;
  id: string;
  /** It has `maxRuns`: the end of its times follows the rules, too. */
  isCounted: boolean;
}

export interface ZoneRulesStore {
  list(): Promise<StoredZoneRules[]>;
  put(rules: StoredZoneRules[]): Promise<void>;
  /** The names of the zones that schedules which are not deleted run in, sorted. */
  zonesInUse(): Promise<string[]>;
  /** Enabled schedules of a zone in the order of their row ids, those behind `after` only. */
  enabledIn(zone: string, after: number, limit: number): Promise<ZonedSchedule[]>;
  /** How many enabled schedules of a client run in this zone, and the newest `limit` of them. */
  enabledOf(
    clientRowId: number,
    zone: string,
    limit: number,
  ): Promise<{ count: number; schedules: Schedule[] }>;
}
