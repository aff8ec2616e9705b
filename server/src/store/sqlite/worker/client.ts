import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { zoneData } from '../../../domain/calendar/zones/zone.ts';
import { BUILT_IN, type ZoneData } from '../../../domain/calendar/zones/zone-data.ts';
import { PunctualError } from '../../../domain/errors.ts';
import type { ListedSchedules } from '../../contract/schedules.ts';
import type { StatsStore } from '../../contract/stats.ts';
import type { Store } from '../../contract/store.ts';
import { storeUnavailable } from '../../fault.ts';
import { isSearch } from '../../search-index.ts';
import { openSqlite } from '../open.ts';
import { queueClaims } from '../queue-codec.ts';
import { newCells } from '../schedule-codec.ts';
import type { CallFault, CallResult, StoreCall } from './protocol.ts';

/**
 * The embedded store with its writes on a thread of their own, so that neither an fsync nor a
 * checkpoint holds up a request. Reads stay in the caller's thread, on a connection of their own:
 * in WAL mode they see every acknowledged write and wait for none.
 *
 * @throws PunctualError `store_newer`, `store_unavailable`
 */
export function openThreaded(path: string): Store {
  const {
    clients,
    schedules,
    runs,
    queue,
    outbox,
    stats,
    breakers,
    dataKeys,
    installation,
    suspensions,
    ...reader
  } = openSqlite(path);
  const writer = new StoreWorker(path);
  const readers = new Readers(path);
  /** The room as it is here, but for the methods that write. */
  const writing = <Room extends object>(
    room: StoreCall[1],
    here: Room,
    ...methods: (keyof Room & string)[]
  ): Room => {
    const there = methods.map(method => [
      method,
      (...args: unknown[]) => writer.call(room, method, args),
    ]);
    return { ...here, ...Object.fromEntries(there) };
  };
  return {
    cluster: null,
    runs: writing('runs', runs, 'prune'),
    clients: writing(
      'clients',
      clients,
      'insertClient',
      'rotateSecret',
      'endOverlap',
      'rename',
      'suspend',
      'resume',
      'delete',
      'forgetOldSecrets',
      'replaceSecret',
      'insertKey',
      'revokeKey',
      'insertSession',
      'noteSessionUse',
      'endSessions',
    ),
    schedules: {
      ...writing('schedules', schedules, 'update'),
      async insert(clientRowId, added) {
        const cells = JSON.stringify(added.map(newCells));
        await writer.call('schedules', 'insertCells', [clientRowId, cells]);
      },
      list(clientRowId, filter, ...page) {
        if (!isSearch(filter)) return schedules.list(clientRowId, filter, ...page);
        const asked = [clientRowId, filter, ...page];
        return readers.call('searches', 'schedules', 'list', asked) as Promise<ListedSchedules>;
      },
    },
    queue: {
      ...writing('queue', queue, 'recover', 'resend', 'recount', 'cutMissed'),
      ...queueClaims({
        claimText: (...args) => writer.call('queue', 'claimText', args) as Promise<string>,
        settleCells: cells => writer.call('queue', 'settleCells', [cells]) as Promise<number[]>,
      }),
    },
    outbox: writing('outbox', outbox, 'insertManual', 'claim', 'settle', 'recover', 'recount'),
    breakers: writing('breakers', breakers, 'note', 'closeForgotten'),
    dataKeys: writing('dataKeys', dataKeys, 'insert', 'rewrap'),
    installation: writing('installation', installation, 'pause', 'resume', 'notePause'),
    suspensions: writing('suspensions', suspensions, 'putOff', 'putOffEntries', 'readmit'),
    stats: counting(stats, (method, args) =>
      readers.call(OF_SCHEDULES.has(method) ? 'schedules' : 'figures', 'stats', method, args),
    ),
    size: reader.size,
    pool: reader.pool,
    async check(writing) {
      await reader.check();
      await writer.call(null, 'check', [writing]);
    },
    async close() {
      await readers.close();
      await writer.close();
      await reader.close();
    },
  };
}

/** A worker is compiled as this file is. */
const WORKER = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

/** Figures for which all schedules of a client are counted. */
const OF_SCHEDULES: ReadonlySet<string> = new Set<keyof StatsStore>([
  'groups',
  'counts',
  'allCounts',
]);

function counting(
  stats: StatsStore,
  call: (method: string, args: unknown[]) => Promise<unknown>,
): StatsStore {
  const methods = Object.keys(stats).map(method => [
    method,
    (...args: unknown[]) => call(method, args),
  ]);
  return Object.fromEntries(methods) as StatsStore;
}

/** What is read from end to end is not read again from a cache. */
const READER_CACHE_KB = 8 * 1024;

/**
 * Whatever reads a million rows takes a while: on a thread of its own, made when first asked. There are
 * several, so that who searches does not wait for who counts.
 */
class Readers {
  readonly #path: string;
  readonly #threads = new Map<string, StoreWorker>();

  constructor(path: string) {
    this.#path = path;
  }

  call(
    thread: 'searches' | 'schedules' | 'figures',
    room: StoreCall[1],
    method: string,
    args: unknown[],
  ): Promise<unknown> {
    const reader = this.#threads.get(thread) ?? new StoreWorker(this.#path, READER_CACHE_KB);
    this.#threads.set(thread, reader);
    return reader.call(room, method, args);
  }

  async close(): Promise<void> {
    for (const reader of this.#threads.values()) await reader.close();
  }
}

/** What a thread of the store is told. */
export interface StoreWorkerData {
  path: string;
  cacheKb: number | undefined;
  /** What it counts times with, so that it counts as this thread does; null: with what is built in. */
  zones: ZoneData | null;
}

function zonesToHand(): ZoneData | null {
  return zoneData() === BUILT_IN ? null : zoneData();
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

  /** @param cacheKb as in `openSqlite` */
  constructor(path: string, cacheKb?: number) {
    const workerData: StoreWorkerData = { path, cacheKb, zones: zonesToHand() };
    this.#worker = new Worker(WORKER, { workerData });
    this.#worker.on('message', (answers: CallResult[]) => {
      for (const answer of answers) this.#answered(answer);
    });
  }

  /** Calls of one turn of the event loop travel together. */
  call(room: StoreCall[1], method: string, args: unknown[]): Promise<unknown> {
    if (this.#closed) return Promise.reject(storeUnavailable(new Error('closed')));
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      if (this.#outgoing.length === 0) setImmediate(() => this.#post());
      this.#outgoing.push([id, room, method, args]);
    });
  }

  /** Waits for the calls before it. Idempotent. */
  close(): Promise<void> {
    const ended = this.#closed ?? this.call(null, 'close', []).then(() => this.#end());
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

  #answered([id, value, fault]: CallResult): void {
    const call = this.#waiting.get(id);
    if (call === undefined) return;
    this.#waiting.delete(id);
    if (fault === undefined) call.resolve(value as never);
    else call.reject(errorOf(fault));
  }
}

function errorOf({ code, message, cause }: CallFault): Error {
  const options = cause === undefined ? {} : { cause: new Error(cause) };
  return code === null ? new Error(message, options) : new PunctualError(code, message, options);
}
