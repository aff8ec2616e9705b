export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD';
export type ScheduleStatus = 'enabled' | 'disabled' | 'deleted';

/** The bounds of each field of a policy that is a span or a count with a default, both inclusive. */
export const POLICY_FIELDS = {
  /** Time limit of one attempt, from connecting to the last byte: 1 to 1,800, 30 by default. */
  timeoutSeconds: { from: 1, to: 1_800, byDefault: 30 },
  /** Attempts after the first one: 0 to 10, 3 by default. */
  maxRetries: { from: 0, to: 10, byDefault: 3 },
  /** How old a time that passed unseen may be and still fire: 0 to 31,536,000, 86,400 by default. */
  catchUpSeconds: { from: 0, to: 31_536_000, byDefault: 86_400 },
} as const;

/** The fate of a time that comes while a run of its schedule is going. */
export type Overlap = 'skip' | 'bufferOne';
/** The part of an answer that history keeps. */
export type KeepResponse = 'all' | 'headers' | 'none';

/** The conditions that make an answer a success: all must hold. */
export interface Success {
  /** Statuses and classes, such as `304` and `2xx`: `["2xx"]` by default. */
  statuses?: string[];
  /** A text that the body must contain. */
  bodyContains?: string;
  /** A text that the body must not contain. */
  bodyLacks?: string;
  /** A value of a JSON body. */
  json?: {
    /** Its place, by RFC 6901, such as `/ok`. */
    pointer: string;
    equals: string | number | boolean | null;
  };
}

/** How one schedule's firing behaves; each field falls back to the service's default. */
export interface Policy {
  timeoutSeconds?: number;
  maxRetries?: number;
  catchUpSeconds?: number;
  /** Whether `{{run.id}}` and other names are replaced in url, headers, data and body. False by default. */
  template?: boolean;
  success?: Success;
  /** The delay before each retry, instead of 5, 30, 120 and so on: 1 to 10 numbers of 1 to 86,400. */
  retryDelaysSeconds?: number[];
  /** No retry starts later than this after the nominal time: 1 to 604,800. */
  retryForSeconds?: number;
  /** Statuses and classes to retry, instead of 408, 425, 429 and 5xx; none: only errors of the network and timeouts. */
  retryStatuses?: string[];
  /** `skip` by default. */
  overlap?: Overlap;
  /** The schedule is disabled after this many failed runs in a row: 1 to 1,000. */
  disableAfterFailures?: number;
  /** Whether a 410 disables the schedule. False by default. */
  disableOnGone?: boolean;
  /** `all` by default. */
  keepResponse?: KeepResponse;
  /** Whether the target's `Punctual-Control` is obeyed. True by default. */
  obeyTarget?: boolean;
  /** A target that answers 202 may tell the end of its run later, within this time: 1 to 604,800. */
  completion?: { deadlineSeconds: number };
}

export type OnExcluded = 'skip' | 'nextDay' | 'previousDay';
export type AfterCompletion = 'disable' | 'delete';

/** When a schedule fires, besides interval and time zone. Instants are ISO 8601. */
export interface TimingInput {
  /** Times of the interval before it are left out. */
  startsAt?: string;
  /** Exclusive: times of the interval from here on are left out. */
  endsAt?: string;
  /** How many times there are, from the create or the last change of its times on: 1 to 1,000,000. */
  maxRuns?: number;
  /** Nothing fires before it; then the schedule goes on by itself. */
  pausedUntil?: string;
  /** 1 to 86,400: each time is later by an offset of the schedule's own, which lies in this window. */
  windowSeconds?: number;
  /** Names of 1 to 5 calendars. */
  exclude?: string[];
  /** The fate of an excluded time: `skip` by default. */
  onExcluded?: OnExcluded;
  /** The fate of the schedule when no time is left to come: `disable` by default. */
  afterCompletion?: AfterCompletion;
}

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

export interface IntegrationInput {
  /** Kept when it was already this schedule's; otherwise the service gives a new one. */
  id?: string;
  type: 'WEBHOOK';
  url: string;
  name?: string;
  includeScheduleUrlInCallback?: boolean;
  callOnSuccess?: boolean;
}

export interface Schedule extends TimingInput {
  id: string;
  status: ScheduleStatus;
  url: string;
  verb: Verb;
  /** Cron of five fields, six with seconds in front, or a macro such as `@daily`; `at(…)` for once; `rate(…)` for a period. */
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
  /** The caller's own id. Wherever an id stands in a path, `ext:` and it names the same schedule. */
  externalId?: string;
  tags?: Record<string, string>;
  /** Raw, instead of `data`. */
  body?: string;
  /** The name of the destination through which its url is called. */
  destination?: string;
  /** Only where the service changed the status. */
  statusReason?: StatusReason;
}

/** The body of create and replace. Read-only fields are accepted and ignored. */
export interface ScheduleInput extends TimingInput {
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
  /** 1 to 128 of `A-Z a-z 0-9 . _ ~ : @ -`, unique among the schedules that are not deleted. A PUT without it keeps it. */
  externalId?: string;
  /** 20 at most. */
  tags?: Record<string, string>;
  /** Raw text, 128 KiB at most, instead of `data`; for POST, PUT, PATCH and OPTIONS. */
  body?: string;
  /** The name of a destination, whose hosts include the url's. */
  destination?: string;
  statusReason?: unknown;
  id?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
}

/**
 * The body of PATCH, a JSON Merge Patch (RFC 7396): what is left out stays, null removes an optional
 * property. Headers, data, policy and tags are merged key by key, at every depth; arrays are replaced as a whole.
 */
export interface SchedulePatch extends TimingPatch {
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
  externalId?: string | null;
  tags?: Record<string, string | null> | null;
  body?: string | null;
  destination?: string | null;
  statusReason?: unknown;
  id?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
}

export type TimingPatch = { [Field in keyof TimingInput]?: TimingInput[Field] | null };

/** Objects within it are merged key by key too. */
export type PolicyPatch = {
  [Field in keyof Omit<Policy, 'success' | 'completion'>]?: Policy[Field] | null;
} & {
  success?: SuccessPatch | null;
  completion?: { deadlineSeconds?: number | null } | null;
};

export interface SuccessPatch {
  statuses?: string[] | null;
  bodyContains?: string | null;
  bodyLacks?: string | null;
  json?: { pointer?: string | null; equals?: string | number | boolean | null } | null;
}

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
  /** Of the url, with its port, in lower case. */
  host?: string;
  /** `team:billing`, or `team` for any value: all must hold. */
  tag?: string[];
}

export interface SchedulePage {
  /** Of a search among very many schedules maybe fewer than were asked for, or none, and more behind. */
  items: Schedule[];
  nextCursor?: string;
}

/** The same patch for many schedules: those named, or those with a tag. */
export interface PatchManyInput {
  /** 1 to 1,000 ids, or `ext:` and an external id. */
  ids?: string[];
  /** `team:billing`, or `team` for any value: 1,000 schedules at most. */
  tag?: string;
  patch: SchedulePatch;
}

export interface BatchInput {
  items: ScheduleInput[];
}

export interface BatchResult {
  items: Schedule[];
}

export interface PreviewInput extends TimingInput {
  interval: string;
  timezone: string;
  /** Decides the offset in the window; without it, times stand at the start of the window. */
  externalId?: string;
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

/** Intervals to say in words. */
export interface WordsInput {
  intervals: string[];
}

export interface IntervalWords {
  interval: string;
  /** A sentence without its full stop, true of every time of the interval. */
  words: string;
}

export interface IntervalWordsList {
  /** In the order of the question. */
  items: IntervalWords[];
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
