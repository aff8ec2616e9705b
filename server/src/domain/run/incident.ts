import { iso } from '../iso.ts';
import { type Cause, isMissedBy, isOwnCause, opensBreaker } from './cause.ts';

/**
 * Incidents: failed and missed runs of one cause and host. Failures belong together while less than ten minutes lie
 * between them, or until each schedule among them has succeeded again. Instants are nominal times, epoch ms.
 */

/** Failures that follow each other within this time are one incident, whatever succeeds in between. */
export const GAP_MS = 600_000;
/** Runs that are named by their ids. */
export const MOST_SAMPLED = 5;

/** A run that failed, or a record of times that were missed. */
export interface Failure {
  runId: string;
  scheduleId: string;
  scheduledFor: number;
  /** More than 1 where a record stands for many missed times. */
  count: number;
  cause: Cause;
  statusCode?: number;
  /** Name and port of the url; '' where Punctual itself is the cause. */
  host: string;
}

/** Failures of one cause and host within ten minutes of the clock: no gap lies within them. */
export interface Episode {
  /** The same for each episode of this cause and host. */
  key: string;
  cause: Cause;
  statusCode?: number;
  host: string;
  /** The first and the last nominal time. */
  since: number;
  lastFor: number;
  runs: number;
  schedules: FailedSchedules;
  /** Ids of runs, newest first. */
  sample: string[];
}

/** By the ids of schedules. */
type FailedSchedules = Map<string, { runs: number; lastFor: number }>;

/** Episodes of one cause and host that belong together. */
export interface EpisodeGroup {
  since: number;
  lastFor: number;
  runs: number;
  /** Their schedules are put together for what is shown only. */
  parts: Episode[];
}

export interface Incident extends Omit<Episode, 'key'> {
  /** When each of its schedules had succeeded again; null while it goes on. */
  until: number | null;
}

/** Failures of one cause and host within each ten minutes, oldest first. */
export function episodesOf(failures: readonly Failure[]): Episode[] {
  const episodes = new Map<string, Episode>();
  for (const failure of failures) {
    const key = keyOf(failure);
    const place = `${Math.floor(failure.scheduledFor / GAP_MS)} ${key}`;
    const known = episodes.get(place);
    if (known === undefined) episodes.set(place, one(key, failure));
    else add(known, failure);
  }
  return [...episodes.values()].sort((a, b) => a.since - b.since);
}

function keyOf({ cause, statusCode, host }: Failure): string {
  return `${cause} ${statusCode} ${host}`;
}

function one(key: string, failure: Failure): Episode {
  const { cause, statusCode, host, runId, scheduleId, scheduledFor, count } = failure;
  return {
    key,
    cause,
    ...(statusCode !== undefined && { statusCode }),
    host,
    since: scheduledFor,
    lastFor: scheduledFor,
    runs: count,
    schedules: new Map([[scheduleId, { runs: count, lastFor: scheduledFor }]]),
    sample: [runId],
  };
}

function add(episode: Episode, { runId, scheduleId, scheduledFor, count }: Failure): void {
  const { sample } = episode;
  const isNewest = scheduledFor > episode.lastFor;
  episode.sample = (isNewest ? [runId, ...sample] : [...sample, runId]).slice(0, MOST_SAMPLED);
  episode.since = Math.min(episode.since, scheduledFor);
  episode.lastFor = Math.max(episode.lastFor, scheduledFor);
  episode.runs += count;
  addSchedule(episode.schedules, scheduleId, { runs: count, lastFor: scheduledFor });
}

function addSchedule(
  schedules: FailedSchedules,
  id: string,
  { runs, lastFor }: { runs: number; lastFor: number },
): void {
  const known = schedules.get(id);
  schedules.set(id, {
    runs: runs + (known?.runs ?? 0),
    lastFor: Math.max(lastFor, known?.lastFor ?? lastFor),
  });
}

