import type { Run } from '@punctual/client';
import { changedTimes, type Span, spansOf } from '../calendar/changed-times.ts';
import { dueTimes, plannedTimes } from '../calendar/due-times.ts';
import type {
  Arrival,
  CallbackArrival,
  Evidence,
  ExplainedSeen,
  Life,
  SaidSeen,
  ScheduleSeen,
  Stall,
} from '../evidence.ts';
import { type HoldSeen, holdsOf, isUpFrom, RECOVERY_MS, type Window } from './cuts.ts';

/** The evidence, sorted for judging. Instants are epoch ms. */

export interface AttemptSeen {
  number: number;
  startedAt: number;
  durationMs: number | undefined;
  outcome: string;
  responseStatus: number | undefined;
  /** Its target answered 202, or said how it ended although no answer came; null: it has said nothing. */
  awaited: {
    /** Null while it goes on. */
    status: 'succeeded' | 'failed' | 'timeout' | null;
    /** Infinity while it goes on. */
    endedAt: number;
  } | null;
  /** It failed without a request: the breaker of its host was open. */
  isRefused: boolean;
}

/** The attempts of all runs, with their places in them, by their starts. */
export function attemptsOf({ runs, manual }: ScheduleView) {
  return [...runs, ...manual]
    .flatMap(run => run.attempts.map((attempt, index) => ({ run, attempt, index })))
    .toSorted((a, b) => a.attempt.startedAt - b.attempt.startedAt);
}

/** When an attempt ended, epoch ms; NaN where nobody knows. */
export function endOf({ startedAt, durationMs = Number.NaN, awaited }: AttemptSeen): number {
  return awaited?.endedAt ?? startedAt + durationMs;
}

export interface RunSeen {
  id: string;
  scheduleId: string;
  /** Its nominal time. */
  at: number;
  trigger: Run['trigger'];
  status: Run['status'];
  reason: string | undefined;
  startedAt: number;
  /** Infinity while it has not ended. */
  finishedAt: number;
  attempts: AttemptSeen[];
  missed: { count: number; from: number; to: number } | null;
  callbacks: CallbackSeen[];
}

export interface CallbackSeen {
  id: string;
  integrationId: string;
  status: string;
  attempts: AttemptSeen[];
}

export interface ScheduleView {
  seen: ScheduleSeen;
  /** Nominal times since its creation, by the checker's calendar; up to a while after `until`. */
  due: number[];
  /** Those of them that may be on record, and need not: a change was being written. */
  optional: Set<number>;
  /** Between changes of its times; empty where nobody asked for one. */
  spans: Span[];
  /** Of its own times, in their order. */
  runs: RunSeen[];
  manual: RunSeen[];
  arrivals: Arrival[];
}

/** What real processes need, and played ones do not. */
export interface Slack {
  /** Between the instants that the target and history tell of one request. */
  slackMs: number;
  /**
   * How long after a start the engine may take until it has looked at every schedule. It widens only what counts as the
   * latest of the times that passed; a slow machine shall not fail the test.
   */
  graceMs: number;
  /** How long a request may wait for a connection. A stop meanwhile gives it back, and the next start decides. */
  connectMs: number;
  /** How much later than it could a request may start while nothing is in its way. */
  lateMs: number;
  /** How much later a node may see what it was not told of. */
  heardMs: number;
  /** How long after the answer to a change another node may begin what it had claimed before. */
  toldMs: number;
  /** What passes unseen within a shorter window counts as seen. */
  blindMs: number;
  /** By how much clocks of nodes differ that read the store's in whole ms. */
  apartMs: number;
}

