import type { Logger } from 'pino';
import type { Clock, Timer } from './clock.ts';
import { loadCalendars } from './domain/calendar/load-calendars.ts';
import { isTimezone, zoneData, zoneOf } from './domain/calendar/zones/zone.ts';
import { changesFrom, differsFrom } from './domain/calendar/zones/zone-changes.ts';
import { withZoneRules } from './domain/schedule/zone-change.ts';
import type { Store } from './store/contract/store.ts';
import type { StoredZoneRules, ZonedSchedule } from './store/contract/zone-rules.ts';

/**
 * The step of a start that follows the rules of time zones. For each zone in use the store keeps what its clock shows in the
 * next two years. A start under other rules compares them, and counts anew the times to come that they move.
 *
 * It goes on behind the start, and begins again where the process ends in between: the rules are kept last. Several nodes may
 * do it at the same time, with the same result.
 */

/** Schedules that are counted anew together. */
const BITE = 1_000;
const DAY_MS = 86_400_000;
/** After a fault of the store. */
const RETRY_MS = 60_000;

/** The findings of a start. */
interface Compared {
  isCut: boolean;
  /** For the log. */
  change?: object;
}

const UNCHANGED: Compared = { isCut: false };

export interface ZoneFollowerOptions {
  store: Store;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** A row of the queue is due at this instant, earlier than it was perhaps. */
  wake: (dueAt: number) => void;
}

/** Once a day it keeps the rules of zones that have come into use, and of the time that has come into the two years. */
export class ZoneFollower {
  readonly #options: ZoneFollowerOptions;
  #hasCompared = false;
  #isStopped = false;
  #timer: Timer | null = null;
  #step: Promise<void> = Promise.resolve();

  constructor(options: ZoneFollowerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#step = this.#next();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#step;
  }

  async #next(): Promise<void> {
    const { clock, log } = this.#options;
    let waitMs = DAY_MS;
    try {
      await this.#follow();
    } catch (error) {
      log.error({ err: error }, 'the rules of time zones could not be followed');
      waitMs = RETRY_MS;
    }
    if (this.#isStopped) return;
    this.#timer = clock.after(waitMs, () => this.start());
  }

  async #follow(): Promise<void> {
    const { store, clock, log } = this.#options;
    const zones = (await store.zoneRules.zonesInUse()).filter(isTimezone);
    const stored = await store.zoneRules.list();
    const kept = new Map(stored.map(rules => [rules.zone, rules]));
    const now = clock.now();
    const compared = this.#hasCompared ? UNCHANGED : await this.#compare(zones, kept, now);
    // A count that was cut short begins again at the next start.
    if (compared.isCut) return;
    await store.zoneRules.put(this.#fresh(zones, kept, now));
    this.#hasCompared = true;
    // Told once it is kept: whoever reads the line finds the report of `GET /v1/tzdata`.
    if (compared.change) log.info(compared.change, 'the rules of time zones have changed');
  }

  async #compare(
    zones: string[],
    kept: Map<string, StoredZoneRules>,
    now: number,
  ): Promise<Compared> {
    const changed = zones.filter(zone => {
      const rules = kept.get(zone);
      return rules !== undefined && differsFrom(rules.changes, zoneOf(zone), now);
    });
    const { release } = zoneData();
    const before = zones.flatMap(zone => kept.get(zone)?.release ?? []);
    const previous = before.find(each => each !== release) ?? release;
    if (changed.length === 0 && previous === release) return UNCHANGED;
    let moved = 0;
    for (const zone of changed) moved += await this.#recount(zone);
    const change = { tzdata: release, previous, zones: changed, moved };
    return { isCut: this.#isStopped, change };
  }

  /** @returns how many rows of the queue have moved */
  async #recount(zone: string): Promise<number> {
    const { store, clock, wake } = this.#options;
    let moved = 0;
    for (let after = 0; !this.#isStopped; ) {
      const found = await store.zoneRules.enabledIn(zone, after, BITE);
      if (found.length === 0) break;
      await this.#resolveEnds(found.filter(({ isCounted }) => isCounted));
      const keys = found.map(({ scheduleRowId }) => scheduleRowId);
      const { count, dueAt } = await store.queue.rezone(keys, clock.now());
      if (dueAt !== null) wake(dueAt);
      moved += count;
      after = keys.at(-1)!;
    }
    return moved;
  }

  async #resolveEnds(counted: ZonedSchedule[]): Promise<void> {
    const { store } = this.#options;
    for (const { clientRowId, id } of counted) {
      for (let isOpen = true; isOpen; ) {
        const found = await store.schedules.find(clientRowId, id);
        if (found === null) break;
        await loadCalendars(store.calendars, [found.schedule]);
        const next = withZoneRules(found.schedule);
        // If somebody else has written it meanwhile, it is looked at again.
        isOpen =
          next !== null &&
          !(await store.schedules.update(clientRowId, next, found.version, 'keep'));
      }
    }
  }

  /** Nodes that still count by another release leave its rules to those that have compared them. */
  #fresh(zones: string[], kept: Map<string, StoredZoneRules>, now: number): StoredZoneRules[] {
    const { release } = zoneData();
    return zones.flatMap(zone => {
      const before = kept.get(zone);
      const changes = changesFrom(zoneOf(zone), now);
      const isSame = before?.release === release && !differsFrom(before.changes, zoneOf(zone), now);
      if (before === undefined) return { zone, release, changes };
      if (isSame) return { ...before, changes };
      if (this.#hasCompared) return [];
      const previous = { release: before.release, changes: before.changes, changedAt: now };
      return { zone, release, changes, previous };
    });
  }
}
