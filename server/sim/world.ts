import { createHash } from 'node:crypto';
import { startCounter } from '../src/domain/id.ts';
import type { Store } from '../src/store/contract/store.ts';
import { migrateSqlite, storeOn } from '../src/store/sqlite/open.ts';
import { Api, newCredentials, SIGNING_SECRET } from './api.ts';
import { callOnce } from './call-once.ts';
import { Callers } from './callers.ts';
import { Fleet } from './fleet.ts';
import { gather, isOwed } from './gather.ts';
import { type Judgement, judge } from './judge.ts';
import { Machine } from './machine.ts';
import { MAY_COME_RIGHT } from './model/checker.ts';
import type { Evidence } from './model/evidence.ts';
import type { Surroundings } from './node.ts';
import {
  type Action,
  awaitingIn,
  connectionsIn,
  hasNodes,
  type Profile,
  playedOf,
  profileOf,
  startedAtOf,
  usesSockets,
} from './profile.ts';
import { Random } from './random.ts';
import { LazyDatabase } from './store/lazy-database.ts';
import { Leases } from './store/leases.ts';
import { LostAnswers } from './store/lost-answers.ts';
import { Notices } from './store/notices.ts';
import { Wall } from './wall.ts';
import { Network } from './wire/network.ts';
import { Sockets } from './wire/sockets.ts';
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

/** How many requests wait for a connection: nodes may lose a claim meanwhile. */
const WAIT = 0.05;
const WAIT_OF_NODES = 0.4;

const apis: Api[] = [];

export async function play(seed: number, profile = profileOf(seed)): Promise<Played> {
  const processes = hasNodes(profile) ? profile.nodes : 1;
  while (apis.length < processes) apis.push(await Api.ready());
  const machine = new Machine(startedAtOf(seed), new Random(seed, 'process'));
  const world = new World(seed, machine, profile);
  return machine.play(() => world.run());
}

class World {
  readonly #seed: number;
  readonly #machine: Machine;
  readonly #profile: Profile;
  readonly #network: Network;
  #around!: Surroundings;
  /** As the world itself looks at it: nothing is in its way. */
  readonly #store: Store;
  readonly #database = emptyDatabase();
  #fleet!: Fleet;
  #callers!: Callers;
  readonly #work: Work;
  readonly #sockets: Sockets | null;
  readonly #stalls: Evidence['stalls'] = [];
  readonly #lost: LostAnswers;
  readonly #wall: Wall;
  readonly #trace: string[] = [];
  #isOver = false;

