import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { zonesToHand } from '../../../domain/calendar/zones/zone.ts';
import type { ZoneData } from '../../../domain/calendar/zones/zone-data.ts';
import { PunctualError } from '../../../domain/errors.ts';
import { ENGINE_LEVEL } from '../../../domain/schedule/level.ts';
import type { Store } from '../../contract/store.ts';
import { storeUnavailable } from '../../fault.ts';
import { isSearch } from '../../search-index.ts';
import { hasTags } from '../../tags.ts';
import { openSqlite, type StoreAccess } from '../open.ts';
import { queueClaims } from '../queue-codec.ts';
import { newCells } from '../schedule-codec.ts';
import type { CallFault, CallResult, CallStore, StoreCall } from './protocol.ts';
import { ROUTES, type Route, type StorePart } from './routes.ts';

/**
 * The embedded store with its writes on a thread of their own, so that neither an fsync nor a
 * checkpoint holds up a request. `ROUTES` says which thread each method runs on.
 *
 * @param level of the engine on it (domain/schedule/level.ts)
 * @throws PunctualError `store_newer`, `store_unavailable`
 */
export function openThreaded(path: string, level = ENGINE_LEVEL): Store {
  const here = openSqlite(path, 'read', level);
  const writer = new StoreWorker(path, 'write', level);
  const readers = new Readers(path, level);
  const threadOf = (route: Exclude<Route, 'here' | 'client'>) =>
    route === 'writer' ? writer : readers.of(route);

  /** The methods of a part, each on its thread; those of the route `client` are to be added. */
  function routed<Part extends StorePart>(part: Part): Store[Part] {
    const methods = Object.entries<Route>(ROUTES[part]).map(([method, route]) => {
      if (route === 'here' || route === 'client') return [method, here[part][method as never]];
      const call = (...args: unknown[]) =>
        threadOf(route).call(part as never, method as never, args as never);
      return [method, call];
    });
    return Object.fromEntries(methods) as Store[Part];
  }

  return {
    cluster: null,
    clients: routed('clients'),
    keys: routed('keys'),
    sessions: routed('sessions'),
    schedules: {
      ...routed('schedules'),
      insert(clientRowId, added, ...call) {
        const text = JSON.stringify(added.map(newCells));
        return writer.call('schedules', 'insertText', [clientRowId, text, ...call]);
      },
      list(clientRowId, filter, ...page) {
        const isLong = isSearch(filter) || hasTags(filter) || filter.host !== undefined;
        if (!isLong) return here.schedules.list(clientRowId, filter, ...page);
        return readers.of('searches').call('schedules', 'list', [clientRowId, filter, ...page]);
      },
    },
    versions: routed('versions'),
    runs: routed('runs'),
    queue: {
      ...routed('queue'),
      ...queueClaims({
        claimText: (...args) => writer.call('queue', 'claimText', args),
        settleCells: cells => writer.call('queue', 'settleCells', [cells]),
      }),
    },
    outbox: routed('outbox'),
    completions: routed('completions'),
    stats: routed('stats'),
    health: routed('health'),
    breakers: routed('breakers'),
    dataKeys: routed('dataKeys'),
    installation: routed('installation'),
    suspensions: routed('suspensions'),
    idempotency: routed('idempotency'),
    calendars: routed('calendars'),
    destinations: routed('destinations'),
    zoneRules: routed('zoneRules'),
    size: here.size,
    pool: here.pool,
    async check(writing) {
      await here.check();
      await writer.call('store', 'check', [writing]);
    },
    async close() {
      await readers.close();
      await writer.close();
      await here.close();
    },
  };
}

/** A worker is compiled as this file is. */
const WORKER = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

/** Threads for long reads, each made when it is first asked. */
class Readers {
  readonly #path: string;
  readonly #level: number;
  readonly #threads = new Map<Route, StoreWorker>();

  constructor(path: string, level: number) {
    this.#path = path;
    this.#level = level;
  }

  of(route: Exclude<Route, 'here' | 'writer' | 'client'>): StoreWorker {
    const reader = this.#threads.get(route) ?? new StoreWorker(this.#path, 'scan', this.#level);
    this.#threads.set(route, reader);
    return reader;
  }

  async close(): Promise<void> {
    for (const reader of this.#threads.values()) await reader.close();
  }
}

/** The data that a thread of the store is started with. */
export interface StoreWorkerData {
  path: string;
  access: StoreAccess;
  level: number;
  /** The rules of time zones, so that it counts times as this thread does; null for the built-in ones. */
  zones: ZoneData | null;
}

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

/**
 * The way to the thread. If the thread ends unasked, so does the process, as an uncaught error: what
 * it had claimed would stand in flight for ever, and a new start recovers it.
 */
export class StoreWorker {
  readonly #waiting = new Map<number, Waiting>();
  readonly #worker: Worker;
  #outgoing: StoreCall[] = [];
  #lastId = 0;
  #closed: Promise<void> | null = null;

  constructor(path: string, access: StoreAccess, level = ENGINE_LEVEL) {
    const workerData: StoreWorkerData = { path, access, level, zones: zonesToHand() };
    this.#worker = new Worker(WORKER, { workerData });
    this.#worker.on('message', (answers: CallResult[]) => {
      for (const answer of answers) this.#answered(answer);
    });
  }

  /** Calls of one turn of the event loop travel together. */
  readonly call: CallStore = (part, method, args) => {
    if (this.#closed) return Promise.reject(storeUnavailable(new Error('closed')));
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      if (this.#outgoing.length === 0) setImmediate(() => this.#post());
      // The compiler does not follow that the part, the method and the arguments belong together; `CallStore` does.
      this.#outgoing.push([id, part, method, args] as unknown as StoreCall);
    });
  };

  /** Waits for the calls before it. Idempotent. */
  close(): Promise<void> {
    const ended = this.#closed ?? this.call('store', 'close', []).then(() => this.#end());
    this.#closed = ended;
    return ended;
  }

  async #end(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(): void {
    this.#worker.postMessage(this.#outgoing);
    this.#outgoing = [];
  }

  #answered([id, fault, answer]: CallResult): void {
    const call = this.#waiting.get(id);
    if (call === undefined) return;
    this.#waiting.delete(id);
    if (fault === null) call.resolve(answer as never);
    else call.reject(errorOf(fault));
  }
}

function errorOf({ code, message, cause }: CallFault): Error {
  const options = cause === undefined ? {} : { cause: new Error(cause) };
  return code === null ? new Error(message, options) : new PunctualError(code, message, options);
}
