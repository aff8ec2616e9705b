import type { Timing } from '../calendar/timing.ts';

/** A schedule: the stored configuration without its owner. Instants are epoch ms. */

export const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const;
export type Verb = (typeof VERBS)[number];

export type ScheduleStatus = 'enabled' | 'disabled' | 'deleted';

/** Why the service itself changed a schedule's status. */
export type StatusReason = 'completed' | 'targetGone' | 'targetDisabled' | 'tooManyFailures';

export interface Integration {
  id: string;
  type: 'WEBHOOK';
  name: string;
  url: string;
  includeScheduleUrlInCallback: boolean;
  callOnSuccess: boolean;
}

/** The conditions that make an answer a success: all must hold. */
export interface Success {
  /** Statuses and classes, such as `304` and `2xx`. */
  statuses?: string[];
  bodyContains?: string;
  bodyLacks?: string;
  /** `pointer` by RFC 6901. */
  json?: { pointer: string; equals: string | number | boolean | null };
}

/** Unset fields mean `POLICY_DEFAULTS`; kept apart so that an answer gives back what was sent. */
export interface Policy {
  timeoutSeconds?: number;
  maxRetries?: number;
  catchUpSeconds?: number;
  template?: boolean;
  success?: Success;
  retryDelaysSeconds?: number[];
  retryForSeconds?: number;
  retryStatuses?: string[];
  overlap?: 'skip' | 'bufferOne';
  disableAfterFailures?: number;
  disableOnGone?: boolean;
  keepResponse?: 'all' | 'headers' | 'none';
  obeyTarget?: boolean;
  completion?: { deadlineSeconds: number };
}

export const POLICY_DEFAULTS = {
  timeoutSeconds: 30,
  maxRetries: 3,
  catchUpSeconds: 86_400,
} as const satisfies Policy;

/** The fields that an engine of level 0 knows. */
export const PLAIN_POLICY = ['timeoutSeconds', 'maxRetries', 'catchUpSeconds'] as const;

/** The facts that a firing needs beside url, verb, headers and data. Plain schedules have none: a claim reads one NULL more. */
export interface Delivery {
  /** The raw body, instead of `data`. */
  body?: string;
  /** Derived, where `body` is set: its Content-Type where the caller names none. */
  contentType?: string;
  /** For callbacks: the same as the schedule's own. */
  externalId?: string;
  tags?: Record<string, string>;
  /** The name of the destination through which the url is called. */
  destination?: string;
  /** Derived, where the policy has templates: which facts of runs before they name. */
  previous?: PreviousFact[];
}

/** A fact about the run before, as a template names it: `previous.status` and so on. */
export type PreviousFact = 'status' | 'scheduledFor' | 'responseStatus' | 'succeededFor';

export interface Schedule {
  id: string;
  status: ScheduleStatus;
  url: string;
  verb: Verb;
  interval: string;
  timezone: string;
  createdAt: number;
  updatedAt?: number;
  headers?: Record<string, string>;
  data?: Record<string, string>;
  integrations?: Integration[];
  label: string;
  policy?: Policy;
  timing?: Timing;
  delivery?: Delivery;
  /** The caller's own id: unique among a client's schedules that are not deleted. */
  externalId?: string;
  tags?: Record<string, string>;
  statusReason?: StatusReason;
}