export interface View extends Slack {
  until: number;
  schedules: ScheduleView[];
  byId: Map<string, RunSeen>;
  arrivals: Arrival[];
  callbackArrivals: CallbackArrival[];
  triggered: string[];
  explained: ExplainedSeen[];
  said: SaidSeen[];
  windows: Window[];
  kills: Window[];
  suspensions: Window[];
  /** When the store or the machine stood still. */
  stalls: Window[];
  /** Schedules that the evidence cannot be judged on, because they are gone. */
  gone: Set<string>;
  /** By how much the latest run of a nominal time began late, other schedules' only; undefined: none began. */
  lateness(time: number, exceptOf: string): number | undefined;
  /** By `webhook-id/attempt`: what the answer's `Retry-After` asked for, epoch ms. */
  retryAt: Map<string, number>;
  /** Was the service up between these two instants, and for a second before, and did nothing stand still or hold the schedule up? */
  isUndisturbed(from: number, to: number, scheduleId: string): boolean;
  /**
   * Did a request of the schedule wait for others of its host between these instants? Where nodes share a store: may a node
   * have held a claim of it, and done nothing with it?
   */
  isHeldUp(from: number, to: number, scheduleId: string): boolean;
  /** Whether any node was frozen between these two instants, or could not reach the store. */
  isAnySlow(from: number, to: number): boolean;
  /** By when others knew what a node that held the schedule did then. */
  heldUntil(instant: number, scheduleId: string): number;
  /** By how much the clock of a node was behind between these two instants, at most. */
  behindMs(from: number, to: number): number;
  /** By schedule; of nodes that share the store. */
  holds: Map<string, HoldSeen[]>;
  /** Whether nodes share the store. */
  isShared: boolean;
  /** By when all nodes go by a change that was written then. */
  heardBy(instant: number): number;
  /** Was the service killed between these two instants, or at one of them, or was a claim of the schedule taken back? */
  killedWithin(from: number, to: number, scheduleId: string): boolean;
}

/** How far the calendar looks beyond `until`: more than any interval of the workload. */
const BEYOND_MS = 120_000;

export function viewOf(evidence: Evidence, slack: Slack): View {
  const { until, schedules, lives, suspensions = [], callbackArrivals, triggered } = evidence;
  const stalls: Stall[] = [...evidence.stalls, ...suspensions];
  const gone = new Set(schedules.filter(({ listed }) => !listed).map(({ id }) => id));
  const arrivals = evidence.arrivals.filter(({ scheduleId }) => !gone.has(scheduleId));
  const runs = evidence.runs.map(run => runSeen(run, suspensions));
  const runsOf = Map.groupBy(runs, run => run.scheduleId);
  const arrivalsOf = Map.groupBy(arrivals, ({ scheduleId }) => scheduleId);
  const kills = lives.flatMap(({ end }) => (end?.how === 'killed' ? [end] : []));
  const holds = holdsOf(evidence);
  const waits = waitsOf(evidence);
  const isHeldUp = (from: number, to: number, scheduleId: string) =>
    [waits.get(scheduleId) ?? [], ...(holds.get(scheduleId) ?? []).map(({ idle }) => idle)].some(
      windows => windows.some(window => window.to + RECOVERY_MS > from && window.from < to),
    );
  const heldUntil = (instant: number, scheduleId: string) => {
    const isHeld = ({ from, to, idle }: HoldSeen) =>
      from <= instant && to >= instant && idle.some(window => window.to >= instant);
    return Math.max(instant, ...(holds.get(scheduleId) ?? []).filter(isHeld).map(({ to }) => to));
  };
  const isTakenBack = (from: number, to: number, scheduleId: string) =>
    (holds.get(scheduleId) ?? []).some(
      hold => hold.isTakenBack && hold.to >= from && hold.from <= to,
    );
  const stallsOf = (scheduleId: string) =>
    stalls.filter(({ node, from, to }) => {
      const isOfNode = (hold: HoldSeen) => hold.node === node && hold.to >= from && hold.from <= to;
      return node === undefined || holds.get(scheduleId)?.some(isOfNode);
    });
  const lags = lives.flatMap(life => life.lags ?? []);
  const rests = lives.flatMap(({ frozen = [] }) => frozen);
  const heardBy = (instant: number) => {
    const by = instant + slack.toldMs;
    const late = rests.filter(({ from, to }) => from <= by && to >= instant);
    return Math.max(by, ...late.map(({ to }) => to + slack.toldMs));
  };
  return {
    ...slack,
    until,
    schedules: schedules
      .filter(({ listed }) => listed)
      .map(schedule => {
        const seen = heard(schedule, heardBy);
        const own = (runsOf.get(seen.id) ?? []).toSorted((a, b) => a.at - b.at);
        return {
          seen,
          ...timesOf(seen, until + BEYOND_MS),
          runs: own.filter(({ trigger }) => trigger === 'schedule'),
          manual: own.filter(({ trigger }) => trigger === 'manual'),
          arrivals: (arrivalsOf.get(seen.id) ?? []).toSorted((a, b) => a.at - b.at),
        };
      }),
    byId: new Map(runs.map(run => [run.id, run])),
    arrivals,
    callbackArrivals: callbackArrivals.filter(({ scheduleId }) => !gone.has(scheduleId)),
    triggered,
    explained: evidence.explained,
    said: evidence.said ?? [],
    // A node that woke between two of them has looked.
    windows: evidence.shared
      ? windowsOf(lives)
      : merged([...windowsOf(lives), ...suspensions.map(unseenOf)]),
    kills,
    suspensions,
    stalls,
    gone,
    lateness: latenessOf(runs),
    retryAt: new Map(
      [...evidence.arrivals, ...callbackArrivals].flatMap(({ webhookId, attempt, retryAt }) =>
        retryAt === undefined ? [] : [[`${webhookId}/${attempt}`, retryAt]],
      ),
    ),
    isUndisturbed: (from, to, scheduleId) =>
      lives.some(life => isUpFrom(life, stalls, from - RECOVERY_MS, to)) &&
      !stallsOf(scheduleId).some(stall => stall.to + RECOVERY_MS > from && stall.from < to) &&
      !isHeldUp(from, to, scheduleId),
    behindMs: (from, to) => {
      const inReach = lags.filter(lag => lag.from <= to && lag.to >= from);
      return slack.apartMs + Math.max(0, ...inReach.map(({ behindMs }) => behindMs));
    },
    isShared: evidence.shared !== undefined,
    holds,
    isHeldUp,
    isAnySlow: (from, to) =>
      [...stalls, ...rests].some(rest => rest.to + RECOVERY_MS > from && rest.from < to),
    heldUntil,
    heardBy,
    killedWithin: (from, to, scheduleId) =>
      evidence.shared
        ? isTakenBack(from, to, scheduleId)
        : kills.some(kill => kill.to >= from && kill.from <= to),
  };
}

