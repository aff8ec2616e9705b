export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD';
export type ScheduleStatus = 'enabled' | 'disabled' | 'deleted';

/** The bounds of each field of a policy, both inclusive, and the service's default. */
export const POLICY_FIELDS = {
  /** Time limit of one attempt, from connecting to the last byte: 1 to 1,800, 30 by default. */
  timeoutSeconds: { from: 1, to: 1_800, byDefault: 30 },
  /** Attempts after the first one: 0 to 10, 3 by default. */
  maxRetries: { from: 0, to: 10, byDefault: 3 },
  /** How old a time that passed unseen may be and still fire: 0 to 31,536,000, 86,400 by default. */
  catchUpSeconds: { from: 0, to: 31_536_000, byDefault: 86_400 },
} as const;

/** How one schedule's firing behaves; each field falls back to the service's default. */
export type Policy = { -readonly [Field in keyof typeof POLICY_FIELDS]?: number };

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

export type PolicyPatch = { [Field in keyof Policy]?: number | null };

export interface DeleteResult {
  success: boolean;
}

export interface ErrorBody {
  error: string;
}

/** The page of a list, newest first. */
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
  /** Of a search among very many schedules maybe fewer than were asked for, or none, and more behind. */
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

export interface OffsetsQuery {
  timezone: string;
}

export interface ZoneOffset {
  /** It holds from here to the next one. */
  from: string;
  /** Local time minus UTC. */
  offsetSeconds: number;
}

/** The UTC offsets of a time zone, by the rules of the service. */
export interface ZoneOffsets {
  timezone: string;
  /** The release of the rules, such as `2026f`. */
  tzdata: string;
  /** The end of the list. */
  until: string;
  offsets: ZoneOffset[];
}
