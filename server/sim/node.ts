import type { DatabaseSync } from 'node:sqlite';
import { type Clock, SteeredClock } from '../src/clock.ts';
import { completionUrl } from '../src/domain/access/completion-ticket.ts';
import { periodsOf } from '../src/domain/calendar/exclusion/calendar-source.ts';
import { Engine } from '../src/engine/engine.ts';
import type { EngineObserver } from '../src/engine/observer.ts';
import { LeaseDeadline } from '../src/outbound/lease-deadline.ts';
import type { Store } from '../src/store/contract/store.ts';
import { storeOn } from '../src/store/sqlite/open.ts';
import { type Api, type ApiAnswer, COMPLETION_KEY, type Credentials, type Served } from './api.ts';
import type { Machine, Owner } from './machine.ts';
import type { Life } from './model/evidence.ts';
import type { Random } from './random.ts';
import type { Leases } from './store/leases.ts';
import type { Pruned } from './store/pruned.ts';
import { type StoreFaults, storeThrough, type WayOptions } from './store/way.ts';
import type { Network } from './wire/network.ts';

/** All that the processes of a world share. */
export interface Surroundings {
  machine: Machine;
  network: Network;
  credentials: Credentials;
  database: DatabaseSync;
  faults: StoreFaults;
  /** Of the way to the store, and of the processes. */
  storeRandom: Random;
  processRandom: Random;
  /** The mark of the lock's file, which outlives a process: nothing was sent after it. Null: it is lost. */
  mark: { sentUntil: number | null };
  /** Called once, when a process is about to answer a caller. */
  beforeAnswer: (node: Node) => void;
  /** Where nodes share the store; null: each process has it for itself. */
  leases: Leases | null;
  /** Of the engine; null: more than any world takes. */
  capacity: { maxInFlight: number; maxInFlightPerHost: number } | null;
  /** Whether an API looks up again who calls it (api.ts). */
  looksAgain: boolean;
  /** Where runs are kept for so short a time that some go; null: retention takes none away. */
  pruned: Pruned | null;
  /** Whether a node's answer of the store is lost. */
  isLost: NonNullable<WayOptions['isLost']>;
  tell(line: string): void;
}

/** A request of a caller. */
export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  /** Of its `Idempotency-Key`; the same where it is asked again. Absent: there is none. */
  key?: string;
  body?: object | undefined;
  /** Of the client that calls; absent: the first one. */
  credentials?: Credentials;
  /** Of its `If-Match`. Absent: there is none. */
  match?: string | undefined;
}

const PUBLIC_URL = 'https://punctual.example';

/** What a start takes before the engine begins. */
const BOOT_MS: [number, number] = [50, 400];
/** Between two tries, while the store is away. */
const RETRY_START_MS = 500;
/** As a service does it: how much of a lease a node counts on. */
const COUNTED_ON = 0.75;

/** One process of the service: its engine on the store, from its start to its death. */
export class Node {
  readonly life: Life;
  readonly store: Store;
  /** When its engine said that the clock was stepped, epoch ms by the world's time. */
  readonly toldSteps: number[] = [];
  readonly #around: Surroundings;
  /** What is wrong with this node's way to the store alone. */
  readonly faults: StoreFaults = { refusesUntil: 0, slowUntil: 0, slowByMs: 0 };
  readonly #owner: Owner;
  /** What is on the way to targets, which goes on while the node is frozen. */
  readonly #wire: Owner;
  readonly #api: Api;
  #clock: Clock;
  #engine: Engine | null = null;
  #served: Served | null = null;
  #isStopping = false;

  /** @param api its own as long as it lives */
  constructor(around: Surroundings, api: Api, number: number) {
    const { machine, leases } = around;
    this.#around = around;
    this.#api = api;
    const name = `n${number}`;
    const owner = { name, isDead: false };
    this.#owner = owner;
    this.#wire = leases === null ? owner : { name: `${name} wire`, isDead: false };
    const spawnedAt = machine.trueNow;
    this.life = { node: name, spawnedAt, readyAt: null, end: null, frozen: [], lags: [] };
    this.store = this.#storeOf(name);
    this.#clock = {
      now: () => machine.now,
      monotonicMs: () => machine.monotonicMs,
      after: (delayMs, callback) => machine.after(delayMs, callback, owner),
    };
    machine.after(around.processRandom.between(...BOOT_MS), () => void this.#start(), owner);
  }

