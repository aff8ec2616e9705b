import type * as Wire from '@punctual/client';
import type { Clock, Timer } from '../../clock.ts';
import { iso } from '../../domain/iso.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { NamedSchedule, ScheduleStore } from '../../store/contract/schedules.ts';
import type { BreakerChange, EndedRun, StatsStore } from '../../store/contract/stats.ts';
import { breakerAnswer, scheduleAnswer } from '../answers.ts';
import { namedRunAnswer, namesOf } from '../run-names.ts';

/** How often the store is asked, for all listeners of a client together. */
const POLL_MS = 1_000;
/** A run that ended is written within this time, in ms. A run read twice is told once. */
const OVERLAP_MS = 5_000;
/** Runs, schedules and breakers that are told one by one within one poll; beyond, a `gap`. */
const MOST_AT_ONCE = 500;

export type Listener = (events: Wire.PunctualEvent[]) => void;

interface TimedEvent {
  at: number;
  event: Wire.PunctualEvent;
}

interface Channel {
  listeners: Set<Listener>;
  /** Ids that were told, with their instants: as far back as is read again. */
  told: Map<string, number>;
  upTo: number;
  timer: Timer | null;
}

/**
 * The event feed: it reads new events from the store once a second for each client with listeners.
 *
 * It needs no bus: the store holds the runs of all nodes. Guarantee: while the store keeps up, a
 * connection receives every event once. A listener that reconnects with the id of the last event
 * receives everything since. Events of the last seconds before that id may come twice. Too many
 * events to send singly are sent as a `gap`.
 */
export class EventFeed {
  readonly #stats: StatsStore;
  readonly #schedules: Pick<ScheduleStore, 'names'>;
  readonly #clock: Clock;
  readonly #failed: (error: unknown) => void;
  readonly #channels = new Map<number, Channel>();

  constructor(
    { stats, schedules }: { stats: StatsStore; schedules: Pick<ScheduleStore, 'names'> },
    clock: Clock,
    failed: (error: unknown) => void,
  ) {
    this.#stats = stats;
    this.#schedules = schedules;
    this.#clock = clock;
    this.#failed = failed;
  }

  /**
   * @param told of a listener that comes back: the ids that it knows, `since` and its last one
   * @returns what ends it
   */
  join(clientRowId: number, listener: Listener, told?: string[]): () => void {
    const channel = this.#channels.get(clientRowId) ?? this.#open(clientRowId, told);
    channel.listeners.add(listener);
    return () => {
      channel.listeners.delete(listener);
      if (channel.listeners.size > 0) return;
      channel.timer?.cancel();
      this.#channels.delete(clientRowId);
    };
  }

  /** The events since the one of this id, without it, for a listener that reconnects. */
  async since(clientRowId: number, lastEventId: string): Promise<Wire.PunctualEvent[]> {
    const at = instantOfEvent(lastEventId);
    if (at === null) return [];
    const events = await this.#read(clientRowId, at - OVERLAP_MS);
    return events.map(({ event }) => event).filter(({ id }) => id !== lastEventId);
  }

  #open(clientRowId: number, told?: string[]): Channel {
    const now = this.#clock.now();
    const channel: Channel = {
      listeners: new Set(),
      told: new Map(told?.map(id => [id, now])),
      upTo: now,
      timer: null,
    };
    this.#channels.set(clientRowId, channel);
    // A new listener gets no run that ended before, even if it is written late. A listener that
    // reconnects gets it.
    const before = told === undefined ? now : now - OVERLAP_MS;
    this.#schedule(clientRowId, channel, events => events.filter(({ at }) => at >= before));
    return channel;
  }

  #schedule(
    clientRowId: number,
    channel: Channel,
    filter: (events: TimedEvent[]) => TimedEvent[],
  ): void {
    channel.timer = this.#clock.after(POLL_MS, async () => {
      try {
        const now = this.#clock.now();
        const events = filter(await this.#read(clientRowId, channel.upTo - OVERLAP_MS, now));
        this.#tell(channel, events, now);
      } catch (error) {
        this.#failed(error);
      }
      if (this.#channels.get(clientRowId) === channel) this.#schedule(clientRowId, channel, filter);
    });
  }

  #tell(channel: Channel, events: TimedEvent[], now: number): void {
    const news = events.filter(({ event }) => !channel.told.has(event.id));
    for (const { event, at } of news) channel.told.set(event.id, at);
    for (const [id, at] of channel.told) {
      if (at < now - 2 * OVERLAP_MS) channel.told.delete(id);
    }
    channel.upTo = now;
    if (news.length === 0) return;
    for (const listener of channel.listeners) listener(news.map(({ event }) => event));
  }

  async #read(clientRowId: number, after: number, now = this.#clock.now()): Promise<TimedEvent[]> {
    const limit = MOST_AT_ONCE + 1;
    const [runs, schedules, breakers] = await Promise.all([
      this.#stats.endedSince(clientRowId, after, limit),
      this.#stats.changedSince(clientRowId, after, limit),
      this.#stats.breakersSince(clientRowId, after, limit),
    ]);
    const most = Math.max(runs.length, schedules.length, breakers.length);
    const isGap = most > MOST_AT_ONCE;
    const names = isGap ? NONE : await namesOf(this.#schedules, clientRowId, runs);
    const events: TimedEvent[] = [
      ...runs.map(run => runEvent(run, names)),
      ...schedules.map(schedule => scheduleEvent(schedule, now)),
      ...breakers.map(breakerEvent),
    ].sort((a, b) => a.at - b.at);
    if (!isGap) return events;
    const gap = { from: iso(after), to: iso(now) };
    return [{ at: now, event: { id: `${now}-gap`, type: 'gap', data: gap } }];
  }
}

const NONE: ReadonlyMap<string, NamedSchedule> = new Map();

function runEvent(
  { endedAt: at, ...run }: EndedRun,
  names: ReadonlyMap<string, NamedSchedule>,
): TimedEvent {
  const data = namedRunAnswer(run, names);
  return { at, event: { id: `${at}-${run.id}`, type: 'run.ended', data } };
}

function scheduleEvent(schedule: Schedule, now: number): TimedEvent {
  const { id, createdAt, updatedAt: at = createdAt } = schedule;
  // Values of headers are secrets as a rule, and nobody needs them in order to know that it changed.
  const { headers: _, data: __, body: ___, ...data } = scheduleAnswer(schedule, now);
  return { at, event: { id: `${at}-${id}`, type: 'schedule.changed', data } };
}

function breakerEvent({ at, id, change, ...breaker }: BreakerChange): TimedEvent {
  const data = { ...breakerAnswer(breaker), ...(change === 'closed' && { closedAt: iso(at) }) };
  return { at, event: { id: `${at}-${id}-${change}`, type: `breaker.${change}`, data } };
}

function instantOfEvent(id: string): number | null {
  const digits = /^(\d{1,15})-/.exec(id)?.[1];
  return digits === undefined ? null : Number(digits);
}
