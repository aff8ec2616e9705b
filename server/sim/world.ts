import { createHash } from 'node:crypto';
import type { Run } from '@punctual/client';
import { startCounter } from '../src/domain/id.ts';
import type { Store } from '../src/store/contract/store.ts';
import { migrateSqlite, storeOn } from '../src/store/sqlite/open.ts';
import { Callers } from './callers.ts';
import { gather } from './gather.ts';
import { Machine } from './machine.ts';
import { check, MAY_COME_RIGHT, type Report } from './model/checker.ts';
import type { Evidence } from './model/evidence.ts';
import { Node, type Surroundings } from './node.ts';
import { type Action, type Profile, profileOf, startedAtOf } from './profile.ts';
import { Random } from './random.ts';
import { LazyDatabase } from './store/lazy-database.ts';
import { CONNECT_MS, Network } from './wire/network.ts';
import { mixedWorkload, plannedWorkload, unhealthyWorkload } from './workload.ts';

/** One world: the engine on the embedded store, in a process that dies and starts again, played from a seed. */

export interface Played extends Report {
  seed: number;
  profile: Profile;
  /** Of all that was seen: the same seed has the same. */
  hash: string;
  /** What happened, in its order. */
  trace: string[];
  evidence: Evidence;
}

/** Nothing here is late by itself but the way to the store, and what waits for a connection. */
const EXACT = { slackMs: 0, graceMs: 0, connectMs: CONNECT_MS, lateMs: 100 };

const TARGET = 'https://target.example';
/** All that was owed must be there by then. */
const PATIENCE_MS = 200_000;
const LOOK_AGAIN_MS = 1_000;

export async function play(seed: number, profile = profileOf(seed)): Promise<Played> {
  const machine = new Machine(startedAtOf(seed), new Random(seed, 'process'));
  const world = new World(seed, machine, profile);
  return machine.play(() => world.run());
}

class World {
  readonly #seed: number;
  readonly #machine: Machine;
  readonly #profile: Profile;
  readonly #network: Network;
  readonly #around: Surroundings;
  /** As the world itself looks at it: nothing is in its way. */
  readonly #store: Store;
  readonly #nodes: Node[] = [];
  #callers!: Callers;
  readonly #stalls: Evidence['stalls'] = [];
  readonly #trace: string[] = [];
  #isOver = false;

  constructor(seed: number, machine: Machine, profile: Profile) {
    this.#seed = seed;
    this.#machine = machine;
    this.#profile = profile;
    this.#network = new Network(machine, new Random(seed, 'net'));
    const database = emptyDatabase();
    this.#store = storeOn(database, ':memory:');
    this.#around = {
      machine,
      network: this.#network,
      database,
      faults: { refusesUntil: 0, slowUntil: 0, slowByMs: 0 },
      storeRandom: new Random(seed, 'store'),
      processRandom: new Random(seed, 'jitter'),
      // The lock's file is made at the first start.
      mark: { sentUntil: machine.now },
      tell: line => this.#tell(line),
    };
  }

  async run(): Promise<Played> {
    startCounter(0);
    this.#callers = await Callers.of(this.#store, this.#machine, line => this.#tell(line));
    this.#start();
    const { mixed, planned, unhealthy, actions, lengthMs } = this.#profile;
    const bodies = [
      ...plannedWorkload(TARGET, planned, this.#machine.now),
      ...mixedWorkload(TARGET, mixed),
      ...unhealthyWorkload(unhealthy),
    ];
    for (const body of bodies) this.#callers.create(this.#node, body);
    for (const action of actions) this.#machine.after(action.at, () => this.#act(action));
    await this.#machine.sleep(lengthMs);
    const report = await this.#judge(await this.#heal());
    this.#around.database.close();
    return report;
  }

  get #node(): Node {
    return this.#nodes.at(-1)!;
  }

  #tell(line: string): void {
    this.#trace.push(`${(this.#machine.monotonicMs / 1_000).toFixed(3).padStart(8)}  ${line}`);
  }

  #start(): void {
    this.#tell(`start n${this.#nodes.length + 1}`);
    this.#nodes.push(new Node(this.#around, this.#nodes.length + 1));
  }

  #act(action: Action): void {
    if (this.#isOver) return;
    const { machine, faults } = this.#around;
    const node = this.#node;
    switch (action.kind) {
      case 'kill':
        if (!node.isUp) return;
        this.#kill(action.downMs);
        if (action.againMs !== null)
          machine.after(action.downMs + action.againMs, () =>
            this.#act({ ...action, againMs: null }),
          );
        return;
      case 'stop':
        if (!node.isUp) return;
        this.#tell('stop');
        node.stop(action.limitMs, () => this.#startAfter(action.downMs));
        return;
      case 'refuse':
        this.#tell(`store refuses for ${Math.round(action.forMs)} ms`);
        faults.refusesUntil = machine.monotonicMs + action.forMs;
        this.#stalls.push({ from: machine.now, to: machine.now + Math.ceil(action.forMs) });
        return;
      case 'slow': {
        this.#tell(
          `store slow by ${Math.round(action.byMs)} ms for ${Math.round(action.forMs)} ms`,
        );
        faults.slowUntil = machine.monotonicMs + action.forMs;
        faults.slowByMs = action.byMs;
        // A call that began at its end is slow as well, and so is the one that follows from it.
        const to = machine.now + Math.ceil(action.forMs + action.byMs);
        this.#stalls.push({ from: machine.now, to });
        return;
      }
      case 'create': {
        const { planned, index } = action;
        const workload = planned ? plannedWorkload : mixedWorkload;
        this.#callers.create(node, workload(TARGET, index + 1, machine.now)[index]!);
        return;
      }
      case 'trigger':
        this.#callers.trigger(node, action.which);
    }
  }

  #kill(downMs: number): void {
    this.#tell('kill');
    this.#node.kill();
    this.#startAfter(downMs);
  }

  #startAfter(downMs: number): void {
    this.#machine.after(downMs, () => this.#start(), this.#machine.world);
  }

  /** Faults end, a process lives, targets answer. @returns when: what was due by then must come to its end */
  async #heal(): Promise<number> {
    const { machine, faults } = this.#around;
    this.#isOver = true;
    this.#tell('heal');
    faults.refusesUntil = 0;
    faults.slowUntil = 0;
    this.#network.isHealed = true;
    while (this.#node.engine === null || !this.#node.isUp) await machine.sleep(10);
    return machine.now;
  }

  async #judge(until: number): Promise<Played> {
    const giveUpAt = this.#machine.now + PATIENCE_MS;
    for (;;) {
      await this.#machine.sleep(LOOK_AGAIN_MS);
      const evidence = await this.#seen(until);
      const isLate = this.#machine.now > giveUpAt;
      if (!isLate && evidence.runs.some(run => goesOn(run, until))) continue;
      const report = check(evidence, EXACT);
      const mayWait = report.violations.every(({ rule }) => MAY_COME_RIGHT.includes(rule));
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
    return gather(this.#store, this.#callers, this.#machine.now, {
      lives: this.#nodes.map(({ life }) => life),
      stalls: this.#stalls,
      arrivals,
      callbackArrivals,
      refused: [],
      until,
    });
  }
}

function goesOn({ status, scheduledFor }: Run, until: number): boolean {
  const hasEnded = status !== 'queued' && status !== 'running' && status !== 'retrying';
  return !hasEnded && Date.parse(scheduledFor) <= until;
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