  /** The engine that fires; null before it has started. */
  get engine(): Engine | null {
    return this.life.readyAt === null ? null : this.#engine;
  }

  get isUp(): boolean {
    return this.life.end === null && !this.#isStopping;
  }

  get isFrozen(): boolean {
    return this.#owner.held != null;
  }

  /** Nothing of it runs for so long, unless it is woken before. */
  freeze(forMs: number): void {
    const { machine } = this.#around;
    if (!this.isUp || this.isFrozen) return;
    machine.freeze(this.#owner, forMs);
    this.life.frozen!.push({ from: machine.trueNow, to: machine.trueNow + Math.ceil(forMs) });
  }

  wakeUp(): void {
    const { machine } = this.#around;
    if (!this.isFrozen) return;
    machine.thaw(this.#owner);
    this.life.frozen!.at(-1)!.to = machine.trueNow;
  }

  /**
   * A request of a caller arrives after `wayMs`.
   *
   * @param answered is told null at once where nobody listens, and where the process dies before it has answered
   */
  call(
    { method, path, key, body, match, credentials = this.#around.credentials }: Call,
    wayMs: number,
    answered: (answer: ApiAnswer | null) => void,
  ): void {
    const { machine } = this.#around;
    const headers = {
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(match !== undefined && { 'if-match': match }),
    };
    const payload = body && { payload: body };
    machine.after(
      wayMs,
      () => {
        if (!this.isUp || this.life.readyAt === null) return answered(null);
        const request = { method, url: path, headers, ...payload };
        const answer = async () => {
          const answer = await this.#api.call(credentials, request);
          const { beforeAnswer } = this.#around;
          this.#around.beforeAnswer = () => {};
          beforeAnswer(this);
          answered(this.life.end === null ? answer : null);
        };
        const serve = () => void answer();
        machine.after(0, serve, this.#owner);
      },
      machine.world,
    );
  }

  /** Has something done in this process, as its API does; nothing where nobody listens. */
  within(work: (served: Served) => void): void {
    const served = this.#served;
    if (served === null || !this.isUp) return;
    this.#around.machine.after(0, () => work(served), this.#owner);
  }

  kill(): void {
    const { trueNow } = this.#around.machine;
    if (this.life.end !== null) return;
    const rest = this.life.frozen!.at(-1);
    // It woke within this ms.
    if (rest !== undefined && !this.isFrozen) rest.to = Math.min(rest.to, trueNow);
    this.#die();
    const isUnknown = this.#around.mark.sentUntil === null;
    this.life.end = { how: 'killed', from: trueNow, to: trueNow, isUnknown };
  }

  /** Asks it to stop, and calls back when it has. */
  stop(limitMs: number, stopped: () => void): void {
    const { machine } = this.#around;
    this.#isStopping = true;
    const from = machine.trueNow;
    // Sums of fractions differ in their last digits.
    const limitAt = machine.monotonicMs + limitMs - 0.001;
    const end = () => {
      if (this.life.end !== null) return;
      this.#die();
      // At its limit it abandons what is in flight, as a kill would.
      const how = machine.monotonicMs < limitAt ? 'stopped' : 'killed';
      this.life.end = { how, from, to: machine.trueNow };
      stopped();
    };
    machine.after(
      0,
      () => void (this.#engine?.stop(limitMs) ?? Promise.resolve()).then(end),
      this.#owner,
    );
  }

  #die(): void {
    this.#owner.isDead = true;
    this.#wire.isDead = true;
    this.#around.network.cutOff(this.#wire);
    this.#api.cutOff();
  }

  #storeOf(name: string): Store {
    const { machine, database, leases, pruned, storeRandom: random, isLost } = this.#around;
    const opened = storeOn(database, ':memory:');
    const own = pruned?.watched(opened) ?? opened;
    const owner = this.#owner;
    const faults = [this.#around.faults, this.faults];
    if (leases === null) return storeThrough(own, { machine, owner, faults, random, isLost });
    leases.notices.join(name, owner);
    const server = { name: `${name} store`, isDead: false };
    const way = { machine, owner, server, faults, random, isLost };
    return storeThrough(leases.storeOf(own, name), way);
  }

  async #start(): Promise<void> {
    const { machine, tell } = this.#around;
    if (this.#around.leases !== null) await this.#steer();
    while (!this.#isStopping) {
      const engine = this.#newEngine();
      this.#engine = engine;
      try {
        await engine.start();
        this.store.cluster?.listen({
          wake: dueAt => engine.wake(dueAt),
          changed: (scheduleId, changedAt) => engine.changed(scheduleId, changedAt),
          wakeOutbox: scheduleId => engine.wakeOutbox(scheduleId),
          rotated: clientRowId => engine.rotated(clientRowId),
          listening: () => {},
        });
        // It looks at its schedules within this ms.
        this.life.readyAt = machine.trueNow + 1;
        const { looksAgain } = this.#around;
        this.#served = { store: this.store, engine, clock: this.#clock, looksAgain };
        this.#api.serve(this.#served);
        return;
      } catch (error) {
        tell(`${this.#owner.name} does not start: ${(error as Error).message}`);
        await engine.stop(0);
        await machine.sleep(RETRY_START_MS, this.#owner);
      }
    }
  }

  /** From then on it goes by the clock of the store. */
  async #steer(): Promise<void> {
    const { machine } = this.#around;
    const { cluster } = this.store;
    let clock: SteeredClock | null = null;
    while (clock === null) {
      clock = await SteeredClock.start(() => cluster!.now()).catch(() => null);
      if (clock === null) await machine.sleep(RETRY_START_MS);
    }
    this.#clock = clock;
    this.#noteLag();
    const again = () =>
      machine.after(
        clock.steerAgainMs,
        () =>
          void clock
            .steer()
            .catch(() => {})
            .then(() => this.#noteLag())
            .then(again),
        this.#owner,
      );
    again();
  }

  #noteLag(): void {
    const { now, trueNow } = this.#around.machine;
    const lags = this.life.lags!;
    const last = lags.at(-1);
    if (last?.to === Infinity) last.to = trueNow;
    const behindMs = now - this.#clock.now();
    if (behindMs > 1) lags.push({ from: trueNow, to: Infinity, behindMs });
  }

  #newEngine(): Engine {
    const { network, processRandom, mark, leases, capacity, pruned } = this.#around;
    return new Engine({
      store: this.store,
      completionUrl: ticket => completionUrl(PUBLIC_URL, ticket, COMPLETION_KEY),
      send: network.sendFor({
        owner: this.#owner,
        wire: this.#wire,
        now: () => this.#clock.now(),
      }),
      fetchText: () => Promise.reject(new Error('There is nothing.')),
      expand: periodsOf,
      clock: this.#clock,
      random: () => processRandom.next(),
      observer: this.#observer(),
      ...(capacity ?? { maxInFlight: 1_000, maxInFlightPerHost: 1_000 }),
      retention: pruned?.kept ?? { runsDays: 30, failedRunsDays: 90 },
      ...(leases === null
        ? {
            lock: {
              sentUntil: mark.sentUntil,
              noteSentUntil: until => {
                mark.sentUntil = until;
              },
            },
          }
        : { leaseDeadline: new LeaseDeadline(leases.leaseMs * COUNTED_ON) }),
    });
  }

  #observer(): EngineObserver {
    const { tell } = this.#around;
    const line = (text: string) => tell(`${this.#owner.name}: ${text}`);
    return {
      fired: () => {},
      attemptEnded: () => {},
      runEnded: () => {},
      callbackEnded: () => {},
      passed: () => {},
      settled: () => {},
      storeFailed: error => line(`store failed: ${(error as Error).message}`),
      rowFailed: (id, error) => line(`row failed: ${id}: ${(error as Error).message}`),
      takenOver: count => line(`took over ${count}`),
      breaker: (change, origin) => line(`breaker ${change}: ${origin}`),
      noDescriptor: () => {},
      refused: () => {},
      clockStepped: byMs => {
        this.toldSteps.push(this.#around.machine.trueNow);
        line(`clock stepped ${byMs} ms`);
      },
      clockWasSetBack: backMs => line(`clock was set back ${backMs} ms`),
      calendarFailed: () => {},
      blind: (from, until) => line(`blind for ${until - from} ms`),
    };
  }
}
