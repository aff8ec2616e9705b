import { createHash } from 'node:crypto';
import { startCounter } from '../src/domain/id.ts';
import type { Store } from '../src/store/contract/store.ts';
import { migrateSqlite, storeOn } from '../src/store/sqlite/open.ts';
import { Api, newCredentials } from './api.ts';
import { callOnce } from './call-once.ts';
import { Callers } from './callers.ts';
import { gather, isOwed } from './gather.ts';
import { type Judgement, judge } from './judge.ts';
import { Machine } from './machine.ts';
import { MAY_COME_RIGHT } from './model/checker.ts';
import type { Evidence } from './model/evidence.ts';
import { Node, type Surroundings } from './node.ts';
import { type Action, type Profile, profileOf, startedAtOf } from './profile.ts';
import { Random } from './random.ts';
import { LazyDatabase } from './store/lazy-database.ts';
import { Wall } from './wall.ts';
import { Network } from './wire/network.ts';
import { Work } from './wire/work.ts';
import {
  awaitingWorkload,
  editOf,
  mixedWorkload,
  plannedWorkload,
  unhealthyWorkload,
} from './workload.ts';

/** One world: the engine on the embedded store, in a process that dies and starts again, played from a seed. */

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

let api: Api | null = null;

export async function play(seed: number, profile = profileOf(seed)): Promise<Played> {
  api ??= await Api.ready();
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
  readonly #nodes: Node[] = [];
  #callers!: Callers;
  readonly #work: Work;
  readonly #stalls: Evidence['stalls'] = [];
  readonly #wall: Wall;
  readonly #trace: string[] = [];
  #isOver = false;

  constructor(seed: number, machine: Machine, profile: Profile) {
    this.#seed = seed;
    this.#machine = machine;
    this.#profile = profile;
    this.#wall = new Wall(machine, line => this.#tell(line));
    this.#network = new Network(machine, new Random(seed, 'net'));
    const target = { machine, random: new Random(seed, 'work'), node: () => this.#node };
    const say = async (path: string, body: object) =>
      (await callOnce({ method: 'POST', path, body }, target))?.status ?? null;
    this.#work = new Work({ ...target, say });
    this.#network.begun = begun => void this.#work.begin(begun);
    this.#store = storeOn(this.#database, ':memory:');
  }

  async run(): Promise<Played> {
    startCounter(0);
    await this.#prepare();
    this.#start();
    const { mixed, planned, unhealthy, awaiting, actions, lengthMs } = this.#profile;
    const bodies = [
      ...plannedWorkload(TARGET, planned, this.#machine.now),
      ...mixedWorkload(TARGET, mixed),
      ...unhealthyWorkload(unhealthy),
      ...awaitingWorkload(awaiting),
    ];
    void this.#callers.createAll(bodies);
    for (const action of actions) this.#machine.after(action.at, () => this.#act(action));
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
      api: api!,
      credentials: await newCredentials(this.#store, machine.now),
      database: this.#database,
      faults,
      storeRandom: new Random(seed, 'store'),
      processRandom: new Random(seed, 'jitter'),
      // The lock's file is made at the first start.
      mark: { sentUntil: machine.now },
      beforeAnswer: () => {},
      tell: line => this.#tell(line),
    };
    this.#callers = new Callers({
      machine,
      random: new Random(seed, 'calls'),
      node: () => this.#node,
      wellSinceMs: () => Math.max(faults.refusesUntil, faults.slowUntil + faults.slowByMs),
      tell: line => this.#tell(line),
    });
  }

  get #node(): Node {
    return this.#nodes.at(-1)!;
  }

  #tell(line: string): void {
    this.#trace.push(`${(this.#machine.elapsedMs / 1_000).toFixed(3).padStart(8)}  ${line}`);
  }

  #start(): void {
    this.#tell(`start n${this.#nodes.length + 1}`);
    this.#nodes.push(new Node(this.#around, this.#nodes.length + 1));
  }

  #act(action: Action): void {
    if (this.#isOver) return;
    const { machine, faults } = this.#around;
    const node = this.#node;
    // Nobody does anything to a machine that is suspended.
    if (machine.isSuspended || !this.#isJudged(action)) return;
    switch (action.kind) {
      case 'kill':
        if (action.isAmidCall) this.#around.beforeAnswer = () => this.#kill(action);
        else this.#kill(action);
        return;
      case 'stop':
        if (!node.isUp) return;
        this.#tell('stop');
        node.stop(action.limitMs, () => this.#startAfter(action.downMs));
        return;
      case 'refuse':
        this.#tell(`store refuses for ${Math.round(action.forMs)} ms`);
        faults.refusesUntil = machine.elapsedMs + action.forMs;
        this.#stalls.push({ from: machine.trueNow, to: machine.trueNow + Math.ceil(action.forMs) });
        return;
      case 'slow': {
        this.#tell(
          `store slow by ${Math.round(action.byMs)} ms for ${Math.round(action.forMs)} ms`,
        );
        faults.slowUntil = machine.elapsedMs + action.forMs;
        faults.slowByMs = action.byMs;
        // A call that began at its end is slow as well, and so is the one that follows from it.
        const to = machine.trueNow + Math.ceil(action.forMs + action.byMs);
        this.#stalls.push({ from: machine.trueNow, to });
        return;
      }
      case 'create': {
        const { planned, index } = action;
        const workload = planned ? plannedWorkload : mixedWorkload;
        void this.#callers.create(workload(TARGET, index + 1, machine.now)[index]!);
        return;
      }
      case 'edit': {
        const random = new Random(this.#seed, `edit ${action.draw}`);
        void this.#callers.edit(action.which, editOf(random, machine.now));
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

  /** The rules know what callers change and ask by one clock only, on a machine that goes on. */
  #isJudged({ kind }: Action): boolean {
    const { faults } = this.#profile;
    const hasOneClock = !faults.includes('step') && !faults.includes('suspend');
    return hasOneClock || (kind !== 'edit' && kind !== 'explain');
  }

  #kill(action: Extract<Action, { kind: 'kill' }>): void {
    if (this.#isOver || !this.#node.isUp) return;
    this.#tell('kill');
    this.#node.kill();
    const { downMs, againMs } = action;
    this.#startAfter(downMs);
    if (againMs === null) return;
    const again = { ...action, againMs: null };
    this.#machine.after(downMs + againMs, () => this.#kill(again), this.#machine.world);
  }

  #startAfter(downMs: number): void {
    this.#machine.after(downMs, () => this.#start(), this.#machine.world);
  }

  /** Faults end, a process lives, targets answer. @returns when: what was due by then must come to its end */
  async #heal(): Promise<number> {
    const { machine, faults } = this.#around;
    this.#isOver = true;
    this.#callers.end();
    this.#tell('heal');
    faults.refusesUntil = Math.min(faults.refusesUntil, machine.elapsedMs);
    faults.slowUntil = Math.min(faults.slowUntil, machine.elapsedMs);
    this.#network.isHealed = true;
    const isUp = () => this.#node.engine !== null && this.#node.isUp && !machine.isSuspended;
    while (!isUp()) await machine.sleep(10);
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
      const report = judge(evidence, this.#wall.clock(this.#nodes, this.#callers.asked));
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
    const { clientRowId } = this.#around.credentials;
    const looked = { database: this.#database, store: this.#store, clientRowId };
    return gather(looked, this.#callers, this.#machine.now, {
      lives: this.#nodes.map(({ life }) => life),
      stalls: this.#stalls,
      suspensions: this.#wall.suspensions,
      arrivals,
      callbackArrivals,
      said: this.#work.said,
      until,
    });
  }
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