/** The schedules of all parts. */
export function schedulesOf({ parts }: Pick<EpisodeGroup, 'parts'>): FailedSchedules {
  const [first, ...others] = parts as [Episode, ...Episode[]];
  if (others.length === 0) return first.schedules;
  const schedules = new Map(first.schedules);
  for (const part of others) {
    for (const [id, of] of part.schedules) addSchedule(schedules, id, of);
  }
  return schedules;
}

function absorb(into: EpisodeGroup, { since, lastFor, runs, parts }: EpisodeGroup): void {
  into.since = Math.min(into.since, since);
  into.lastFor = Math.max(into.lastFor, lastFor);
  into.runs += runs;
  into.parts.push(...parts);
}

/** Joins what no gap parts. Episodes come oldest first, one by one: who adds them may give way in between. */
export class EpisodeTally {
  /** Oldest first. */
  readonly groups: EpisodeGroup[] = [];
  readonly #last = new Map<string, EpisodeGroup>();

  add(episode: Episode): void {
    const { key, since, lastFor, runs } = episode;
    const group = { since, lastFor, runs, parts: [episode] };
    const known = this.#last.get(key);
    if (known !== undefined && since - known.lastFor <= GAP_MS) {
      absorb(known, group);
      return;
    }
    this.#last.set(key, group);
    this.groups.push(group);
  }
}

/** How one schedule went on after its last failure among some. */
export interface Recovery {
  scheduleId: string;
  /** The nominal time of its first run that succeeded since; null: there is none. */
  succeededFor: number | null;
}

/** An incident while its parts are joined. A part costs by its own schedules only. */
interface Growing extends EpisodeGroup {
  until: number | null;
  /** The ids of its schedules that have not succeeded since. */
  waiting: Set<string>;
  /** The latest time at which one of its schedules had succeeded again. */
  recoveredAt: number;
}

/** Joins groups of episodes to incidents. They come oldest first, one by one: who adds them may give way in between. */
export class IncidentTally {
  readonly #incidents: Growing[] = [];
  readonly #last = new Map<string, Growing>();

  /** @param recoveries of its schedules: nobody waits for one that is not among them, as it does not fire any more */
  add(group: EpisodeGroup, recoveries: readonly Recovery[]): void {
    const { key } = group.parts[0]!;
    const known = this.#last.get(key);
    if (known !== undefined && !isOver(known, group.since)) {
      absorb(known, group);
      noteRecoveries(known, recoveries);
      return;
    }
    const { parts, ...same } = group;
    const state = { until: null, waiting: new Set<string>(), recoveredAt: 0 };
    const growing: Growing = { ...same, ...state, parts: [...parts] };
    noteRecoveries(growing, recoveries);
    this.#last.set(key, growing);
    this.#incidents.push(growing);
  }