/** When requests of a schedule waited for others of their host. */
function waitsOf({ wire }: Evidence): Map<string, Window[]> {
  const waiting = (wire?.sends ?? []).filter(({ waited }) => waited !== null);
  const groups = Map.groupBy(waiting, ({ scheduleId }) => scheduleId);
  return new Map([...groups].map(([id, sends]) => [id, sends.map(({ waited }) => waited!)]));
}

/** Until then an engine may go by what was before. */
function heard(seen: ScheduleSeen, heardBy: View['heardBy']): ScheduleSeen {
  if (seen.versions === undefined) return seen;
  const versions = seen.versions.map(each => ({ ...each, writtenBy: heardBy(each.writtenBy) }));
  return { ...seen, versions };
}

function timesOf(
  seen: ScheduleSeen,
  until: number,
): Pick<ScheduleView, 'due' | 'optional' | 'spans'> {
  const { interval, timezone, createdAt, planned, versions } = seen;
  const spans = spansOf(seen, until);
  if (versions !== undefined) return { ...changedTimes(spans), spans };
  const due = planned
    ? plannedTimes(seen, planned, until)
    : dueTimes(interval, timezone, createdAt, until);
  return { due, optional: new Set(), spans };
}

function latenessOf(runs: RunSeen[]): View['lateness'] {
  const begun = runs.filter(
    ({ trigger, startedAt }) => trigger === 'schedule' && !Number.isNaN(startedAt),
  );
  const begunAt = Map.groupBy(begun, ({ at }) => at);
  return (time, exceptOf) => {
    const others = begunAt.get(time)?.filter(({ scheduleId }) => scheduleId !== exceptOf) ?? [];
    if (others.length === 0) return undefined;
    return Math.max(0, ...others.map(({ at, startedAt }) => startedAt - at));
  };
}

/** When nobody was up that could fire, from the end of a life on. */
function windowsOf(lives: Life[]): Window[] {
  const changes = lives.flatMap(lifeChanges).toSorted((a, b) => a.at - b.at);
  const windows: Window[] = [];
  let from: number | null = null;
  let up = 0;
  for (const { at, by } of changes) {
    up += by;
    if (by <= 0 && up === 0) from ??= at;
    if (by > 0 && from !== null) {
      windows.push({ from, to: at });
      from = null;
    }
  }
  return windows;
}

