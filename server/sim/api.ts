import { hash } from 'node:crypto';
import type { FastifyInstance, InjectOptions } from 'fastify';
import pino from 'pino';
import { buildApi } from '../src/api/app.ts';
import type { CalendarPort, EnginePort } from '../src/api/deps.ts';
import type { Clock } from '../src/clock.ts';
import { periodsOf } from '../src/domain/calendar/exclusion/calendar-source.ts';
import { newId } from '../src/domain/id.ts';
import { CalendarReader } from '../src/engine/calendar-reader.ts';
import type { Store } from '../src/store/contract/store.ts';
import { machineThatPlays } from './machine.ts';

/** What the API is to a process: it has these of its own. */
export interface Served {
  store: Store;
  engine: EnginePort;
  clock: Clock;
  /** Whether a caller who was let in is looked up again in time: it may have been suspended since. */
  looksAgain: boolean;
  pausedSince: () => Promise<number | null>;
}

export interface ApiAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was answered
  body: any;
  etag?: string;
}

/** Who calls. No two worlds have the same one: the API remembers its callers. */
export interface Credentials {
  clientId: string;
  apiKey: string;
  clientRowId: number;
}

/** It proves the urls of completions. */
export const COMPLETION_KEY = Buffer.alloc(32, 7);

export const SIGNING_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

type Part = Record<string, (...parameters: unknown[]) => Promise<unknown>>;

/**
 * The API without its socket. To build it takes longer than to play a world, so one serves all processes in turn. It has nothing
 * of a process but its callers: store, engine and clock are those of the process that it serves.
 */
export class Api {
  readonly #app: FastifyInstance;
  #served: Served | null = null;
  /** What waits for the store. */
  readonly #waiting = new Set<(error: Error) => void>();
  /** Callers that wait for an answer. */
  readonly #calls = new Set<() => void>();

  private constructor() {
    this.#app = buildApi({
      store: this.#store(),
      engine: this.#engine(),
      clock: {
        now: () => this.#process.clock.now(),
        monotonicMs: () => (this.#process.looksAgain ? this.#process.clock.monotonicMs() : 0),
        after: (delayMs, callback) => this.#process.clock.after(delayMs, callback),
      },
      allow: { everything: true, networks: [], hosts: new Set() },
      log: pino({ enabled: false }),
      tryOut: notPlayed,
      showRequest: notPlayed,
      showSent: notPlayed,
      calendarPort: this.#calendars(),
      completionKey: async () => COMPLETION_KEY,
      isEncrypting: false,
      keepRunsDays: 30,
      readiness: async () => ({}),
      pausedSince: () => this.#process.pausedSince(),
      metricsText: notPlayed,
    });
  }

  static async ready(): Promise<Api> {
    const api = new Api();
    await api.#app.ready();
    return api;
  }

  serve(served: Served): void {
    this.#served = served;
  }

  /** The process has died: what was under way in it ends, and nobody is answered. */
  cutOff(): void {
    this.#served = null;
    const error = new Error('The process has died.');
    for (const call of this.#calls) call();
    for (const reject of this.#waiting) reject(error);
    this.#calls.clear();
    this.#waiting.clear();
  }

  /** @returns null where the process died before it answered */
  call(
    { clientId, apiKey }: Credentials,
    { headers = {}, ...options }: InjectOptions,
  ): Promise<ApiAnswer | null> {
    const machine = machineThatPlays()!;
    machine.holdOn();
    return new Promise((resolve, reject) => {
      const cutOff = () => resolve(null);
      this.#calls.add(cutOff);
      const all = { ...headers, clientid: clientId, apikey: apiKey };
      this.#app
        .inject({ ...options, headers: all })
        .finally(() => {
          machine.goOn();
          this.#calls.delete(cutOff);
        })
        .then(({ statusCode: status, body, headers: { etag } }) => {
          const parsed = body === '' ? undefined : JSON.parse(body);
          resolve({ status, body: parsed, ...(typeof etag === 'string' && { etag }) });
        }, reject);
    });
  }

  get #process(): Served {
    if (this.#served === null) throw new Error('The process has died.');
    return this.#served;
  }

  #calendars(): CalendarPort {
    const reader = () =>
      new CalendarReader({
        ...this.#process,
        calendars: this.#store().calendars,
        fetchText: notPlayed,
        expand: periodsOf,
      });
    return {
      put: (...parameters) => reader().put(...parameters),
      refresh: (...parameters) => reader().refresh(...parameters),
    };
  }

  #engine(): EnginePort {
    const engine = (): EnginePort => this.#process.engine;
    return {
      get hasStarted() {
        return engine().hasStarted;
      },
      wake: dueAt => engine().wake(dueAt),
      changed: (scheduleId, changedAt) => engine().changed(scheduleId, changedAt),
      wakeOutbox: scheduleId => engine().wakeOutbox(scheduleId),
      rotated: clientRowId => engine().rotated(clientRowId),
      calendarsChanged: () => engine().calendarsChanged(),
    };
  }

  #store(): Store {
    const part = (name: string | symbol) =>
      new Proxy({} as Part, {
        get:
          (_, method: string) =>
          (...parameters: unknown[]) =>
            new Promise((resolve, reject) => {
              this.#waiting.add(reject);
              const parts = this.#process.store as unknown as Record<string | symbol, Part>;
              parts[name]![method]!(...parameters)
                .finally(() => this.#waiting.delete(reject))
                .then(resolve, reject);
            }),
      });
    const parts = new Map<string | symbol, Part>();
    return new Proxy({} as Store, {
      get: (_, name) => {
        if (name === 'cluster') return null;
        if (!parts.has(name)) parts.set(name, part(name));
        return parts.get(name);
      },
    });
  }
}

/** @param store as the world itself looks at it */
export async function newCredentials({ clients, keys }: Store, now: number): Promise<Credentials> {
  made += 1;
  const apiKey = `pk_${made}`;
  const keyHash = hash('sha256', apiKey, 'hex');
  const clientId = newId(now);
  await clients.insertClient({
    ...{ id: clientId, name: 'sim', createdAt: now },
    signingSecret: SIGNING_SECRET,
  });
  await keys.insertKey({ id: newId(now), clientId, hash: keyHash, createdAt: now });
  const { clientRowId } = (await keys.findCaller(keyHash))!;
  return { clientId, apiKey, clientRowId };
}

let made = 0;

function notPlayed(): never {
  throw new Error('This is not played.');
}
