import { randomInt, randomUUID } from 'node:crypto';

/** UUID version 7 (RFC 9562): ids sort by the instant they carry. */

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function isId(text: string): boolean {
  return UUID_V7.test(text);
}

/**
 * A new id that carries `now` (epoch ms). Those made in one millisecond sort in the order they were
 * made, a million at least, so that a list keeps their order.
 *
 * Behind the instant stands a counter of this process, and then 48 random bits (RFC 9562, 6.2). The
 * counter goes on from one millisecond to the next: both stores have an index of what stands behind
 * the instant (`tailOf`), and new schedules are to be neighbours in it. With random bits there, each
 * one dirtied a page of its own, and each page went through the log.
 */
export function newId(now: number): string {
  // Node draws randomness for many of these at once: 0.1 µs instead of 3 for a few bytes.
  const random = randomUUID();
  const room = now === lastInstant ? 1 : A_MILLION;
  counter = counter + room < COUNTER_END ? counter + 1 : randomInt(COUNTER_END / 2);
  if (now !== lastInstant) lastHead = headOf(now);
  lastInstant = now;
  const version = (0x7000 | (counter >>> 14)).toString(16);
  const variant = (0x8000 | (counter & 0x3fff)).toString(16);
  return `${lastHead}${version}-${variant}-${random.slice(24)}`;
}

/** Twelve bits behind the version, fourteen behind the variant. */
const COUNTER_END = 2 ** 26;
const A_MILLION = 2 ** 20;
let counter = COUNTER_END;
let lastInstant = Number.NaN;
let lastHead = '';

/** Has the ids that follow count from `at` on, 0 to below 2 ** 26: the same ids again where the random bits are. */
export function startCounter(at: number): void {
  counter = at;
  lastInstant = Number.NaN;
}

/**
 * The identity of a run: schedule and nominal time, nothing else. So the same run has the same id
 * on every node and in every attempt. It is the schedule's id with `scheduledFor` in the place of
 * its instant. The rest of the id (`tailOf`) leads back to the schedule, so history needs no index
 * of ids (docs/decisions/0002-run-ids.md).
 */
export function runId(scheduleId: string, scheduledFor: number): string {
  if (scheduledFor !== headInstant) {
    head = headOf(scheduledFor);
    headInstant = scheduledFor;
  }
  return head + tailOf(scheduleId);
}

/** The last one is remembered: the firings of one nominal time all begin with it. */
let headInstant = Number.NaN;
let head = '';

/** The instant as an id begins with it. */
function headOf(instant: number): string {
  const time = instant.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-`;
}

/** The part of an id behind its instant: version, counter and random bits. */
export function tailOf(id: string): string {
  return id.slice(14);
}

/** The epoch ms that an id carries. */
export function instantOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The lowest id that carries `instant`: what `from` and `to` of a list compare with. */
export function lowestIdAt(instant: number): string {
  return `${headOf(instant)}7000-8000-000000000000`;
}
