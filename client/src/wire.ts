/**
 * The wire types of Punctual's API, as JSON carries them.
 *
 * Instants are ISO 8601 date-times in UTC with milliseconds. An optional field that is unset is
 * left out, never null. The server's schemas are proved equal to these types by the compiler.
 */

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD';
export type ScheduleStatus = 'enabled' | 'disabled' | 'deleted';

/** How one schedule's firing behaves; each field falls back to the service's default. */
export interface Policy {
  /** Time limit of one attempt, from connecting to the last byte: 1 to 1,800, 30 by default. */
  timeoutSeconds?: number;
  /** Attempts after the first one: 0 to 10, 3 by default. */
  maxRetries?: number;
  /** How old a time that passed unseen may be and still fire: 0 to 31,536,000, 86,400 by default. */
  catchUpSeconds?: number;
}

export interface Integration {
  id: string;
  type: 'WEBHOOK';
  name: string;
  url: string;
  includeScheduleUrlInCallback: boolean;
  callOnSuccess: boolean;
}

export interface IntegrationInput {
  /** Kept when it was already this schedule's; otherwise the service gives a new one. */
  id?: string;
  type: 'WEBHOOK';
  url: string;
  name?: string;
  includeScheduleUrlInCallback?: boolean;
  callOnSuccess?: boolean;
}

export interface Schedule {
  id: string;
  status: ScheduleStatus;
  url: string;
  verb: Verb;
  /** Cron expression of five fields, six with seconds in front, or a macro such as `@daily`. */
  interval: string;
  /** IANA time zone name, as it was sent. */
  timezone: string;
  createdAt: string;
  updatedAt?: string;
  headers?: Record<string, string>;
  data?: Record<string, string>;
  integrations?: Integration[];
  label: string;
  policy?: Policy;
}

/** The body of create and replace. Read-only fields are accepted and ignored. */
export interface ScheduleInput {
  url: string;
  verb: Verb;
  interval: string;
  timezone: string;
  status?: 'enabled' | 'disabled';
  headers?: Record<string, string>;
  data?: Record<string, string>;
  integrations?: IntegrationInput[];
  label?: string;
  policy?: Policy;
  id?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
}

/**
 * The body of PATCH, a JSON Merge Patch (RFC 7396): what is left out stays, null removes an optional
 * property. Headers, data and policy are merged key by key; integrations are replaced as a whole.
 */
export interface SchedulePatch {
  url?: string;
  verb?: Verb;
  interval?: string;
  timezone?: string;
  status?: 'enabled' | 'disabled';
  headers?: Record<string, string | null> | null;
  data?: Record<string, string | null> | null;
  integrations?: IntegrationInput[] | null;
  label?: string | null;
  policy?: PolicyPatch | null;
  id?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
}

export interface PolicyPatch {
  timeoutSeconds?: number | null;
  maxRetries?: number | null;
  catchUpSeconds?: number | null;
}

export interface DeleteResult {
  success: boolean;
}

export interface ErrorBody {
  error: string;
}

/** Which page of a list, newest first. */
export interface PageQuery {
  /** 1 to 100, 20 by default. */
  limit?: number;
  /** The `nextCursor` of the page before. */
  cursor?: string;
}

/** Deleted schedules are left out unless `status` asks for them. */
export interface ScheduleQuery extends PageQuery {
  status?: ScheduleStatus;
  /** Contained, any case. */
  label?: string;
  /** Contained, any case. */
  url?: string;
}

export interface SchedulePage {
  items: Schedule[];
  nextCursor?: string;
}

export interface BatchInput {
  items: ScheduleInput[];
}

export interface BatchResult {
  items: Schedule[];
}

export interface PreviewInput {
  interval: string;
  timezone: string;
  /** Exclusive; now by default. */
  from?: string;
  /** 1 to 100, 5 by default. */
  count?: number;
}

export interface NextQuery {
  /** 1 to 100, 5 by default. */
  count?: number;
}

export interface Times {
  times: string[];
}

export type RunTrigger = 'schedule' | 'manual';
export type RunStatus =
  | 'queued'
  | 'running'
  | 'retrying'
  | 'succeeded'
  | 'failed'
  | 'skipped'
  | 'missed';
/** What the network did with one request; `lost` when Punctual itself stopped before the answer. */
export type AttemptOutcome = 'response' | 'timeout' | 'connectionError' | 'blocked' | 'lost';

