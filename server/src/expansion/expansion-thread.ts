import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type CalendarSource, periodsOf } from '../domain/calendar/exclusion/calendar-source.ts';
import type { Period } from '../domain/calendar/exclusion/period.ts';
import { zonesToHand } from '../domain/calendar/zones/zone.ts';
import { PunctualError } from '../domain/errors.ts';
import type { ExpansionCall, ExpansionResult, ExpansionWorkerData } from './expansion-worker.ts';

/** A worker is compiled as this file is. */
const WORKER = new URL(`./expansion-worker${extname(import.meta.filename)}`, import.meta.url);

/**
 * Expands calendars on a thread of its own: a text of its client's choice may take 200 ms, and no firing waits for it. The
 * thread starts with the first text, since most services never read one. Periods that were given need none.
 */
export class ExpansionThread {
  readonly #waiting = new Map<number, PromiseWithResolvers<Period[]>>();
  #worker: Worker | null = null;
  #lastId = 0;
  #isClosed = false;

  /**
   * @param now epoch ms
   * @throws PunctualError `calendar_invalid`
   */
  readonly expand = (source: CalendarSource, now: number): Promise<Period[]> => {
    if (source.kind === 'periods') return periodsOf(source, now);
    if (this.#isClosed) return Promise.reject(new Error('The thread that expands is closed.'));
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<Period[]>();
    this.#waiting.set(id, waiting);
    this.#worker ??= this.#start();
    this.#worker.postMessage([id, source, now] satisfies ExpansionCall);
    return waiting.promise;
  };

  /** Ends what is under way with an error. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end(new Error('The service stopped before the calendar was expanded.'));
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const workerData: ExpansionWorkerData = { zones: zonesToHand() };
    const worker = new Worker(WORKER, { workerData });
    worker.on('message', (result: ExpansionResult) => this.#answered(result));
    // The next text starts a new one.
    worker.on('error', error => {
      this.#worker = null;
      this.#end(error);
    });
    return worker;
  }

  #answered([id, periods, fault]: ExpansionResult): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    if (periods !== null) waiting.resolve(periods);
    else if (fault?.code != null) waiting.reject(new PunctualError(fault.code, fault.message));
    else waiting.reject(new Error(fault?.message));
  }

  #end(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
