import { emptyDatabase } from '../../../sim/store/lazy-database.ts';
import { completionUrl, openedTicket } from '../../../src/domain/access/completion-ticket.ts';
import { periodsOf } from '../../../src/domain/calendar/exclusion/calendar-source.ts';
import { type GivenPeriod, readPeriods } from '../../../src/domain/calendar/exclusion/periods.ts';
import { isCron } from '../../../src/domain/calendar/interval-form.ts';
import { loadVersions } from '../../../src/domain/calendar/load-calendars.ts';
import { newId } from '../../../src/domain/id.ts';
import type { Said } from '../../../src/domain/run/completion.ts';
import { startOf } from '../../../src/domain/run/start.ts';
import { ENGINE_LEVEL } from '../../../src/domain/schedule/level.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import { withTiming } from '../../../src/domain/schedule/timing-draft.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { Throttles } from '../../../src/engine/fairness/throttles.ts';
import type { EngineObserver } from '../../../src/engine/observer.ts';
import type { OutboundRequest, SendResult } from '../../../src/outbound/send.ts';
import type { RunView } from '../../../src/store/contract/runs.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { storeOn } from '../../../src/store/sqlite/open.ts';
import { ManualClock, quiet } from '../clock.ts';
import { Process } from './process.ts';

/** A real store, the real engine, a clock that is moved, and a network that the test plays. */

export interface Sent {
  at: number;
  url: string;
  /** The request's headers, by lower-case name. */
  headers: Record<string, string>;
  body: string | null;
  clientRowId: number | undefined;
}

const COMPLETION_KEY = Buffer.alloc(32, 1);

/** What the network does with a request: a status, a result, or nothing until the test answers. */
export type Answer = number | Partial<SendResult> | 'hang';

export class World {
  readonly clock: ManualClock;
  readonly store: Store;
  /** The schedules of all claims, as the engine holds them. */
  readonly #claimed: Schedule[] = [];
  /** As the lock's file has it, which is made at the first start. */
  #markedUntil: number;
  /** What keeps the mark from being set. */
  markFault: Error | null = null;
  readonly sent: Sent[] = [];
  readonly told: string[] = [];
  answer: (request: Sent) => Answer = () => 200;
  /** The texts at the urls of calendars. */
  fetchText: (url: string) => Promise<string> = url =>
    Promise.reject(new Error(`nothing is at ${url}`));
  engine: Engine;
  clientRowId = 0;
  #process = new Process();
  #throttles = new Throttles();
  #hanging: { sent: Sent; answer: (result: SendResult) => void }[] = [];
  /** Requests wait for a connection, not started, while this is true. */
  congested = false;
  mostPerHost = 100;
  #waiting: (() => void)[] = [];

  constructor(start: string) {
    this.clock = new ManualClock(start);
    this.store = storeOn(emptyDatabase(), ':memory:', ENGINE_LEVEL, () => this.clock.now());
    this.#markedUntil = this.clock.now();
    const { queue } = this.store;
    const claim = queue.claim.bind(queue);
    queue.claim = async (...parameters) => {
      const result = await claim(...parameters);
      this.#claimed.push(...result.claims.map(({ schedule: claimed }) => claimed));
      return result;
    };
    this.engine = this.newEngine();
  }

  static async start(start: string): Promise<World> {
    const world = new World(start);
    await world.otherClient();
    await world.engine.start();
    return world;
  }

  /** From here on schedules are made for a client of its own. */
  async otherClient(): Promise<void> {
    const { clients, keys } = this.store;
    const createdAt = this.clock.now();
    const id = newId(createdAt);
    const signingSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await clients.insertClient({ id, name: 'test', signingSecret, createdAt });
    await keys.insertKey({ id: newId(0), clientId: id, hash: id, createdAt });
    this.clientRowId = (await keys.findCaller(id))!.clientRowId;
  }

  /** Spoils what the engine knows of the schedules whose requests hang. */
  async breakHanging(timezone: string): Promise<void> {
    const ids = this.#hanging.map(({ sent }) => sent.headers['punctual-schedule-id']);
    for (const schedule of this.#claimed) {
      if (ids.includes(schedule.id)) Object.assign(schedule, { timezone });
    }
  }