/** Spans of one attempt in milliseconds. A request on a kept connection has no dns, connect, tls. */
export interface Phases {
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  firstByteMs?: number;
}

export interface Attempt {
  number: number;
  startedAt: string;
  /** Absent where nobody saw the end (`lost`). */
  durationMs?: number;
  outcome: AttemptOutcome;
  responseStatus?: number;
  error?: string;
  /** It was never sent: the breaker of its host was open. */
  refused?: boolean;
  phases?: Phases;
  /** In the single run only. Lower-case names; repeated fields are joined with a comma. */
  responseHeaders?: Record<string, string>;
  /** In the single run only: the first 4 KiB, read as UTF-8. */
  responseBody?: string;
}

/** One callback of a run, in the single run only. */
export interface Callback {
  id: string;
  integrationId: string;
  url: string;
  status: 'queued' | 'running' | 'retrying' | 'succeeded' | 'failed';
  attempts: Attempt[];
}

export interface Run {
  id: string;
  scheduleId: string;
  scheduledFor: string;
  trigger: RunTrigger;
  status: RunStatus;
  startedAt?: string;
  finishedAt?: string;
  attempts: Attempt[];
  /** Why it was skipped or missed, or why its retries ended early. */
  reason?: string;
  /** Where one record stands for more than 1,000 missed times: how many, the first and the last. */
  missedCount?: number;
  from?: string;
  to?: string;
  callbacks?: Callback[];
}

export interface RunQuery extends PageQuery {
  scheduleId?: string;
  status?: RunStatus;
  /** ISO 8601; nominal time, inclusive. */
  from?: string;
  /** ISO 8601; nominal time, exclusive. */
  to?: string;
}

export interface RunPage {
  items: Run[];
  nextCursor?: string;
}

export interface Health {
  status: 'ok';
  /** What the store cannot promise as it is set up, in one sentence. */
  warning?: string;
}

// The ledger -------------------------------------------------------------------------------------

/**
 * What became of an instant of a schedule. Runs have their own status; `waiting` is due and not begun
 * yet, `upcoming` is to come, `moved`, `dropped` and `repeated` are daylight saving's, `paused`,
 * `deleted` and `notCreated` say what the schedule was then, `neverDue` has no nominal time there,
 * `forgotten` is older than history, `unrecorded` was due as far as is known.
 */
export type ExplainVerdict =
  | 'succeeded'
  | 'failed'
  | 'running'
  | 'retrying'
  | 'queued'
  | 'skipped'
  | 'missed'
  | 'waiting'
  | 'upcoming'
  | 'moved'
  | 'dropped'
  | 'repeated'
  | 'paused'
  | 'deleted'
  | 'notCreated'
  | 'neverDue'
  | 'forgotten'
  | 'unrecorded';

export interface ExplainQuery {
  /** ISO 8601; without an offset it is a time of the schedule's own wall clock. */
  at: string;
}

export interface Explanation {
  scheduleId: string;
  at: string;
  verdict: ExplainVerdict;
  sentence: string;
  /** What the schedule was then. */
  interval: string;
  timezone: string;
  /** From the nominal time to the first attempt. */
  lateMs?: number;
  /** The local time that does not exist, or comes twice. */
  localTime?: string;
  movedTo?: string;
  /** The nearest nominal times around it. */
  previous?: string;
  next?: string;
  run?: Run;
}

// Figures ----------------------------------------------------------------------------------------

export interface StatsQuery {
  /** How far back: 1 to 180, 60 by default. */
  minutes?: number;
}

/** Runs that ended, and times that did not fire. Lateness is of scheduled runs, in milliseconds. */
export interface Tally {
  succeeded: number;
  failed: number;
  skipped: number;
  missed: number;
  p50LateMs?: number;
  p99LateMs?: number;
}

export interface StatsMinute extends Tally {
  /** The start of the minute. */
  at: string;
}

export interface FailingSchedule {
  scheduleId: string;
  label: string;
  url: string;
  /** Failed runs of the last 24 hours. */
  failures: number;
  /** Failed runs since the last one that succeeded; 20 at most. */
  inARow: number;
  lastFailedFor: string;
  /** Why the last one failed. */
  error?: string;
}

export interface UpcomingFiring {
  scheduleId: string;
  label: string;
  url: string;
  scheduledFor: string;
  /** When the request is due: later than `scheduledFor` for a retry. */
  dueAt: string;
  isRetry: boolean;
}

