import type { Run } from '@punctual/client';
import type {
  Arrival,
  CallbackArrival,
  Evidence,
  ExplainedSeen,
  NextSeen,
  SaidSeen,
  ScheduleSeen,
  Stall,
} from '../evidence.ts';
import { holdsBack, type Limited, limitChangesOf, limitedOf } from '../limited.ts';
import { type HoldSeen, holdsOf, isUpFrom, killOf, RECOVERY_MS, type Window } from './cuts.ts';
import { type Due, dueOf } from './due.ts';
import { type Halt, haltsOf } from './halts.ts';
import { downOf, LOOK_MS, merged, unnotedOf, unseenBefore, unseenOf } from './windows.ts';

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
  /** By `Punctual-Control`: what counted, and whether something did not. */
  control: Run['attempts'][number]['control'];
  hasControlFault: boolean;
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

/** One that was cut off is in the way until a start finds it. */
export function inTheWayUntil({ run, attempt, index }: ReturnType<typeof attemptsOf>[number]) {
  return endOf(attempt) || (run.attempts[index + 1]?.startedAt ?? run.finishedAt);
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

export interface ScheduleView extends Due {
  seen: ScheduleSeen;
  /** Of its own times, in their order. */
  runs: RunSeen[];
  /** With those that have begun of what targets asked for. */
  manual: RunSeen[];
  /** All that targets asked for. */
  further: RunSeen[];
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
  nexts: NextSeen[];
  said: SaidSeen[];
  mostPerHost: number;
  windows: Window[];
  /** The last instant that counts as unseen by the start that was ready then. */
  unseenBefore: (readyAt: number) => number;
  /** How often a node notes that it is awake: as it looks after a second, and it may look that much later. */
  notedMs: number;
  /** When no node could note that it was awake, where they share the store. */
  unnoted: Window[];
  kills: Window[];
  /** From when a life could fire no longer, to its end. */
  stops: Window[];
  suspensions: Window[];
  /** When the store or the machine stood still. */
  stalls: Window[];
  /** Schedules that the evidence cannot be judged on, because they are gone. */
  gone: Set<string>;
  /** By how much the latest run of a nominal time began late, other schedules' only; undefined: none began. */
  lateness(time: number, exceptOf: string): number | undefined;
  /** By `webhook-id/attempt`: what the answer's `Retry-After` asked for, epoch ms. */
  retryAt: Map<string, number>;
  /** Spans in which the client of the schedule was suspended, or is deleted. */
  haltsOf(scheduleId: string): Halt[];
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
  /** Of destinations: all that has not started is claimed anew. */
  limitChanges: { at: number; writtenBy: number }[];
  /** By the names of destinations. */
  limited: Map<string, Limited>;
  /** Whether limits of its destination explain that a request of it which could start at `from`, or before, had not by `to`. */
  isHeldBack(from: number, to: number, schedule: ScheduleSeen, waitsSince?: number): boolean;
  /** Whether nodes share the store. */
  isShared: boolean;
  /** By when all nodes go by a change that was written then. */
  heardBy(instant: number): number;
  /** Was the service killed between these two instants, or at one of them, or was a claim of the schedule taken back? */
  killedWithin(from: number, to: number, scheduleId: string): boolean;
}

export function viewOf(evidence: Evidence, slack: Slack): View {
  const { until, schedules, lives, suspensions = [], callbackArrivals, triggered } = evidence;
  const stalls: Stall[] = [...evidence.stalls, ...suspensions];
  const gone = new Set(schedules.filter(({ listed }) => !listed).map(({ id }) => id));
  const arrivals = evidence.arrivals.filter(({ scheduleId }) => !gone.has(scheduleId));
  const runs = evidence.runs.map(run => runSeen(run, suspensions));
  const runsOf = Map.groupBy(runs, run => run.scheduleId);
  const arrivalsOf = Map.groupBy(arrivals, ({ scheduleId }) => scheduleId);
  const stops = lives.flatMap(({ end }) => (end === null ? [] : [end]));
  const kills = stops.filter(({ how }) => how === 'killed').map(killOf);
  const holds = holdsOf(evidence);
  const waits = waitsOf(evidence);
  const isHeldUp = (from: number, to: number, scheduleId: string) =>
    [waits.get(scheduleId) ?? [], ...(holds.get(scheduleId) ?? []).map(({ idle }) => idle)].some(
      windows => windows.some(window => window.from < to && overBy(window) > from),
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
  const down = downOf(evidence);
  const windows = evidence.shared
    ? down // A node that woke between two of them has looked.
    : merged([...down, ...suspensions.map(unseenOf)]);
  const clientOf = new Map(schedules.map(({ id, client = '' }) => [id, client]));
  const haltsOfOne = (id: string) => halts.get(clientOf.get(id)!) ?? [];
  const lags = lives.flatMap(life => life.lags ?? []);
  const behindMs = (from: number, to: number) => {
    const inReach = lags.filter(lag => lag.from <= to && lag.to >= from);
    return slack.apartMs + Math.max(0, ...inReach.map(lag => lag.behindMs));
  };
  const rests = lives.flatMap(({ frozen = [] }) => frozen);
  const halts = haltsOf(evidence, [...windows, ...stalls, ...(evidence.shared ? rests : [])]);
  // What was asked of a machine that was suspended then is written when it goes on.
  const asleep = suspensions.map(({ from, to }) => ({ from, to: to + RECOVERY_MS }));
  const heardBy = (instant: number) => {
    const by = instant + slack.toldMs;
    const late = [...rests, ...asleep].filter(({ from, to }) => from <= by && to >= instant);
    return Math.max(by, ...late.map(({ to }) => to + slack.toldMs));
  };
  const limited = limitedOf(evidence, slack.lateMs);
  const notedMs = LOOK_MS + slack.heardMs;
  return {
    ...slack,
    notedMs,
    until,
    limited,
    limitChanges: limitChangesOf(evidence),
    isHeldBack: (from, to, { destination = '' }, waitsSince) => {
      const limits = limited.get(destination);
      return limits !== undefined && holdsBack(limits, from, to, slack.lateMs, waitsSince);
    },
    schedules: schedules
      .filter(({ listed }) => listed)
      .map(schedule => {
        const seen = heard(schedule, heardBy);
        const own = (runsOf.get(seen.id) ?? []).toSorted((a, b) => a.at - b.at);
        return {
          seen,
          ...dueOf(seen, evidence, heardBy),
          runs: own.filter(({ trigger }) => trigger === 'schedule'),
          manual: own.filter(
            run => run.trigger === 'manual' || (run.trigger === 'target' && hasBegun(run)),
          ),
          further: own.filter(({ trigger }) => trigger === 'target'),
          arrivals: (arrivalsOf.get(seen.id) ?? []).toSorted((a, b) => a.at - b.at),
        };
      }),
    byId: new Map(runs.map(run => [run.id, run])),
    arrivals,
    callbackArrivals: callbackArrivals.filter(({ scheduleId }) => !gone.has(scheduleId)),
    triggered,
    explained: evidence.explained,
    nexts: evidence.nexts ?? [],
    said: evidence.said ?? [],
    mostPerHost: evidence.mostPerHost ?? Number.POSITIVE_INFINITY,
    windows,
    unseenBefore: readyAt => unseenBefore(readyAt, evidence, behindMs),
    unnoted: evidence.shared ? unnotedOf(lives, stalls, slack.blindMs - notedMs) : [],
    kills,
    stops,
    suspensions,
    stalls,
    gone,
    lateness: latenessOf(runs),
    retryAt: new Map(
      [...evidence.arrivals, ...callbackArrivals].flatMap(({ webhookId, attempt, retryAt }) =>
        retryAt === undefined ? [] : [[`${webhookId}/${attempt}`, retryAt]],
      ),
    ),
    haltsOf: haltsOfOne,
    isUndisturbed: (from, to, scheduleId) =>
      !haltsOfOne(scheduleId).some(halt => halt.to + RECOVERY_MS > from && halt.from < to) &&
      lives.some(life => isUpFrom(life, stalls, from - RECOVERY_MS, to)) &&
      !stallsOf(scheduleId).some(stall => stall.to + RECOVERY_MS > from && stall.from < to) &&
      !isHeldUp(from, to, scheduleId),
    behindMs,
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

function overBy({ to, isGone }: Window): number {
  return isGone ? to : to + RECOVERY_MS;
}

/** When requests waited for others of their host, by their schedules, and by their own ids: callbacks have no schedule there. */
function waitsOf({ wire }: Evidence): Map<string, Window[]> {
  const waits = new Map<string, Window[]>();
  for (const { scheduleId, name, waited } of wire?.sends ?? []) {
    if (waited === null) continue;
    for (const id of [scheduleId, name.split('/')[0]!])
      waits.set(id, [...(waits.get(id) ?? []), waited]);
  }
  return waits;
}

/** Until then an engine may go by what was before. */
function heard(seen: ScheduleSeen, heardBy: View['heardBy']): ScheduleSeen {
  if (seen.versions === undefined) return seen;
  const versions = seen.versions.map(each => ({ ...each, writtenBy: heardBy(each.writtenBy) }));
  return { ...seen, versions };
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
    if (durationMs !== undefined && startedAt <= from && startedAt + durationMs > from)
      durationMs += to - from;
  }
  const isRefused = error?.startsWith('It was not sent: the breaker') === true;
  const awaited = awaitedSeen(attempt);
  const control = { control: attempt.control, hasControlFault: attempt.controlFault !== undefined };
  const seen = { number, startedAt, durationMs, outcome, responseStatus, awaited, isRefused };
  return { ...seen, ...control };
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

/** Most rules name the times that they look at, right or wrong: a text is made once. */
export function iso(instant: number): string {
  if (texts.size >= MOST_TEXTS) texts.clear();
  return texts.getOrInsertComputed(instant, at =>
    Number.isFinite(at) ? new Date(at).toISOString() : 'never',
  );
}

const MOST_TEXTS = 10_000;
const texts = new Map<number, string>();