/** When it could fire, and when it could no longer. */
function lifeChanges({ readyAt, end, frozen = [] }: Life): { at: number; by: number }[] {
  if (readyAt === null || (end !== null && end.from < readyAt))
    return end === null ? [] : [{ at: end.from, by: 0 }];
  const until = end?.from ?? Infinity;
  const isWhileUp = ({ from }: Window) => from >= readyAt && from < until;
  const rests = frozen.filter(isWhileUp).flatMap(({ from, to }) => [
    { at: from, by: -1 },
    { at: Math.min(to, until), by: 1 },
  ]);
  return [{ at: readyAt, by: 1 }, ...rests, ...(end ? [{ at: until, by: -1 }] : [])];
}

/** Timers rest while the machine is suspended: an engine looks again when its wait of up to a second is over. */
export const AWAKE_MS = 1_100;

function unseenOf({ from, to }: Window): Window {
  return { from, to: to + AWAKE_MS, isSuspension: true };
}

/** Those that overlap as one, in their order. */
function merged(windows: Window[]): Window[] {
  const apart: Window[] = [];
  for (const window of windows.toSorted((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last === undefined || window.from > last.to) apart.push({ ...window });
    else Object.assign(last, { ...window, from: last.from, to: Math.max(last.to, window.to) });
  }
  return apart;
}

function runSeen(run: Run, suspensions: Window[]): RunSeen {
  const { id, scheduleId, trigger, status, reason, startedAt, finishedAt, missedCount } = run;
  const at = Date.parse(run.scheduledFor);
  const missed =
    missedCount === undefined
      ? null
      : { count: missedCount, from: Date.parse(run.from!), to: Date.parse(run.to!) };
  return {
    id,
    scheduleId,
    at,
    trigger,
    status,
    reason,
    startedAt: startedAt === undefined ? Number.NaN : Date.parse(startedAt),
    finishedAt: finishedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(finishedAt),
    attempts: run.attempts.map(attempt => attemptSeen(attempt, suspensions)),
    missed,
    callbacks: (run.callbacks ?? []).map(({ id, integrationId, status, attempts }) => {
      const seen = attempts.map(attempt => attemptSeen(attempt, suspensions));
      return { id, integrationId, status, attempts: seen };
    }),
  };
}

function attemptSeen(attempt: Run['attempts'][number], suspensions: Window[]): AttemptSeen {
  const { number, outcome, responseStatus, error } = attempt;
  const startedAt = Date.parse(attempt.startedAt);
  let { durationMs } = attempt;
  // It is told by a clock that rests meanwhile.
  for (const { from, to } of suspensions) {
    if (durationMs !== undefined && startedAt <= from && startedAt + durationMs >= from)
      durationMs += to - from;
  }
  const isRefused = error?.startsWith('It was not sent: the breaker') === true;
  const awaited = awaitedSeen(attempt);
  return { number, startedAt, durationMs, outcome, responseStatus, awaited, isRefused };
}

/** When nothing came, only its sentence says until when it was waited for. */
function awaitedSeen({ completion, outcome, error = '' }: Run['attempts'][number]) {
  if (completion === undefined) return null;
  const [, until] = /has not completed it by (\S+Z)\.$/.exec(error) ?? [];
  if (outcome === 'timeout' && until !== undefined)
    return { status: 'timeout' as const, endedAt: Date.parse(until) };
  const { endedAt } = completion;
  if (endedAt === undefined) return { status: null, endedAt: Number.POSITIVE_INFINITY };
  const status = error === '' ? ('succeeded' as const) : ('failed' as const);
  return { status, endedAt: Date.parse(endedAt) };
}

export function hasBegun({ status }: RunSeen): boolean {
  return status !== 'missed' && status !== 'skipped';
}

export function hasEnded({ status }: RunSeen): boolean {
  return status !== 'queued' && status !== 'running' && status !== 'retrying';
}

export function iso(instant: number): string {
  return Number.isFinite(instant) ? new Date(instant).toISOString() : 'never';
}
