import { changesOf, type PosixRule, parsePosixRule } from './posix-rule.ts';

/**
 * The rules of one time zone, as a compiled file of the IANA database has them (TZif, RFC 9636):
 * a list of changes, and a rule for the years after it.
 */
export interface ZoneRules {
  /** When the offset changes: epoch ms, ascending. */
  readonly startsAt: readonly number[];
  /** The offset before the first change, then that from each change on. */
  readonly offsetsMs: readonly number[];
  /** Changes after `tailFrom`, as far as the years go. */
  readonly tail: PosixRule | null;
  readonly tailFrom: number;
}

/**
 * Reads versions 2 to 4. Version 1 ends in 2038; files whose instants count leap seconds are none
 * that a clock goes by.
 *
 * @returns the rules, or one part of a sentence on what is wrong: "it ends too early"
 */
export function readTzif(bytes: Uint8Array): ZoneRules | string {
  try {
    return new Reader(bytes).rules();
  } catch (error) {
    if (error instanceof Broken) return error.message;
    throw error;
  }
}

export function isTzif(bytes: Uint8Array): boolean {
  return [...MAGIC].every((letter, index) => bytes[index] === letter.charCodeAt(0));
}

const MAGIC = 'TZif';
const HEADER_BYTES = 44;
/** No file of the database has a tenth of it; what is broken must not take long. */
const MOST_CHANGES = 10_000;
/** RFC 9636, 3.2: an offset should lie between -25 and 26 hours. */
const MOST_OFFSET_SECONDS = 26 * 3_600;
/** The range of a `Date`. Files may begin with the Big Bang. */
const MOST_SECONDS = 8_640_000_000_000;

class Broken extends Error {}

interface Counts {
  /** Bytes of one instant. */
  timeBytes: number;
  utIndicators: number;
  standardIndicators: number;
  leapSeconds: number;
  times: number;
  types: number;
  characters: number;
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  rules(): ZoneRules {
    // The first block is for readers that know version 1 alone.
    this.#skip(sizeOf(this.#header(4)));
    const counts = this.#header(8);
    if (counts.leapSeconds > 0) throw new Broken('it counts leap seconds');
    const times = this.#times(counts.times);
    const indexes = times.map(() => this.#bytes[this.#skip(1)]!);
    const offsets = this.#offsets(counts.types);
    if (indexes.some(index => index >= offsets.length)) throw new Broken('it names no such offset');
    this.#skip(counts.characters + counts.standardIndicators + counts.utIndicators);
    const steps = indexes.map(index => offsets[index]!);
    return withTail(lastingChanges(times, [offsets[0]!, ...steps]), times, this.#footer());
  }

  #header(timeBytes: number): Counts {
    const start = this.#skip(HEADER_BYTES);
    if (!isTzif(this.#bytes.subarray(start))) throw new Broken('it is no TZif file');
    if (this.#bytes[start + 4]! < VERSION_2) throw new Broken('it is of version 1');
    const count = (index: number) => this.#view.getUint32(start + 20 + index * 4);
    const [utIndicators, standardIndicators, leapSeconds] = [count(0), count(1), count(2)];
    const [times, types, characters] = [count(3), count(4), count(5)];
    if (times > MOST_CHANGES) throw new Broken('it has too many changes');
    return {
      timeBytes,
      utIndicators,
      standardIndicators,
      leapSeconds,
      times,
      types,
      characters,
    };
  }

  /** @returns where the skipped bytes begin */
  #skip(bytes: number): number {
    const start = this.#place;
    this.#place += bytes;
    if (this.#place > this.#bytes.length) throw new Broken('it ends too early');
    return start;
  }

  #times(count: number): number[] {
    const times: number[] = [];
    for (let left = count; left > 0; left -= 1) {
      const seconds = Number(this.#view.getBigInt64(this.#skip(8)));
      if (seconds <= (times.at(-1) ?? Number.NEGATIVE_INFINITY)) {
        throw new Broken('its changes are not in order');
      }
      times.push(seconds);
    }
    return times;
  }

  #offsets(count: number): number[] {
    if (count === 0) throw new Broken('it has no offset');
    const offsets: number[] = [];
    for (let left = count; left > 0; left -= 1) {
      const seconds = this.#view.getInt32(this.#skip(6));
      if (Math.abs(seconds) > MOST_OFFSET_SECONDS) throw new Broken('an offset is too large');
      offsets.push(seconds);
    }
    return offsets;
  }

  #footer(): string {
    if (this.#bytes[this.#skip(1)] !== LINE_FEED) throw new Broken('its last line is missing');
    const end = this.#bytes.indexOf(LINE_FEED, this.#place);
    if (end === -1) throw new Broken('it ends too early');
    return String.fromCharCode(...this.#bytes.subarray(this.#place, end));
  }
}

const VERSION_2 = '2'.charCodeAt(0);
const LINE_FEED = 10;

function sizeOf(counts: Counts): number {
  const { timeBytes, utIndicators, standardIndicators, leapSeconds, times, types } = counts;
  const indicators = utIndicators + standardIndicators;
  return (
    times * (timeBytes + 1) +
    types * 6 +
    counts.characters +
    leapSeconds * (timeBytes + 4) +
    indicators
  );
}

/** Without those that change the name of the zone's time alone, and those before all that counts. */
function lastingChanges(
  times: number[],
  offsets: number[],
): Pick<ZoneRules, 'startsAt' | 'offsetsMs'> {
  const startsAt: number[] = [];
  const offsetsMs = [offsets[0]! * 1_000];
  for (const [index, seconds] of times.entries()) {
    const offsetMs = offsets[index + 1]! * 1_000;
    if (seconds < -MOST_SECONDS) offsetsMs[0] = offsetMs;
    else if (seconds <= MOST_SECONDS && offsetMs !== offsetsMs.at(-1)) {
      startsAt.push(seconds * 1_000);
      offsetsMs.push(offsetMs);
    }
  }
  return { startsAt, offsetsMs };
}

function withTail(
  listed: Pick<ZoneRules, 'startsAt' | 'offsetsMs'>,
  times: number[],
  footer: string,
): ZoneRules {
  const tailFrom = (times.at(-1) ?? Number.NEGATIVE_INFINITY) * 1_000;
  if (footer === '') return { ...listed, tail: null, tailFrom };
  const tail = parsePosixRule(footer);
  if (tail === null) throw new Broken('its last line is no rule');
  const rules = { ...listed, tail, tailFrom };
  if (!isConsistent(rules)) throw new Broken('its last line contradicts its changes');
  return rules;
}

/** RFC 9636, 3.3: the rule gives the offset of the last change. */
function isConsistent({ offsetsMs, tail, tailFrom }: ZoneRules): boolean {
  if (tail === null) return true;
  if (tail.changes.length === 0) return tail.offsetMs === offsetsMs.at(-1);
  if (!Number.isFinite(tailFrom)) return true;
  const year = new Date(tailFrom).getUTCFullYear();
  return (
    changesOf(tail, year - 1, year + 1).findLast(({ at }) => at <= tailFrom)?.offsetMs ===
    offsetsMs.at(-1)
  );
}
