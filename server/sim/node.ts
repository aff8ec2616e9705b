import type { DatabaseSync } from 'node:sqlite';
import { type Clock, SteeredClock } from '../src/clock.ts';
import { completionUrl } from '../src/domain/access/completion-ticket.ts';
import { periodsOf } from '../src/domain/calendar/exclusion/calendar-source.ts';
import { type Pause, spansOf } from '../src/domain/run/unseen.ts';
import { Engine } from '../src/engine/engine.ts';
import { Throttles } from '../src/engine/fairness/throttles.ts';
import type { EngineObserver } from '../src/engine/observer.ts';
import { LeaseDeadline } from '../src/outbound/lease-deadline.ts';
import { lockOf, PAUSED, PausableEngine } from '../src/pausing.ts';
import type { EngineLock } from '../src/store/contract/engine-lock.ts';
import type { Store } from '../src/store/contract/store.ts';
import { storeOn } from '../src/store/sqlite/open.ts';
import { type Api, type ApiAnswer, COMPLETION_KEY, type Credentials, type Served } from './api.ts';
import { Lives, livingIn } from './lives.ts';
import type { Machine, Owner } from './machine.ts';
import type { Life } from './model/evidence.ts';
import type { Random } from './random.ts';
import type { Leases } from './store/leases.ts';
import type { Pruned } from './store/pruned.ts';
import type { TakenBack } from './store/taken-back.ts';
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
  /**
   * The mark of the lock's file, which outlives a process: nothing was sent after it. Null: it is lost. The process
   * that makes the file goes by none.
   */
  mark: { sentUntil: number | null; isNew: boolean };
  /** Called once, when a process is about to answer a caller. */
  beforeAnswer: (node: Node) => void;
  /** Where nodes share the store; null: each process has it for itself. */
  leases: Leases | null;
  /** What no engine could decide about or build, and why. */
  setAside: string[];
  /** Of the engine; null: more than any world takes. */
  capacity: { maxInFlight: number; maxInFlightPerHost: number } | null;
  /** Whether an API looks up again who calls it (api.ts). */
  looksAgain: boolean;
  /** Where the installation is paused, and how long it waits then for what is in flight; null: it never is. */
  pausing: { stopMs: number } | null;
  /** Where runs are kept for so short a time that some go; null: retention takes none away. */
  pruned: Pruned | null;
  takenBack: TakenBack;
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
  readonly name: string;
  readonly #lives: Lives;
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
  readonly #throttles = new Throttles();
  #clock: Clock;
  #engine: Engine | PausableEngine | null = null;
  #served: Served | null = null;
  #isStopping = false;
  #isGone = false;

  /** @param api its own as long as it lives */
  constructor(around: Surroundings, api: Api, number: number) {
    const { machine, leases } = around;
    this.#around = around;
    this.#api = api;
    const name = `n${number}`;
    const owner = { name, isDead: false };
    this.#owner = owner;
    this.#wire = leases === null ? owner : { name: `${name} wire`, isDead: false };
    this.name = name;
    this.#lives = new Lives(machine, name, () => around.mark.sentUntil === null);
    this.store = this.#storeOf(name);
    this.#clock = {
      now: () => machine.now,
      monotonicMs: () => machine.monotonicMs,
      after: (delayMs, callback) => machine.after(delayMs, callback, owner),
    };
    machine.after(around.processRandom.between(...BOOT_MS), () => void this.#start(), owner);
  }

  get lives(): Life[] {
    return this.#lives.all;
  }

  get isFiring(): boolean {
    return this.#lives.isOn;
  }

  get isUp(): boolean {
    return !this.#isGone && !this.#isStopping;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get isFrozen(): boolean {
    return this.#owner.held != null;
  }

  /** Nothing of it runs for so long, unless it is woken before. */
  freeze(forMs: number): void {
    const { machine } = this.#around;
    if (!this.isUp || this.isFrozen) return;
    machine.freeze(this.#owner, forMs);
    this.#lives.freeze(forMs);
  }

  wakeUp(): void {
    const { machine } = this.#around;
    if (!this.isFrozen) return;
    machine.thaw(this.#owner);
    this.#lives.wakeUp();
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
        if (!this.isUp || this.#served === null) return answered(null);
        const request = { method, url: path, headers, ...payload };
        const answer = async () => {
          const answer = await this.#api.call(credentials, request);
          const { beforeAnswer } = this.#around;
          this.#around.beforeAnswer = () => {};
          beforeAnswer(this);
          answered(this.#isGone ? null : answer);
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
    if (this.#isGone) return;
    // It may have woken within this ms.
    if (!this.isFrozen) this.#lives.wakeUp();
    this.#die();
    this.#lives.kill();
  }

  /** Asks it to stop, and calls back when it has. */
  stop(limitMs: number, stopped: () => void): void {
    const { machine } = this.#around;
    this.#isStopping = true;
    const stopEngine = () =>
      new Promise<void>(resolve => {
        const begin = () =>
          void (this.#engine?.stop(limitMs) ?? Promise.resolve()).then(() => resolve());
        machine.after(0, begin, this.#owner);
      });
    void this.#lives.stopAll(limitMs, async () => {
      await stopEngine();
      if (this.#isGone) return;
      this.#die();
      stopped();
    });
  }

  #die(): void {
    this.#isGone = true;
    this.#owner.isDead = true;
    this.#wire.isDead = true;
    this.#around.network.cutOff(this.#wire);
    this.#api.cutOff();
  }

  #storeOf(name: string): Store {
    const { machine, database, leases, pruned, storeRandom: random, isLost } = this.#around;
    const opened = this.#around.takenBack.watched(storeOn(database, ':memory:'));
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
      const { pausing } = this.#around;
      const madeAt = machine.trueNow;
      const engine = pausing === null ? this.#newEngine(this.#lock()) : this.#pausable(pausing);
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
        if (pausing === null) this.#lives.begin(madeAt);
        const { looksAgain } = this.#around;
        const pausedSince = async () => pausing && this.store.installation.pausedSince();
        this.#served = { store: this.store, engine, clock: this.#clock, looksAgain, pausedSince };
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
    this.#lives.lag(this.#around.machine.now - this.#clock.now());
  }

  #pausable({ stopMs }: { stopMs: number }): PausableEngine {
    const { installation } = this.store;
    const line = (text: string) => this.#around.tell(`${this.name}: ${text}`);
    return new PausableEngine({
      make: (isFirst, pauses) => {
        const engine = this.#newEngine(lockOf(isFirst, this.#lock()), pauses);
        return livingIn(this.#lives, engine, () => this.#around.machine.trueNow);
      },
      pausedSince: () => installation.pausedSince(),
      installation,
      paused: PAUSED,
      stopMs,
      log: { warn: () => {}, error: ({ err }: { err: Error }) => line(err.message) },
    });
  }

  #lock(): EngineLock | null {
    const { mark, leases, machine } = this.#around;
    if (leases !== null) return null;
    // One from before the machine was started says nothing, as with the file.
    const bootAt = machine.now - (machine.trueNow - machine.startedAt);
    const isKnown = !mark.isNew && mark.sentUntil !== null && mark.sentUntil >= bootAt;
    mark.isNew = false;
    return {
      sentUntil: isKnown ? mark.sentUntil : null,
      noteSentUntil: until => {
        mark.sentUntil = until;
      },
      release: () => {},
    };
  }

  #newEngine(lock: EngineLock | null, pauses: Pause[] = []): Engine {
    const { network, processRandom, leases, capacity, pruned } = this.#around;
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
      throttles: this.#throttles,
      observer: this.#observer(),
      ...(capacity ?? { maxInFlight: 1_000, maxInFlightPerHost: 1_000 }),
      retention: pruned?.kept ?? { runsDays: 30, failedRunsDays: 90 },
      unseenSpans: spansOf(pauses),
      ...(leases === null
        ? { lock }
        : { leaseDeadline: new LeaseDeadline(leases.leaseMs * COUNTED_ON) }),
    });
  }

  #observer(): EngineObserver {
    const { tell, setAside } = this.#around;
    const line = (text: string) => tell(`${this.#owner.name}: ${text}`);
    return {
      fired: () => {},
      attemptEnded: () => {},
      runEnded: () => {},
      callbackEnded: () => {},
      passed: () => {},
      settled: () => {},
      storeFailed: error => line(`store failed: ${(error as Error).message}`),
      rowFailed: (id, error) => setAside.push(`${id}: ${(error as Error).message}`),
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
