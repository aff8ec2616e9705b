import { createHash } from 'node:crypto';
import { forgetCalendars } from '../src/domain/calendar/known-calendars.ts';
import { startCounter } from '../src/domain/id.ts';
import type { Store } from '../src/store/contract/store.ts';
import { migrateSqlite, storeOn } from '../src/store/sqlite/open.ts';
import { Api, type Credentials, newCredentials } from './api.ts';
import { Calendars } from './calendars.ts';
import { callOnce } from './call-once.ts';
import { Callers } from './callers.ts';
import { Counts } from './counts.ts';
import { Destinations } from './destinations.ts';
import { Fleet } from './fleet.ts';
import { gather, historyOf, isOwed } from './gather.ts';
import { type Judgement, judge } from './judge.ts';
import type { Long } from './long/long.ts';
import { longBodies, longBodyOf, longEditOf } from './long/workload.ts';
import { Machine } from './machine.ts';
import { MAY_COME_RIGHT } from './model/checker.ts';
import type { Evidence } from './model/evidence.ts';
import type { Surroundings } from './node.ts';
import {
  type Action,
  awaitingIn,
  beforeNoonMs,
  hasCalendars,
  hasDestinations,
  hasNodes,
  longIn,
  type Profile,
  playedOf,
  profileOf,
  startedAtOf,
  steeredIn,
} from './profile.ts';
import { raceOf } from './race.ts';
import { Random } from './random.ts';
import { steeredWorkload } from './steered-workload.ts';
import { ChangesWritten } from './store/changes-written.ts';
import { LazyDatabase } from './store/lazy-database.ts';
import { Leases } from './store/leases.ts';
import { LostAnswers } from './store/lost-answers.ts';
import { Notices } from './store/notices.ts';
import { Pruned } from './store/pruned.ts';
import { Wall } from './wall.ts';
import { Network } from './wire/network.ts';
import { Work } from './wire/work.ts';
import * as workload from './workload.ts';

/**
 * One world, played from a seed: the engine on the embedded store, in a process that dies and starts again, or in several that
 * share it.
 */

export interface Played extends Judgement {
  seed: number;
  profile: Profile;
  /** Of all that was seen: the same seed has the same. */
  hash: string;
  /** What happened, in its order. */
  trace: string[];
  evidence: Evidence;
}

const TARGET = 'https://target.example';
/** All that was owed must be there by then. */
const PATIENCE_MS = 200_000;
const LOOK_AGAIN_MS = 1_000;
/** In a long world retries wait so many times longer. */
const LONG_TIMES = 20;

/** How many requests wait for a connection: nodes may lose a claim meanwhile. */
const WAIT = 0.05;
const WAIT_OF_NODES = 0.4;

const apis: Api[] = [];

export async function play(seed: number, profile = profileOf(seed)): Promise<Played> {
  const { machine, world } = await worldOf(seed, profile);
  return machine.play(() => world.run());
}

/** A world that was left in the middle. */
export interface Stopped {
  trace: string[];
  /** The file of the store as it stood. */
  picture: Uint8Array;
}

/** @param untilMs since its start @throws RangeError where the world ends before */
export async function playUntil(
  seed: number,
  untilMs: number,
  profile = profileOf(seed),
): Promise<Stopped> {
  const { machine, world } = await worldOf(seed, profile);
  return machine.play(() => world.runUntil(untilMs));
}

async function worldOf(seed: number, profile: Profile) {
  const processes = hasNodes(profile) ? profile.nodes : 1;
  while (apis.length < processes) apis.push(await Api.ready());
  const startedAt = startedAtOf(seed, longIn(profile)) - beforeNoonMs(seed, profile);
  const machine = new Machine(startedAt, new Random(seed, 'process'));
  return { machine, world: new World(seed, machine, profile) };
}

class World {
  readonly #seed: number;
  readonly #machine: Machine;
  readonly #profile: Profile;
  readonly #long: Long | null;
  readonly #network: Network;
  #around!: Surroundings;
  /** As the world itself looks at it: nothing is in its way. */
  readonly #store: Store;
  readonly #database = emptyDatabase();
  #fleet!: Fleet;
  #callers!: Callers;
  #counts!: Counts;
  /** Null where no schedule has one. */
  #destinations: Destinations | null = null;
  #calendars: Calendars | null = null;
  readonly #work: Work;
  readonly #stalls: Evidence['stalls'] = [];
  readonly #lost: LostAnswers;
  readonly #written: ChangesWritten;
  readonly #wall: Wall;
  readonly #trace: string[] = [];
  #isOver = false;

