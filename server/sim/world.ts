import { createHash } from 'node:crypto';
import type { Run, ScheduleInput } from '@punctual/client';
import { runAnswer } from '../src/api/answers.ts';
import type { Timing } from '../src/domain/calendar/timing.ts';
import { newId, runId, startCounter } from '../src/domain/id.ts';
import { startOf } from '../src/domain/run/start.ts';
import { draftNew } from '../src/domain/schedule/draft.ts';
import type { Schedule } from '../src/domain/schedule/schedule.ts';
import type { Store } from '../src/store/contract/store.ts';
import { migrateSqlite, storeOn } from '../src/store/sqlite/open.ts';
import { Machine } from './machine.ts';
import { check, MAY_COME_RIGHT, type Report } from './model/checker.ts';
import type { Evidence, ScheduleSeen } from './model/evidence.ts';
import { Node, type Surroundings } from './node.ts';
import { type Action, type Profile, profileOf } from './profile.ts';
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

const ALLOW = { everything: true, networks: [], hosts: new Set<string>() };
/** Nothing here is late by itself but the way to the store, and what waits for a connection. */
const EXACT = { slackMs: 0, graceMs: 0, connectMs: CONNECT_MS, lateMs: 100 };

const STARTED_AT = Date.parse('2026-03-01T12:00:00.000Z');
const TARGET = 'https://target.example';
/** All that was owed must be there by then. */
const PATIENCE_MS = 200_000;
const LOOK_AGAIN_MS = 1_000;

export async function play(seed: number, profile = profileOf(seed)): Promise<Played> {
  const machine = new Machine(STARTED_AT + (seed % 1_000), new Random(seed, 'process'));
  const world = new World(seed, machine, profile);
  return machine.play(() => world.run());
}

/** A schedule that a caller asked for. */
interface Asked {
  schedule: Schedule;
  /** Its create was answered. */
  acknowledged: boolean;
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
  readonly #schedules: Asked[] = [];
  readonly #triggered: string[] = [];
  readonly #stalls: Evidence['stalls'] = [];
  readonly #trace: string[] = [];
  #clientRowId = 0;
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
    await this.#addClient();
    this.#start();
    const { mixed, planned, unhealthy, actions, lengthMs } = this.#profile;
    const bodies = [
      ...plannedWorkload(TARGET, planned, this.#machine.now),
      ...mixedWorkload(TARGET, mixed),
      ...unhealthyWorkload(unhealthy),
    ];
    for (const body of bodies) this.#create(body);
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

  async #addClient(): Promise<void> {
    const { clients, keys } = this.#store;
    const createdAt = this.#machine.now;
    const id = newId(createdAt);
    const signingSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await clients.insertClient({ id, name: 'sim', signingSecret, createdAt });
    await keys.insertKey({ id: newId(createdAt), clientId: id, hash: id, createdAt });
    this.#clientRowId = (await keys.findCaller(id))!.clientRowId;
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
        this.#create(workload(TARGET, index + 1, machine.now)[index]!);
        return;
      }
      case 'trigger':
        this.#trigger(action.which);
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

  /** As `POST /v1/schedule` does it: what was not answered may be there, or not. */
  #create(body: ScheduleInput): void {
    const node = this.#node;
    if (!node.isUp) return;
    const now = this.#machine.now;
    const schedule = draftNew(body as never, now, ALLOW);
    const start = startOf(schedule, now);
    const seen = { schedule, acknowledged: false };
    this.#schedules.push(seen);
    this.#tell(`create s${this.#schedules.length}: ${schedule.interval} ${schedule.url}`);
    const inserted = node.store.schedules.insert(this.#clientRowId, [{ schedule, start }]);
    inserted.then(
      () => {
        seen.acknowledged = true;
        if (start) node.does(engine => engine.wake(start.first));
      },
      () => {},
    );
  }

  /** As `POST /v1/schedule/{id}/trigger` does it. @param which 0 to below 1 */
  #trigger(which: number): void {
    const node = this.#node;
    const known = this.#schedules.filter(
      ({ acknowledged, schedule }) => acknowledged && schedule.timing?.afterCompletion !== 'delete',
    );
    if (!node.isUp || known.length === 0) return;
    const { schedule } = known[Math.floor(which * known.length)]!;
    const now = this.#machine.now;
    const run = { id: runId(newId(now), now), scheduledFor: now };
    this.#tell(`trigger s${this.#schedules.findIndex(each => each.schedule === schedule) + 1}`);
    const inserted = node.store.outbox.insertManual(this.#clientRowId, schedule.id, run);
    inserted.then(
      () => {
        this.#triggered.push(run.id);
        node.does(engine => engine.wakeOutbox(schedule.id));
      },
      () => {},
    );
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
      const evidence = await this.#evidence(until);
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

  async #evidence(until: number): Promise<Evidence> {
    const now = this.#machine.now;
    const { runs } = this.#store;
    const listed = await runs.list(this.#clientRowId, { now }, 100_000);
    const callers = new Set(
      this.#schedules
        .filter(({ schedule }) => schedule.integrations !== undefined)
        .map(({ schedule }) => schedule.id),
    );
    const answers = await Promise.all(
      listed.map(async run =>
        runAnswer(
          run,
          callers.has(run.scheduleId) ? await runs.callbacks(this.#clientRowId, run.id) : [],
        ),
      ),
    );
    return {
      schedules: await Promise.all(this.#schedules.map(each => this.#seen(each))),
      lives: this.#nodes.map(({ life }) => life),
      stalls: this.#stalls,
      arrivals: this.#network.arrivals,
      callbackArrivals: this.#network.callbacks,
      runs: answers,
      triggered: this.#triggered,
      refused: [],
      until,
    };
  }

  async #seen({ schedule, acknowledged }: Asked): Promise<ScheduleSeen> {
    const { id, interval, timezone, createdAt, integrations = [], timing = {}, policy } = schedule;
    const found = await this.#store.schedules.find(this.#clientRowId, id);
    return {
      id,
      interval,
      timezone,
      createdAt,
      integrations: integrations.map(({ id, callOnSuccess }) => ({ id, callOnSuccess })),
      ...(policy && { policy }),
      ...(found !== null &&
        isPlanned(schedule) && {
          planned: {
            ...boundsOf(timing),
            afterCompletion: timing.afterCompletion ?? 'disable',
            status: found.schedule.status,
            ...(found.schedule.statusReason && { statusReason: found.schedule.statusReason }),
            version: found.version,
            updatedAt: found.schedule.updatedAt ?? null,
          },
        }),
      acknowledged,
      listed: found !== null,
    };
  }
}

function goesOn({ status, scheduledFor }: Run, until: number): boolean {
  const hasEnded = status !== 'queued' && status !== 'running' && status !== 'retrying';
  return !hasEnded && Date.parse(scheduledFor) <= until;
}

function isPlanned({ interval, timing }: Schedule): boolean {
  return /^(at|rate)\(/.test(interval) || timing !== undefined;
}

/** Those that the caller set. */
function boundsOf({ startsAt, endsAt, maxRuns, pausedUntil, windowSeconds }: Timing) {
  return {
    ...(startsAt !== undefined && { startsAt }),
    ...(endsAt !== undefined && { endsAt }),
    ...(maxRuns !== undefined && { maxRuns }),
    ...(pausedUntil !== undefined && { pausedUntil }),
    ...(windowSeconds !== undefined && { windowSeconds }),
  };
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
