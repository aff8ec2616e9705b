import type { Evidence } from './model/evidence.ts';
import { iso } from './model/rules/view.ts';
import type { Profile } from './profile.ts';

/** What happened to the schedule of a failure: what the trace says of it and of processes, and its requests and runs. */

export interface Told {
  profile: Profile;
  /** What happened, in its order. */
  trace: string[];
  /** The labels of schedules by their ids. */
  names: Map<string, string>;
  /** By the world's time, epoch ms: the trace counts from then. */
  startedAt: number;
  evidence: Evidence;
}

const MOST_EVENTS = 20;
/** What comes so long after the last instant of a sentence may explain it. */
const AFTER_MS = 1_000;
const ID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g;
const LINE = /^ *(\d+\.\d+) {2}(.*)$/;
/** What is no schedule's alone, and may concern any. */
const OF_ALL =
  /^(?:start|stop|kill|freeze|pause|resume|suspend|suspended|rotate|delete|calendar|limits|store|answers|heal|the|n\d+: took)\b/;

/** An event, ms since the start of the world. */
interface Event {
  at: number;
  line: string;
}

/** A sentence of a rule, with the names of the trace instead of the ids of schedules. */
export function withNames(sentence: string, names: Told['names']): string {
  return sentence.replace(ID, id => names.get(id) ?? id);
}

/**
 * The last events until the instants of a sentence, as lines of a trace.
 *
 * @param sentence of a rule, as it told it
 * @returns none where it names no schedule, run or callback
 */
export function storyOf(told: Told, sentence: string): string[] {
  const id = scheduleOf(told, sentence);
  if (id === undefined) return [];
  const until = untilOf(told, id, (sentence.match(INSTANT) ?? []).map(Date.parse));
  const events = [tracedOf, claimsOf, requestsOf, endsOf]
    .flatMap(eventsOf => eventsOf(told, id))
    .filter(({ at }) => at <= until)
    .sort((a, b) => a.at - b.at);
  return events.slice(-MOST_EVENTS).map(({ at, line }) => lineOf(at, line));
}

/** By the world's time, ms since its start. Where the clock was set, the requests of these times say more than the times. */
function untilOf(told: Told, id: string, instants: number[]): number {
  const requests = told.evidence.arrivals.filter(
    ({ scheduleId, scheduledFor }) => scheduleId === id && instants.includes(scheduledFor),
  );
  const known = isSet(told) && requests.length > 0 ? requests.map(({ at }) => at) : instants;
  const at = known.length === 0 ? Infinity : Math.max(...known);
  return at + AFTER_MS - told.startedAt;
}

function isSet({ profile }: Told): boolean {
  return profile.faults.includes('step');
}

/** A line of a trace. @param at ms since the start of the world */
export function lineOf(at: number, line: string): string {
  return `${(at / 1_000).toFixed(3).padStart(8)}  ${line}`;
}

/** The first that the sentence names, itself or one of its runs. */
function scheduleOf({ names, evidence }: Told, sentence: string): string | undefined {
  const owners = evidence.runs.flatMap(({ id, scheduleId, callbacks = [] }) =>
    [id, ...callbacks.map(callback => callback.id)].map(each => [each, scheduleId] as const),
  );
  const ownerOf = new Map(owners);
  const ids = sentence.match(ID) ?? [];
  return ids.map(id => (names.has(id) ? id : ownerOf.get(id))).find(id => id !== undefined);
}

function tracedOf({ trace, names }: Told, id: string): Event[] {
  const name = new RegExp(`\\b${names.get(id)}\\b`);
  return trace.flatMap(traced => {
    const [, seconds, line] = LINE.exec(traced) ?? [];
    if (line === undefined || !(OF_ALL.test(line) || name.test(line))) return [];
    return [{ at: Number(seconds) * 1_000, line }];
  });
}

/** Of nodes: those that another one took back. */
function claimsOf({ startedAt, evidence }: Told, id: string): Event[] {
  return (evidence.shared?.holds ?? [])
    .filter(({ scheduleId, isTakenBack }) => scheduleId === id && isTakenBack)
    .map(({ node, from, to }) => ({
      at: from - startedAt,
      line: `${node}: claims it, until another node takes it over at ${iso(to)}`,
    }));
}

function requestsOf({ startedAt, evidence }: Told, id: string): Event[] {
  const { arrivals, callbackArrivals } = evidence;
  const requests = arrivals
    .filter(({ scheduleId }) => scheduleId === id)
    .map(({ at, node, ...arrival }) => ({
      at: at - startedAt,
      line: `${node ? `${node}: ` : ''}attempt ${arrival.attempt} of ${iso(arrival.scheduledFor)}: ${statusOf(arrival)}`,
    }));
  const callbacks = callbackArrivals
    .filter(({ scheduleId }) => scheduleId === id)
    .map(({ at, ...arrival }) => ({
      at: at - startedAt,
      line: `callback of ${iso(arrival.scheduledFor)}, attempt ${arrival.attempt}: ${statusOf(arrival)}`,
    }));
  return [...requests, ...callbacks];
}

function statusOf({ status }: { status: number | null }): string {
  return status === null ? 'no answer' : `${status}`;
}

/** None by a clock that was set. */
function endsOf(told: Told, id: string): Event[] {
  const { runs, decidedAt = {} } = told.evidence;
  const own = isSet(told) ? [] : runs.filter(({ scheduleId }) => scheduleId === id);
  return own.map(({ id, scheduledFor, finishedAt = scheduledFor, trigger, status, reason }) => ({
    at: (decidedAt[id] ?? Date.parse(finishedAt)) - told.startedAt,
    line: `${trigger} run of ${scheduledFor} is ${status}${reason ? `: ${reason}` : ''}`,
  }));
}
