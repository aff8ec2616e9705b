/** A schedule: the stored configuration without its owner. Instants are epoch ms. */

export const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const;
export type Verb = (typeof VERBS)[number];

export type ScheduleStatus = 'enabled' | 'disabled' | 'deleted';

export interface Integration {
  id: string;
  type: 'WEBHOOK';
  name: string;
  url: string;
  includeScheduleUrlInCallback: boolean;
  callOnSuccess: boolean;
}

/** Unset fields mean `POLICY_DEFAULTS`; kept apart so that an answer gives back what was sent. */
export interface Policy {
  timeoutSeconds?: number;
  maxRetries?: number;
  catchUpSeconds?: number;
}

export const POLICY_DEFAULTS = {
  timeoutSeconds: 30,
  maxRetries: 3,
  catchUpSeconds: 86_400,
} as const satisfies Required<Policy>;

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
}