  constructor(seed: number, machine: Machine, profile: Profile) {
    this.#seed = seed;
    this.#machine = machine;
    this.#profile = profile;
    const tell = (line: string) => this.#tell(line);
    this.#wall = new Wall(machine, tell);
    this.#lost = new LostAnswers(machine, this.#database, new Random(seed, 'lost'), tell);
    const waiting = hasNodes(profile) ? WAIT_OF_NODES : WAIT;
    this.#network = new Network(machine, new Random(seed, 'net'), waiting);
    const target = { machine, random: new Random(seed, 'work'), node: () => this.#fleet.asked() };
    const say = async (path: string, body: object) =>
      (await callOnce({ method: 'POST', path, body }, target))?.status ?? null;
    this.#work = new Work({ ...target, say });
    this.#network.begun = begun => void this.#work.begin(begun);
    this.#store = storeOn(this.#database, ':memory:');
    this.#sockets = usesSockets(profile) ? this.#openSockets() : null;
    this.#network.sockets = this.#sockets;
  }

  #openSockets(): Sockets {
    const machine = this.#machine;
    machine.holdOn();
    return new Sockets({
      ...{ machine, network: this.#network, random: new Random(this.#seed, 'socket play') },
      ...{ connectionsPerOrigin: connectionsIn(this.#profile), signingSecret: SIGNING_SECRET },
      // What is about to leave a node shall be there before its lease has ended.
      slowestMs: hasNodes(this.#profile) ? 500 : 9_000,
    });
  }

  async run(): Promise<Played> {
    startCounter(0);
    await this.#prepare();
    this.#fleet.startAll();
    const { mixed, planned, unhealthy, faults, lengthMs } = this.#profile;
    this.#lost.isOn = hasNodes(this.#profile) && faults.includes('lose');
    const bodies = [
      ...workload.plannedWorkload(TARGET, planned, this.#machine.now),
      ...workload.mixedWorkload(TARGET, mixed),
      ...workload.unhealthyWorkload(unhealthy),
      ...(hasNodes(this.#profile) ? workload.sharedWorkload(TARGET) : []),
      ...workload.awaitingWorkload(awaitingIn(this.#profile)),
      ...(this.#sockets === null ? [] : workload.idempotentWorkload()),
    ];
    void this.#callers.createAll(bodies);
    for (const action of playedOf(this.#profile))
      this.#machine.after(action.at, () => this.#act(action));
    await this.#machine.sleep(lengthMs);
    const report = await this.#judge(await this.#heal());
    this.#database.close();
    return report;
  }

  async #prepare(): Promise<void> {
    const machine = this.#machine;
    const seed = this.#seed;
    const faults = { refusesUntil: 0, slowUntil: 0, slowByMs: 0 };
    this.#around = {
      machine,
      network: this.#network,
      credentials: await newCredentials(this.#store, machine.now),
      database: this.#database,
      faults,
      storeRandom: new Random(seed, 'store'),
      processRandom: new Random(seed, 'jitter'),
      // The lock's file is made at the first start.
      mark: { sentUntil: machine.now },
      beforeAnswer: () => {},
      leases: hasNodes(this.#profile) ? this.#leases() : null,
      isLost: (...answer) => this.#lost.isLost(...answer),
      tell: line => this.#tell(line),
    };
    const processes = hasNodes(this.#profile) ? this.#profile.nodes : 1;
    this.#fleet = new Fleet(this.#around, apis.slice(0, processes), new Random(seed, 'asked'));
    this.#callers = new Callers({
      machine,
      random: new Random(seed, 'calls'),
      node: () => this.#fleet.asked(),
      wellSinceMs: () => Math.max(this.#fleet.wellSinceMs, this.#lost.lastMs),
      tell: line => this.#tell(line),
    });
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
        void this.#callers.create(bodies(TARGET, index + 1, machine.now)[index]!);
        return;
      }
      case 'edit': {
        const random = new Random(this.#seed, `edit ${action.draw}`);
        void this.#callers.edit(action.which, workload.editOf(random, machine.now));
        return;
      }
      case 'explain': {
        const second = Math.round(machine.now / 1_000) * 1_000;
        void this.#callers.explain(action.which, second + action.offsetMs);
        return;
      }
      case 'trigger':
        void this.#callers.trigger(action.which);
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
    this.#tell('heal');
    this.#fleet.heal();
    this.#lost.heal();
    this.#network.isHealed = true;
    while (!this.#fleet.isWell || machine.isSuspended) await machine.sleep(10);
    await this.#wall.goRight();
    return machine.now;
  }

  async #judge(until: number): Promise<Played> {
    const giveUpAt = this.#machine.trueNow + PATIENCE_MS;
    for (;;) {
      await this.#machine.sleep(LOOK_AGAIN_MS);
      const isLate = this.#machine.trueNow > giveUpAt;
      if (!isLate && isOwed(this.#database, until)) continue;
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
    const { arrivals, callbacks: callbackArrivals } = this.#network;
    const { credentials, leases } = this.#around;
    const { clientRowId } = credentials;
    const looked = { database: this.#database, store: this.#store, clientRowId };
    return gather(looked, this.#callers, this.#machine.now, {
      lives: this.#fleet.all.map(({ life }) => life),
      stalls: [...this.#stalls, ...this.#lost.stalls],
      suspensions: this.#wall.suspensions,
      arrivals,
      callbackArrivals,
      said: this.#work.said,
      ...(this.#sockets && { wire: this.#sockets.seen }),
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