  newEngine(): Engine {
    const life = this.#process;
    return new Engine({
      expand: periodsOf,
      fetchText: url => life.does(() => this.fetchText(url)),
      store: life.itsStore(this.store),
      send: request => life.does(() => this.#send(request)),
      clock: life.itsClock(this.clock),
      random: () => 0,
      throttles: this.#throttles,
      observer: this.#observer(),
      maxInFlight: 100,
      maxInFlightPerHost: this.mostPerHost,
      lock: { sentUntil: this.#markedUntil, noteSentUntil: until => this.#mark(until) },
      retention: { runsDays: 36_500, failedRunsDays: 36_500 },
      completionUrl: ticket =>
        completionUrl('https://punctual.example.com', ticket, COMPLETION_KEY),
    });
  }

  #mark(until: number): void {
    if (this.markFault) throw this.markFault;
    this.#markedUntil = until;
  }

  /** The process dies: nothing that is in flight is recorded. A new one starts at once. */
  async crash(downMs = 0): Promise<void> {
    this.#process.die();
    this.#process = new Process();
    this.#throttles = new Throttles();
    this.#hanging = [];
    this.#waiting = [];
    await this.clock.jump(this.clock.now() + downMs);
    this.engine = this.newEngine();
    await this.engine.start();
    await quiet();
  }

  async schedule(fields: Partial<Schedule> & { interval: string }): Promise<Schedule> {
    const now = this.clock.now();
    const draft: Schedule = {
      id: newId(now),
      status: 'enabled',
      url: 'https://example.com/hook',
      verb: 'POST',
      timezone: 'UTC',
      createdAt: now,
      label: '',
      ...fields,
    };
    const schedule = await this.#timed(draft, null, now);
    const start = startOf(schedule, now);
    await this.store.schedules.insert(this.clientRowId, [{ schedule, start }]);
    if (start) this.engine.wake(start.first);
    return schedule;
  }

  /** Changes a schedule as the API does. @param changedAt when the clock was read for it */
  async change(id: string, fields: Partial<Schedule>, changedAt = this.clock.now()): Promise<void> {
    const { schedule, version } = (await this.store.schedules.find(this.clientRowId, id))!;
    const draft = { ...schedule, ...fields, updatedAt: changedAt };
    const changed = await this.#timed(draft, schedule, changedAt);
    const start = startOf(changed, changedAt);
    await this.store.schedules.update(this.clientRowId, changed, version, { changedAt, start });
    this.engine.changed(id, start?.first ?? changedAt);
    await quiet();
  }

  /** Puts a calendar as the API does. */
  async calendar(name: string, ...periods: GivenPeriod[]): Promise<void> {
    const now = this.clock.now();
    const read = { version: newId(now), name, periods: readPeriods(periods) };
    const source = { kind: 'periods', periods } as const;
    await this.store.calendars.put(this.clientRowId, { ...read, source }, now, now + 86_400_000);
    this.engine.calendarsChanged();
    await quiet();
  }

  /** The schedule with its timing resolved; a plain one has none. */
  async #timed(draft: Schedule, before: Schedule | null, now: number): Promise<Schedule> {
    if (draft.timing === undefined && isCron(draft.interval)) return draft;
    const { calendars } = this.store;
    const versions = await calendars.present(this.clientRowId, draft.timing?.exclude ?? []);
    await loadVersions(calendars, versions.values());
    return withTiming(draft, before, now, versions);
  }

  /** As it stands now; null where there is none. */
  async found(id: string): Promise<Schedule | null> {
    return (await this.store.schedules.find(this.clientRowId, id))?.schedule ?? null;
  }

  async trigger(id: string): Promise<string> {
    const scheduledFor = this.clock.now();
    const run = { id: newId(scheduledFor), scheduledFor };
    await this.store.outbox.insertManual(this.clientRowId, id, run);
    this.engine.wakeOutbox(id);
    await quiet();
    return run.id;
  }

