import type { AttemptCompletion } from './completion.ts';
import type { Cause } from './incident.ts';
import type { PageQuery } from './schedule.ts';

/** `target`: the target asked for the run, with `again` in an answer before. */
export type RunTrigger = 'schedule' | 'manual' | 'target';
export type RunStatus =
  | 'queued'
  | 'running'
  | 'retrying'
  | 'succeeded'
  | 'failed'
  | 'skipped'
  | 'missed';
/** The outcome of one request; `lost` when Punctual itself stopped before the answer. */
export type AttemptOutcome = 'response' | 'timeout' | 'connectionError' | 'blocked' | 'lost';

/** Spans of one attempt in milliseconds. A request on a kept connection has no dns, connect, tls. */
export interface Phases {
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  firstByteMs?: number;
}

/** The members of `Punctual-Control` in an answer that were obeyed. */
export interface Control {
  /** A failure is final. */
  noRetry?: true;
  /** Nothing fires for so long, counted from the answer. */
  pauseSeconds?: number;
  /** The schedule is disabled. */
  disable?: true;
  /** One more run comes after so long. */
  againSeconds?: number;
}

export interface Attempt {
  number: number;
  startedAt: string;
  /** Absent where nobody saw the end (`lost`). */
  durationMs?: number;
  outcome: AttemptOutcome;
  responseStatus?: number;
  error?: string;
  /** A sentence or two about the exchange that are no reason for its verdict. */
  note?: string;
  control?: Control;
  /** The members of `Punctual-Control` that were ignored, and why. */
  controlFault?: string;
  /** It was never sent: the breaker of its host was open. */
  refused?: boolean;
  phases?: Phases;
  /**
   * In the single run only. Lower-case names; repeated fields are joined with a comma, `Set-Cookie` with a
   * line break. `[secret]` stands for the values of cookies and for secrets that the target echoed.
   */
  responseHeaders?: Record<string, string>;
  /** In the single run only: the first 4 KiB, read as UTF-8. Echoed secrets are masked. */
  responseBody?: string;
  /** The target answered 202, and said later how it ended. */
  completion?: AttemptCompletion;
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
  /** In lists and events: the label and the url of its schedule, as they are now. */
  label?: string;
  url?: string;
  scheduledFor: string;
  trigger: RunTrigger;
  status: RunStatus;
  startedAt?: string;
  finishedAt?: string;
  /** Of a `running` one that waits for its completion: by when that is to come. */
  completionUntil?: string;
  attempts: Attempt[];
  /** Why it was skipped or missed, or why its retries ended early. */
  reason?: string;
  /**
   * If one record stands for more than 1,000 missed times: their number, the first and the last.
   */
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
  /** Of schedules with this tag: `team:billing`, or `team` for any value; all must hold. */
  tag?: string[];
  /** Of schedules whose url has this host, and port where it names one. */
  host?: string;
  /** The status that the last attempt was answered with. */
  responseStatus?: number;
  /** A part of the error or the reason, in any case. Only failed runs are searched unless `status` is given. */
  error?: string;
  /** The cause by which they failed or were missed. */
  cause?: Cause;
  /** Each run with the `label` and the `url` of its schedule. */
  names?: boolean;
}

export interface RunPage {
  items: Run[];
  nextCursor?: string;
}

export interface Health {
  status: 'ok';
  /**
   * The promises that the store cannot keep with its settings, and a note if nothing fires; one
   * sentence each.
   */
  warning?: string;
  /** Set while nothing fires. */
  paused?: Pause;
}

export interface Pause {
  since: string;
  /** `command`: `punctual pause`, on all nodes; `setting`: PUNCTUAL_PAUSED, on the node that answers. */
  by: 'command' | 'setting';
}
