import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../src/clock.ts';
import { completionUrl } from '../src/domain/access/completion-ticket.ts';
import { periodsOf } from '../src/domain/calendar/exclusion/calendar-source.ts';
import { Engine } from '../src/engine/engine.ts';
import type { EngineObserver } from '../src/engine/observer.ts';
import type { Store } from '../src/store/contract/store.ts';
import { storeOn } from '../src/store/sqlite/open.ts';
import { type Api, type ApiAnswer, COMPLETION_KEY, type Credentials } from './api.ts';
import type { Machine, Owner } from './machine.ts';
import type { Life } from './model/evidence.ts';
import type { Random } from './random.ts';
import { type StoreFaults, storeThrough } from './store/way.ts';
import type { Network } from './wire/network.ts';

/** All that the processes of a world share. */
export interface Surroundings {
  machine: Machine;
  network: Network;
  api: Api;
  credentials: Credentials;
  database: DatabaseSync;
  faults: StoreFaults;
  /** Of the way to the store, and of the processes. */
  storeRandom: Random;
  processRandom: Random;
  /** The mark of the lock's file, which outlives a process: nothing was sent after it. */
  mark: { sentUntil: number };
  /** Called once, when a process is about to answer a caller. */
  beforeAnswer: () => void;
  tell(line: string): void;
}

/** A request of a caller. */
export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  /** Of its `Idempotency-Key`; the same where it is asked again. Absent: there is none. */
  key?: string;
  body?: object | undefined;
}

const PUBLIC_URL = 'https://punctual.example';

/** What a start takes before the engine begins. */
const BOOT_MS: [number, number] = [50, 400];
/** Between two tries, while the store is away. */
const RETRY_START_MS = 500;

/** One process of the service: its engine on the store, from its start to its death. */
export class Node {
  readonly life: Life;
  readonly store: Store;
  /** When its engine said that the clock was stepped, epoch ms by the world's time. */
  readonly toldSteps: number[] = [];
  readonly #around: Surroundings;
  readonly #owner: Owner;
  readonly #clock: Clock;
  #engine: Engine | null = null;
  #isStopping = false;

  constructor(around: Surroundings, number: number) {
    const { machine, database, faults, storeRandom: random } = around;
    this.#around = around;
    const owner = { name: `n${number}`, isDead: false };
    this.#owner = owner;
    this.life = { spawnedAt: machine.trueNow, readyAt: null, end: null };
    this.store = storeThrough(storeOn(database, ':memory:'), { machine, owner, faults, random });
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

  /**
   * A request of a caller arrives after `wayMs`.
   *
   * @param answered is told null at once where nobody listens, and where the process dies before it has answered
   */
  call(
    { method, path, key, body }: Call,
    wayMs: number,
    answered: (answer: ApiAnswer | null) => void,
  ): void {
    const { machine, api, credentials } = this.#around;
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const payload = body && { payload: body };
    machine.after(
      wayMs,
      () => {
        if (!this.isUp || this.life.readyAt === null) return answered(null);
        const request = { method, url: path, headers, ...payload };
        const answer = async () => {
          const answer = await api.call(credentials, request);
          const { beforeAnswer } = this.#around;
          this.#around.beforeAnswer = () => {};
          beforeAnswer();
          answered(this.life.end === null ? answer : null);
        };
        const serve = () => void answer();
        machine.after(0, serve, this.#owner);
      },
      machine.world,
    );
  }

  kill(): void {
    const { trueNow } = this.#around.machine;
    if (this.life.end !== null) return;
    this.#die();
    this.life.end = { how: 'killed', from: trueNow, to: trueNow };
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
    const { network, api } = this.#around;
    this.#owner.isDead = true;
    network.cutOff(this.#owner);
    api.cutOff();
  }

  async #start(): Promise<void> {
    const { machine, tell } = this.#around;
    while (!this.#isStopping) {
      const engine = this.#newEngine();
      this.#engine = engine;
      try {
        await engine.start();
        // It looks at its schedules within this ms.
        this.life.readyAt = machine.trueNow + 1;
        this.#around.api.serve({ store: this.store, engine, clock: this.#clock });
        return;
      } catch (error) {
        tell(`${this.#owner.name} does not start: ${(error as Error).message}`);
        await engine.stop(0);
        await machine.sleep(RETRY_START_MS, this.#owner);
      }
    }
  }

  #newEngine(): Engine {
    const { network, processRandom, mark } = this.#around;
    return new Engine({
      store: this.store,
      completionUrl: ticket => completionUrl(PUBLIC_URL, ticket, COMPLETION_KEY),
      send: network.sendFor(this.#owner),
      fetchText: () => Promise.reject(new Error('There is nothing.')),
      expand: periodsOf,
      clock: this.#clock,
      random: () => processRandom.next(),
      observer: this.#observer(),
      maxInFlight: 1_000,
      maxInFlightPerHost: 1_000,
      retention: { runsDays: 30, failedRunsDays: 90 },
      lock: {
        sentUntil: mark.sentUntil,
        noteSentUntil: until => {
          mark.sentUntil = until;
        },
      },
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
