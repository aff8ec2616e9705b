import type { Control } from './control.ts';

/** Runs and attempts as values. Instants are epoch ms. */

/** `target`: the target asked for it, with its answer to a run before. */
export type RunTrigger = 'schedule' | 'manual' | 'target';
export type RunStatus =
  | 'queued'
  | 'running'
  | 'retrying'
  | 'succeeded'
  | 'failed'
  | 'skipped'
  | 'missed';

/** The network's outcome of one request. */
export type Outcome = 'response' | 'timeout' | 'connectionError' | 'blocked' | 'lost';

/** Spans in ms. A request on a kept connection has no dns, connect, tls. */
export interface Phases {
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  firstByteMs?: number;
}

/** One request of a run or of a callback, as it is kept. */
export interface Attempt {
  number: number;
  startedAt: number;
  /** Absent where nobody saw the end (`lost`). */
  durationMs?: number;
  outcome: Outcome;
  responseStatus?: number;
  /** One sentence: why it is not a success. Absent on success. */
  error?: string;
  /** A sentence or two about the exchange that are no reason for its verdict. */
  note?: string;
  /** It was never sent: the breaker of its host was open. */
  refused?: true;
  /** The target answered 401, so the OAuth2 token that the request carried is used no more. */
  tokenDropped?: true;
  phases?: Phases;
  responseHeaders?: Record<string, string>;
  responseBody?: string;
  /** The members of `Punctual-Control` that were obeyed. */
  control?: Control;
  /** One sentence: the members that were ignored, and why. */
  controlFault?: string;
  /** The target says how it ended, apart from its answer. */
  completion?: AttemptCompletion;
}

/** The end of an attempt that comes later than its answer. Instants are epoch ms. */
export interface AttemptCompletion {
  /** The deadline that its answer has set. A heartbeat may have moved it since. */
  until: number;
  /** When the deadline was set, while the run awaits. Absent where an earlier version set it. */
  acceptedAt?: number;
  /** When the target said it; absent while the run awaits it, and where nothing came. */
  endedAt?: number;
  /** The last deadline, by which nothing came. Absent where an earlier version decided that. */
  timedOutAt?: number;
  message?: string;
}

/** A run that has ended for good, as history keeps it. */
export interface RunRecord {
  id: string;
  scheduledFor: number;
  trigger: RunTrigger;
  status: 'succeeded' | 'failed' | 'skipped' | 'missed';
  startedAt?: number;
  finishedAt?: number;
  /** Of one that was not sent: when that was decided. */
  decidedAt?: number;
  attempts: Attempt[];
  reason?: string;
  /** One record for more than 1,000 missed times: how many, the first and the last. */
  missed?: { count: number; from: number; to: number };
}