  /** Those that go on, the newest first, and then the others. @param most of them */
  newest(most: number): Incident[] {
    const whole = withRefused(this.#incidents.toReversed());
    whole.sort((a, b) => Number(a.until !== null) - Number(b.until !== null) || b.since - a.since);
    return whole.slice(0, most).map(incidentOf);
  }
}

function isOver({ until }: Growing, at: number): boolean {
  return until !== null && until <= at;
}

function noteRecoveries(growing: Growing, recoveries: readonly Recovery[]): void {
  const { waiting } = growing;
  for (const { scheduleId, succeededFor } of recoveries) {
    if (succeededFor === null) waiting.add(scheduleId);
    else {
      waiting.delete(scheduleId);
      growing.recoveredAt = Math.max(growing.recoveredAt, succeededFor);
    }
  }
  growing.until = waiting.size > 0 ? null : Math.max(growing.lastFor, growing.recoveredAt);
}

/** Refusals of a breaker belong to the incident for which it is open: the newest that began before. @param incidents newest first */
function withRefused(incidents: Growing[]): Growing[] {
  const [others, refusals]: [Growing[], Growing[]] = [[], []];
  for (const incident of incidents) {
    (incident.parts[0]!.cause === 'breakerOpen' ? refusals : others).push(incident);
  }
  for (const refused of refusals) {
    const near = others.filter(other => mayOpenFor(other, refused));
    const found = near.find(({ since }) => since <= refused.since) ?? near[0];
    if (found === undefined) {
      others.push(refused);
      continue;
    }
    const isOpen = found.until === null || refused.until === null;
    found.until = isOpen ? null : Math.max(found.until!, refused.until!);
    absorb(found, refused);
  }
  return others;
}

function mayOpenFor({ parts: [part], since, lastFor }: Growing, refused: Growing): boolean {
  const { cause, host } = part!;
  return (
    opensBreaker(cause) &&
    host === refused.parts[0]!.host &&
    since - GAP_MS <= refused.lastFor &&
    refused.since <= lastFor + GAP_MS
  );
}

function incidentOf({ parts, since, lastFor, runs, until }: Growing): Incident {
  const { cause, statusCode, host } = parts[0]!;
  const newestFirst = parts.toSorted((a, b) => b.lastFor - a.lastFor);
  return {
    cause,
    ...(statusCode !== undefined && { statusCode }),
    host,
    since,
    lastFor,
    runs,
    schedules: schedulesOf({ parts }),
    sample: newestFirst.flatMap(({ sample }) => sample).slice(0, MOST_SAMPLED),
    until,
  };
}

/** The event in two or three sentences. */
export function incidentSentence(incident: Incident): string {
  const { since, lastFor, runs, schedules, cause } = incident;
  const what = `${counted(runs, 'run')} of ${counted(schedules.size, 'schedule')}`;
  const became = isMissedBy(cause) ? (runs === 1 ? 'was missed' : 'were missed') : 'failed';
  const when = lastFor === since ? `at ${iso(since)}` : `from ${iso(since)} to ${iso(lastFor)}`;
  return `${happened(incident)}: ${what} ${became} ${when}. ${endText(incident)}`;
}

function endText({ until, lastFor, schedules }: Incident): string {
  const isOne = schedules.size === 1;
  if (until === null) {
    return `It is not over: ${isOne ? 'the schedule has not' : 'not all schedules have'} succeeded since.`;
  }
  if (until === lastFor) {
    return isOne ? 'The schedule fires no more.' : 'None of the schedules fires any more.';
  }
  return `It was over at ${iso(until)}, when ${isOne ? 'the schedule' : 'all schedules'} had succeeded again.`;
}

function counted(count: number, name: string): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? name : `${name}s`}`;
}

function happened({ cause, host, statusCode }: Incident): string {
  if (isOwnCause(cause)) return OWN[cause as keyof typeof OWN];
  return BY_HOST[cause as keyof typeof BY_HOST](host, statusCode);
}

const OWN = {
  lost: 'Punctual stopped before it had recorded answers',
  notRunning: 'Punctual was not running',
  paused: 'Punctual was paused',
  tooBusy: 'Punctual was too busy to begin runs in time',
  clockSetBack: 'The clock was set back',
};

const BY_HOST: Record<
  Exclude<Cause, keyof typeof OWN>,
  (host: string, statusCode?: number) => string
> = {
  dns: host => `The name of ${host} could not be resolved`,
  connectionRefused: host => `${host} refused connections`,
  unreachable: host => `${host} could not be reached`,
  timeout: host => `${host} did not answer within the time limit`,
  tls: host => `The TLS connection to ${host} failed`,
  brokenOff: host => `${host} closed connections without a whole answer`,
  protocol: host => `${host} did not answer in valid HTTP`,
  connection: host => `Requests to ${host} failed`,
  breakerOpen: host => `${host} had not answered, so nothing was sent to it`,
  status: (host, statusCode) =>
    statusCode === undefined ? `${host} answered with an error` : `${host} answered ${statusCode}`,
  condition: host => `Answers of ${host} were no success by the policy of their schedules`,
  completionFailed: host => `${host} accepted requests and said later that it had failed`,
  completionLate: host => `${host} accepted requests and did not complete them in time`,
  blocked: host => `Punctual may not send requests to ${host}`,
  identity: host => `The destination of requests to ${host} could not be used`,
  other: host => `Runs that call ${host} failed`,
};