  /** A target says something at the url of its request, as through the API. @returns whether it is kept */
  async say({ headers }: Sent, said: Said = {}): Promise<boolean> {
    const token = headers['punctual-completion-url']!.split('/').at(-1)!;
    const ticket = openedTicket(token, COMPLETION_KEY)!;
    const row = await this.store.completions.say(ticket, said, this.clock.now());
    if (row?.isManual) this.engine.wakeOutbox(ticket.scheduleId);
    else if (row) this.engine.wake(row.dueAt);
    await quiet();
    return row !== null;
  }

  /** All runs, oldest nominal time first. */
  async runs(): Promise<RunView[]> {
    const filter = { now: this.clock.now() };
    return (await this.store.runs.list(this.clientRowId, filter, 10_000)).reverse();
  }

  /** `HH:MM:SS status` of all runs. */
  async history(): Promise<string[]> {
    return (await this.runs()).map(run => `${time(run.scheduledFor)} ${run.status}`);
  }

  /** `HH:MM:SS` of all requests to a url. */
  times(url = 'https://example.com/hook'): string[] {
    return this.sent.filter(sent => sent.url.startsWith(url)).map(sent => time(sent.at));
  }

  /** Lets the oldest hanging request end. */
  async release(answer: Exclude<Answer, 'hang'> = 200): Promise<void> {
    const { sent, answer: end } = this.#hanging.shift()!;
    end(this.#result(sent, answer));
    await quiet();
  }

  /** Connections become free. */
  async decongest(): Promise<void> {
    this.congested = false;
    for (const go of this.#waiting.splice(0)) go();
    await quiet();
  }

  async #send(request: OutboundRequest): Promise<SendResult> {
    if (this.congested) await new Promise<void>(resolve => this.#waiting.push(resolve));
    const at = this.clock.now();
    const { url, body, clientRowId } = request;
    const sent = { at, url, headers: headersOf(request), body, clientRowId };
    if (request.permit?.start() === false) return this.#result(sent, { outcome: 'cancelled' });
    this.sent.push(sent);
    const answer = this.answer(sent);
    if (answer !== 'hang') return this.#result(sent, answer);
    return new Promise(resolve => this.#hanging.push({ sent, answer: resolve }));
  }

  #result({ at }: Sent, answer: Exclude<Answer, 'hang'>): SendResult {
    const result: SendResult = {
      outcome: 'response',
      startedAt: at,
      durationMs: this.clock.now() - at,
      phases: {},
    };
    if (typeof answer === 'number') return { ...result, responseStatus: answer };
    return { ...result, ...answer };
  }

  #observer(): EngineObserver {
    const tell = (line: string) => this.told.push(line);
    return {
      fired: () => {},
      attemptEnded: () => {},
      runEnded: (_scheduleId, { status }) => tell(`run ${status}`),
      callbackEnded: status => tell(`callback ${status}`),
      passed: (_scheduleId, { status, missed }) => tell(`${status} ${missed?.count ?? 1}`),
      settled: () => {},
      storeFailed: error => tell(`store failed: ${(error as Error).message}`),
      rowFailed: id => tell(`row failed: ${id}`),
      takenOver: count => tell(`took over ${count}`),
      breaker: (change, origin) => tell(`breaker ${change}: ${origin}`),
      noDescriptor: () => tell('no descriptor'),
      refused: () => {},
      clockStepped: byMs => tell(`clock ${byMs / 1_000} s`),
      clockWasSetBack: backMs => tell(`clock was back ${backMs / 1_000} s`),
      calendarFailed: (name, fault) => tell(`calendar ${name}: ${fault}`),
      blind: (from, until) => tell(`blind ${time(from)} ${time(until)}`),
    };
  }
}

function headersOf({ headers }: OutboundRequest): Record<string, string> {
  const entries: [string, string][] = [];
  for (let i = 0; i < headers.length; i += 2)
    entries.push([headers[i]!.toLowerCase(), headers[i + 1]!]);
  return Object.fromEntries(entries);
}

export function time(instant: number): string {
  return new Date(instant).toISOString().slice(11, 19);
}
