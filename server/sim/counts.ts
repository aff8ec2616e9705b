import type { DatabaseSync } from 'node:sqlite';
import { ForecastStats } from '../src/api/stats/forecast.ts';
import { ScheduleGroups } from '../src/api/stats/groups.ts';
import { HistoryStats } from '../src/api/stats/history.ts';
import { ClientStats } from '../src/api/stats/stats.ts';
import type { Clock } from '../src/clock.ts';
import type { Store } from '../src/store/contract/store.ts';
import type { Asked } from './callers.ts';
import { inFlightIn } from './gather.ts';
import type { Machine } from './machine.ts';
import type { InFlightSeen } from './model/evidence.ts';
import type { CountedSeen } from './model/evidence-of-counts.ts';
import type { Node } from './node.ts';

/** What a process counts with. */
interface Counter {
  stats: ClientStats;
  history: HistoryStats;
  forecast: ForecastStats;
}

export interface CountsOptions {
  machine: Machine;
  database: DatabaseSync;
  /** Who asks. */
  clientRowId: number;
  /** The schedules that there are, of others as well. */
  asked: () => Asked[];
  /** The process that is asked. */
  node: () => Node;
  tell: (line: string) => void;
}

/** Of all, or of one schedule. */
interface Question {
  /** 0 to below 1, as of all that pick a schedule. */
  which: number;
  isOfAll: boolean;
  /** How far back, 0 to 1. */
  share: number;
}

/** As far back as figures are told by the minute. */
const MOST_MINUTES = 180;
/** One of so many who ask for all ask for what is to come: it costs more than what was. */
const FORECASTS = 3;
/** A count waits 150 ms at most, and for its store. */
const PATIENCE_MS = 5_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Who asks for the figures of a world, as the API counts them. A process keeps what it has counted until it dies: so each has a
 * counter of its own, and not the one of the API, which serves them all.
 */
export class Counts {
  readonly seen: CountedSeen[] = [];
  readonly inFlight: InFlightSeen[] = [];
  readonly #around: CountsOptions;
  readonly #counters = new WeakMap<Store, Counter>();

  constructor(around: CountsOptions) {
    this.#around = around;
  }

  /** At any instant. The rows in flight are looked at as well. */
  async ask({ which, isOfAll, share }: Question): Promise<void> {
    const { machine, database } = this.#around;
    this.inFlight.push(...inFlightIn(database, machine.trueNow));
    if (isOfAll && share < 1 / FORECASTS) return this.#askForecast();
    if (isOfAll) return this.#askStats(1 + Math.floor(share * MOST_MINUTES));
    const known = this.#own().filter(({ told }) => told !== null);
    const { told } = known[Math.floor(which * known.length)] ?? {};
    const since = machine.startedAt + share * (machine.now - machine.startedAt);
    if (told) await this.#askHistory(told.id, since);
  }

  /** When all is over, nothing is on its way. */
  async askAll(): Promise<void> {
    const { machine } = this.#around;
    const [first] = this.#own();
    await this.#askStats(MOST_MINUTES);
    if (first?.told) await this.#askHistory(first.told.id, machine.startedAt);
  }

  #own(): Asked[] {
    const { asked, clientRowId } = this.#around;
    return asked().filter(({ client }) => client.credentials.clientRowId === clientRowId);
  }

  /** @param minutes how far back */
  async #askStats(minutes: number): Promise<void> {
    await this.#ask(async ({ stats }) => {
      const told = await stats.of(this.#around.clientRowId, minutes);
      const [from, to] = [Date.parse(told.from), Date.parse(told.to)];
      const each = told.minutes.map(({ at, ...tally }) => ({ ...tally, at: Date.parse(at) }));
      return { kind: 'stats', from, to, total: told.total, minutes: each };
    });
  }

  async #askForecast(): Promise<void> {
    await this.#ask(async ({ forecast }) => {
      const told = await forecast.of(this.#around.clientRowId, 'day');
      const { counts, firings, stepSeconds } = told;
      const [from, countedAt] = [Date.parse(told.from), Date.parse(told.countedAt)];
      return { kind: 'forecast', from, stepMs: stepSeconds * 1_000, counts, firings, countedAt };
    });
  }

  /** @param since the range begins with the step that holds this instant, epoch ms, and ends with the present one */
  async #askHistory(scheduleId: string, since: number): Promise<void> {
    const { machine, clientRowId } = this.#around;
    const stepMs = machine.now - since > 6 * HOUR_MS ? HOUR_MS : MINUTE_MS;
    const from = Math.floor(since / stepMs) * stepMs;
    const to = Math.floor(machine.now / stepMs + 1) * stepMs;
    await this.#ask(async ({ history }) => {
      const [counted] = await history.of(clientRowId, [scheduleId], { from, to, stepMs });
      return { kind: 'history', scheduleId, from, to, stepMs, steps: counted!.steps };
    });
  }

  /** @returns once it is answered, or nobody waits for it any more */
  async #ask(count: (counter: Counter) => Promise<CountedSeen['figures']>): Promise<void> {
    const { machine, node, tell } = this.#around;
    const { promise, resolve } = Promise.withResolvers<void>();
    const askedAt = machine.now;
    node().within(({ store, clock }) => {
      void count(this.#counterOf(store, clock))
        .then(figures => {
          this.seen.push({ askedAt, answeredAt: machine.now, figures });
          const { kind, from } = figures;
          tell(`counted ${kind} since ${new Date(from).toISOString()}`);
        })
        // The store was away.
        .catch(() => {})
        .then(resolve);
    });
    // Nobody answers for a process that has died.
    return Promise.race([promise, machine.sleep(PATIENCE_MS, machine.world)]);
  }

  #counterOf(store: Store, clock: Clock): Counter {
    const known = this.#counters.get(store);
    if (known !== undefined) return known;
    const made = {
      stats: new ClientStats(store, clock),
      history: new HistoryStats(store.stats, clock),
      forecast: new ForecastStats(clock, new ScheduleGroups(store.stats, clock), store.calendars),
    };
    this.#counters.set(store, made);
    return made;
  }
}