/** The breaker of a host, for this client's requests. */
export interface Breaker {
  /** Scheme, name and port, such as `https://example.com`. */
  origin: string;
  /** The first request that got no answer. */
  since: string;
  openedAt: string;
  /** Absent while it is open. */
  closedAt?: string;
}

export interface Stats {
  from: string;
  to: string;
  total: Tally;
  /** Minutes in which something ended, oldest first. */
  minutes: StatsMinute[];
  /** Schedules whose latest runs failed, most failures first. */
  failing: FailingSchedule[];
  /** What is due next, earliest first. */
  next: UpcomingFiring[];
  /** Hosts that do not answer: only one request every 5 s is sent to them. 20 at most. */
  openBreakers: Breaker[];
  enabledSchedules: number;
  disabledSchedules: number;
}

export interface ForecastQuery {
  /** `day`: 24 hours by minute, the default; `week`: 7 days by hour. */
  span?: 'day' | 'week';
  /** Only schedules whose url has this host (with its port), in lower case. */
  host?: string;
}

export interface ForecastHost {
  host: string;
  firings: number;
}

export interface Forecast {
  from: string;
  /** The length of what one of `counts` counts: 60 or 3,600. */
  stepSeconds: number;
  /** Firings to come, of retries nothing, step by step from `from` on. */
  counts: number[];
  firings: number;
  /** Enabled schedules that are counted. */
  schedules: number;
  /** Enabled schedules that are not: beyond 50,000 different intervals, the rarest. */
  uncounted: number;
  /** All hosts' firings, most first; 100 at most. */
  hosts: ForecastHost[];
  countedAt: string;
}

// Before it is stored ----------------------------------------------------------------------------

export interface Problem {
  /** The property that is wrong, such as `url` or `integrations[0].url`. */
  where: string;
  sentence: string;
}

/** What a change of the wall clock does to the interval. */
export interface ClockNote {
  kind: 'moved' | 'dropped' | 'once' | 'twice';
  /** Of the wall clock, such as `2026-03-29T02:30:00`. */
  localTime: string;
  at: string;
  sentence: string;
}

export interface CheckResult {
  /** What a create would refuse; empty where it would not. */
  problems: Problem[];
  /** The next ten times; empty where interval or time zone are wrong. */
  times: string[];
  /** Changes of the wall clock within a year that touch it. */
  clockNotes: ClockNote[];
}

/** A request that was sent to try a schedule out; nothing of it is stored. */
export interface TryResult {
  attempt: Attempt;
}

// Sessions and keys ------------------------------------------------------------------------------

/** A session of the dashboard, in a cookie that scripts cannot read. */
export interface Session {
  clientId: string;
  clientName: string;
  /** The key that it was begun with, and ends with. */
  keyId: string;
}

export interface SessionEnd {
  success: boolean;
}

export interface KeyInput {
  /** 1 to 200 characters. */
  name: string;
}

export interface Key {
  id: string;
  name?: string;
  createdAt: string;
  revokedAt?: string;
}

export interface NewKey extends Key {
  /** Shown once. */
  apiKey: string;
}

export interface KeyList {
  items: Key[];
}

export interface RotationInput {
  /** How long the old secret signs too, seconds: 0 to 2,592,000, 86,400 by default. */
  overlapSeconds?: number;
  /** Within an overlap: the secret made last is thrown away, and the old one stays. */
  replaceNew?: boolean;
}

/** What is told of a client's signing secret. */
export interface SigningSecret {
  /** Since when requests are signed with it. */
  createdAt: string;
  /** Until when the old one signs too; absent where it does not. */
  overlapEndsAt?: string;
}

export interface NewSigningSecret extends SigningSecret {
  /** Shown once. */
  signingSecret: string;
}

// Events -----------------------------------------------------------------------------------------

/** What happened, in order. `id` resumes the stream; after a break some may come twice. */
export type PunctualEvent =
  | { id: string; type: 'run.ended'; data: Run }
  | { id: string; type: 'schedule.changed'; data: Schedule }
  /** A host has stopped to answer, or answers again. */
  | { id: string; type: 'breaker.opened' | 'breaker.closed'; data: Breaker }
  /** More happened between these two than is told one by one: ask the lists. */
  | { id: string; type: 'gap'; data: { from: string; to: string } };
