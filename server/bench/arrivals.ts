import { type FileHandle, open } from 'node:fs/promises';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/**
 * Arrivals: what the target says it received, and when. Lateness is taken from here and not from
 * Punctual's own history: a request counts from the moment at which somebody has it.
 */

/** A line of the target's log: epoch seconds to the ms, the schedule (group and number), `Punctual-Scheduled-For`. */
const ARRIVAL = /^(\d+\.\d{3}) ([a-z])(\d+) (\S+)$/;

const CHUNK_BYTES = 1 << 20;

/** The firings expected of one group: one of each schedule in each period of the window. */
export interface Expected {
  schedules: number;
  /** The first nominal time that counts, epoch ms. */
  from: number;
  periodMs: number;
  periods: number;
}

export interface Counted {
  expected: number;
  arrived: number;
  lost: number;
  /** Arrivals beyond the first of a nominal time. */
  twice: number;
  /** Arrived before their nominal time. */
  early: number;
}

/**
 * Counts the arrivals of a window, each firing by itself: one bit for each, so that a million schedules
 * over ten minutes take about a MB.
 */
export class Ledger {
  readonly #expected: Expected;
  readonly #seen: Uint8Array;
  /** In ms, and 1 more: it knows no 0. */
  readonly #lateness: RecordableHistogram = createHistogram({ highest: 86_400_000, figures: 3 });
  #arrived = 0;
  #twice = 0;
  #early = 0;
  lastAt = 0;

  constructor(expected: Expected) {
    this.#expected = expected;
    this.#seen = new Uint8Array(Math.ceil((expected.schedules * expected.periods) / 8));
  }

  note(schedule: number, scheduledFor: number, arrivedAt: number): void {
    const { from, periodMs, periods } = this.#expected;
    const period = Math.floor((scheduledFor - from) / periodMs);
    if (period < 0 || period >= periods) return;
    const bit = schedule * periods + period;
    const mask = 1 << (bit & 7);
    if (this.#seen[bit >> 3]! & mask) {
      this.#twice += 1;
      return;
    }
    this.#seen[bit >> 3]! |= mask;
    this.#arrived += 1;
    this.lastAt = Math.max(this.lastAt, arrivedAt);
    if (arrivedAt < scheduledFor) this.#early += 1;
    this.#lateness.record(Math.max(0, arrivedAt - scheduledFor) + 1);
  }

  get isComplete(): boolean {
    return this.#arrived === this.#expected.schedules * this.#expected.periods;
  }

  get counted(): Counted {
    const expected = this.#expected.schedules * this.#expected.periods;
    const arrived = this.#arrived;
    return { expected, arrived, lost: expected - arrived, twice: this.#twice, early: this.#early };
  }

  /** Lateness in ms that this share of the arrivals, 0 to 1, did not exceed; NaN where there were none. */
  latenessMs(share: number): number {
    if (this.#arrived === 0) return Number.NaN;
    return (share === 0 ? this.#lateness.min : this.#lateness.percentile(share * 100)) - 1;
  }
}

/** Follows the log of a target. `read` reads the new lines. */
export class Arrivals {
  readonly #file: FileHandle;
  readonly #ledgers = new Map<string, Ledger>();
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  /** Many arrivals have the same nominal time. */
  #nominal = { text: '', at: 0 };
  #rest = '';
  #size = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async of({ log }: { log: string }): Promise<Arrivals> {
    return new Arrivals(await open(log, 'a+'));
  }

  /** From here on the arrivals of `group`, a letter, are counted by a new ledger. */
  async expect(group: string, expected: Expected): Promise<Ledger> {
    await this.read();
    const ledger = new Ledger(expected);
    this.#ledgers.set(group, ledger);
    return ledger;
  }

  /** Whether nothing arrived since this was asked before: reading beside a burst would slow it down. */
  async isStill(): Promise<boolean> {
    const { size } = await this.#file.stat();
    const isStill = size === this.#size;
    this.#size = size;
    return isStill;
  }

  async read(): Promise<void> {
    for (;;) {
      const { bytesRead } = await this.#file.read(this.#chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      const lines = (this.#rest + this.#chunk.toString('latin1', 0, bytesRead)).split('\n');
      this.#rest = lines.pop()!;
      for (const line of lines) this.#note(line);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #note(line: string): void {
    const match = ARRIVAL.exec(line);
    if (match === null) return;
    const [, seconds, group, schedule, scheduledFor] = match as unknown as string[];
    if (this.#nominal.text !== scheduledFor) {
      this.#nominal = { text: scheduledFor!, at: Date.parse(scheduledFor!) };
    }
    const arrivedAt = Math.round(Number(seconds) * 1_000);
    this.#ledgers.get(group!)?.note(Number(schedule), this.#nominal.at, arrivedAt);
  }
}