  constructor(seed: number, machine: Machine, profile: Profile) {
    this.#seed = seed;
    this.#machine = machine;
    this.#profile = profile;
    this.#long = longIn(profile);
    const tell = (line: string) => this.#tell(line);
    this.#wall = new Wall(machine, tell);
    this.#lost = new LostAnswers(machine, this.#database, new Random(seed, 'lost'), tell);
    this.#written = new ChangesWritten(machine, this.#database);
    const waiting = hasNodes(profile) ? WAIT_OF_NODES : WAIT;
    this.#network = new Network(machine, new Random(seed, 'net'), waiting);
    const target = { machine, random: new Random(seed, 'work'), node: () => this.#fleet.asked() };
    const say = async (path: string, body: object) =>
      (await callOnce({ method: 'POST', path, body }, target))?.status ?? null;
    this.#work = new Work({ ...target, say });
    this.#network.begun = begun => void this.#work.begin(begun);
    this.#store = storeOn(this.#database, ':memory:');
  }

  async run(): Promise<Played> {
    startCounter(0);
    forgetCalendars();
    await this.#prepare();
    this.#fleet.startAll();
    const { mixed, planned, unhealthy, faults, lengthMs } = this.#profile;
    this.#lost.isOn = hasNodes(this.#profile) && faults.includes('lose');
    const long = this.#long;
    const bodies = (long && longBodies(TARGET, this.#profile, long, this.#machine.now)) ?? [
      ...workload.plannedWorkload(TARGET, planned, this.#machine.now),
      ...workload.mixedWorkload(TARGET, mixed),
      ...workload.unhealthyWorkload(unhealthy),
      ...(hasNodes(this.#profile) ? workload.sharedWorkload(TARGET) : []),
      ...workload.awaitingWorkload(awaitingIn(this.#profile)),
      ...steeredWorkload(steeredIn(this.#profile), this.#machine.now),
    ];
    void this.#callers.createAll(bodies);
    void this.#destinations?.begin(this.#callers, new Random(this.#seed, 'limited'));
    void this.#calendars?.begin(this.#callers, new Random(this.#seed, 'excluding'));
    for (const action of playedOf(this.#profile))
      this.#machine.after(action.at, () => this.#act(action));
    await this.#machine.sleep(long?.lengthMs ?? lengthMs);
    const report = await this.#judge(await this.#heal());
    this.#database.close();
    return report;
  }

  async runUntil(untilMs: number): Promise<Stopped> {
    const isOver = await Promise.race([
      this.run().then(() => true),
      this.#machine.sleep(untilMs, this.#machine.world).then(() => false),
    ]);
    if (isOver) throw new RangeError('The world ended before.');
    return { trace: this.#trace, picture: this.#database.serialize() };
  }

  async #prepare(): Promise<void> {
    const machine = this.#machine;
    const seed = this.#seed;
    const faults = { refusesUntil: 0, slowUntil: 0, slowByMs: 0 };
    const credentials = await newCredentials(this.#store, machine.now);
    this.#around = {
      machine,
      network: this.#network,
      credentials,
      database: this.#database,
      faults,
      storeRandom: new Random(seed, 'store'),
      processRandom: new Random(seed, 'jitter'),
      // The lock's file is made at the first start.
      mark: { sentUntil: machine.now },
      beforeAnswer: () => {},
      leases: hasNodes(this.#profile) ? this.#leases() : null,
      pruned: this.#long && this.#pruned(credentials),
      isLost: (part, method, parameters, answer) => {
        this.#written.note(method, parameters);
        return this.#lost.isLost(part, method, parameters, answer);
      },
      tell: line => this.#tell(line),
    };
    const processes = hasNodes(this.#profile) ? this.#profile.nodes : 1;
    this.#fleet = new Fleet(this.#around, apis.slice(0, processes), new Random(seed, 'asked'));
    this.#counts = new Counts({
      machine,
      database: this.#database,
      clientRowId: credentials.clientRowId,
      asked: () => this.#callers.asked,
      node: () => this.#fleet.asked(),
      tell: line => this.#tell(line),
    });
    const around = {
      machine,
      node: () => this.#fleet.asked(),
      wellSinceMs: () => Math.max(this.#fleet.wellSinceMs, this.#lost.lastMs),
      tell: (line: string) => this.#tell(line),
    };
    this.#callers = new Callers({ ...around, random: new Random(seed, 'calls') });
    if (hasDestinations(this.#profile))
      this.#destinations = new Destinations({ ...around, random: new Random(seed, 'limits') });
    if (hasCalendars(this.#profile))
      this.#calendars = new Calendars({ ...around, random: new Random(seed, 'calendar calls') });
  }

  /** A day of UTC goes after the one that follows it; failed runs stay for a day more in some worlds. */
  #pruned({ clientRowId }: Credentials): Pruned {
    const database = this.#database;
    const looked = { database, store: this.#store, clientRowId };
    const days = 1 + (this.#seed % 2);
    const list = () => historyOf(looked, this.#callers.asked, this.#machine.now);
    return new Pruned(this.#machine, database, days, list);
  }

  #leases(): Leases {
    const notices = new Notices(this.#machine, new Random(this.#seed, 'notices'));
    return new Leases(this.#machine, this.#database, notices);
  }

  #tell(line: string): void {
    this.#trace.push(`${(this.#machine.elapsedMs / 1_000).toFixed(3).padStart(8)}  ${line}`);
  }

  #act(action: Action): void {
    if (this.#isOver) return;
    const { machine } = this.#around;
    const fleet = this.#fleet;
    // Nobody does anything to a machine that is suspended.
    if (machine.isSuspended) return;
    switch (action.kind) {
      case 'kill':
        if (action.isAmidCall) this.#around.beforeAnswer = node => fleet.kill(node, action);
        else fleet.kill(fleet.of(action), action);
        return;
      case 'powerCut':
        fleet.cutPower(action);
        return;
      case 'stop':
        fleet.stop(fleet.of(action), action.limitMs, action.downMs);
        return;
      case 'freeze':
        fleet.freeze(fleet.of(action), action.forMs);
        return;
      case 'lose':
        this.#tell(`answers of the store are lost for ${Math.round(action.forMs)} ms`);
        this.#lost.untilMs = machine.elapsedMs + action.forMs;
        return;
      case 'refuse': {
        const { faults, ...whose } = fleet.wayOf(action);
        this.#tell(`store${nameOf(whose)} refuses for ${Math.round(action.forMs)} ms`);
        faults.refusesUntil = machine.elapsedMs + action.forMs;
        const to = machine.trueNow + Math.ceil(action.forMs);
        this.#stalls.push({ from: machine.trueNow, to, ...whose });
        return;
      }
      case 'slow': {
        const { faults, ...whose } = fleet.wayOf(action);
        const span = `by ${Math.round(action.byMs)} ms for ${Math.round(action.forMs)} ms`;
        this.#tell(`store${nameOf(whose)} slow ${span}`);
        faults.slowUntil = machine.elapsedMs + action.forMs;
        faults.slowByMs = action.byMs;
        // A call that began at its end is slow as well, and so is the one that follows from it.
        const to = machine.trueNow + Math.ceil(action.forMs + action.byMs);
        this.#stalls.push({ from: machine.trueNow, to, ...whose });
        return;
      }
      case 'create': {
        const { planned, index } = action;
        const bodies = planned ? workload.plannedWorkload : workload.mixedWorkload;
        const body = this.#long
          ? longBodyOf(TARGET, action, this.#long, machine.now)
          : bodies(TARGET, index + 1, machine.now)[index]!;
        void this.#callers.create(body);
        return;
      }
      case 'edit': {
        const random = new Random(this.#seed, `edit ${action.draw}`);
        const patch = this.#long
          ? longEditOf(random, machine.now, this.#long)
          : workload.editOf(random, machine.now);
        void this.#callers.edit(action.which, patch);
        return;
      }
      case 'race': {
        const random = new Random(this.#seed, `race ${action.draw}`);
        void this.#callers.race(action.which, raceOf(random, machine.now));
        return;
      }
      case 'explain': {
        const second = Math.round(machine.now / 1_000) * 1_000;
        void this.#callers.explain(action.which, second + action.offsetMs);
        return;
      }
      case 'count':
        void this.#counts.ask(action);
        return;
      case 'next':
        void this.#callers.next(action.which, action.count);
        return;
      case 'trigger':
        void this.#callers.trigger(action.which);
        return;
      case 'limit':
        this.#destinations?.change(new Random(this.#seed, `limit ${action.draw}`));
        return;
      case 'calendar':
        this.#calendars?.change(new Random(this.#seed, `calendar ${action.draw}`));
        return;
      case 'step':
        this.#wall.set(action.aheadMs);
        return;
      case 'suspend':
        // Calls to the store rest as well.
        for (const stall of this.#stalls) if (stall.to > machine.now) stall.to += action.forMs;
        this.#wall.suspend(action.forMs);
    }
  }

  /** Faults end, a process lives, targets answer. @returns when: what was due by then must come to its end */
  async #heal(): Promise<number> {
    const { machine } = this.#around;
    this.#isOver = true;
    this.#callers.end();
    this.#destinations?.end();
    this.#calendars?.end();
    this.#tell('heal');
    this.#fleet.heal();
    this.#lost.heal();
    this.#network.isHealed = true;
    while (!this.#fleet.isWell || machine.isSuspended) await machine.sleep(10);
    await this.#wall.goRight();
    return machine.now;
  }

  async #judge(until: number): Promise<Played> {
    const times = this.#long === null ? 1 : LONG_TIMES;
    const giveUpAt = this.#machine.trueNow + PATIENCE_MS * times;
    for (;;) {
      await this.#machine.sleep(LOOK_AGAIN_MS * times);
      const isLate = this.#machine.trueNow > giveUpAt;
      if (!isLate && isOwed(this.#database, until)) continue;
      if (this.#profile.faults.includes('counts')) await this.#counts.askAll();
      const evidence = await this.#seen(until);
      const report = judge(evidence, this.#wall.clock(this.#fleet.all, this.#callers.asked));
      const mayWait = report.violations.every(({ rule }) =>
        (MAY_COME_RIGHT as readonly string[]).includes(rule),
      );
      if (report.violations.length > 0 && mayWait && !isLate) continue;
      const { schedules, arrivals, callbackArrivals, runs } = evidence;
      const seen = JSON.stringify([this.#trace, schedules, arrivals, callbackArrivals, runs]);
      const hash = createHash('sha256').update(seen).digest('hex').slice(0, 16);
      return {
        ...report,
        seed: this.#seed,
        profile: this.#profile,
        hash,
        trace: this.#trace,
        evidence,
      };
    }
  }

  #seen(until: number): Promise<Evidence> {
    this.#around.pruned?.restoreVersions();
    const { arrivals, callbacks: callbackArrivals } = this.#network;
    const { credentials, leases } = this.#around;
    const { clientRowId } = credentials;
    const looked = {
      database: this.#database,
      store: this.#store,
      clientRowId,
      written: this.#written,
    };
    return gather(looked, this.#callers, this.#machine.now, {
      lives: this.#fleet.all.map(({ life }) => life),
      stalls: [...this.#stalls, ...this.#lost.stalls],
      suspensions: this.#wall.suspensions,
      arrivals,
      callbackArrivals,
      said: this.#work.said,
      counted: this.#counts.seen,
      inFlight: this.#counts.inFlight,
      ...(this.#around.pruned && {
        pruned: this.#around.pruned.seen,
        kept: this.#around.pruned.kept,
      }),
      ...(this.#destinations && { destinations: this.#destinations.seen }),
      ...(this.#calendars && { calendars: this.#calendars.seen }),
      until,
      ...(leases && {
        shared: {
          leaseMs: leases.leaseMs,
          lostAnswers: this.#lost.answers,
          holds: leases.holds,
        },
      }),
    });
  }
}

function nameOf({ node }: { node?: string }): string {
  return node === undefined ? '' : ` of ${node}`;
}

let picture: Uint8Array | null = null;

/** Migrated once a process: a copy takes a fraction of a millisecond. */
function emptyDatabase(): LazyDatabase {
  const database = new LazyDatabase(':memory:');
  if (picture === null) {
    migrateSqlite(database);
    picture = database.serialize();
  } else database.deserialize(picture);
  database.exec('PRAGMA temp_store = MEMORY');
  return database;
}
