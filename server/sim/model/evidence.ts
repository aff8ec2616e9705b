import type { Run } from '@punctual/client';
import type { ClientSeen, SignedSeen } from './evidence-of-clients.ts';
import type { CountedSeen, TakenBackSeen } from './evidence-of-counts.ts';
import type { HaltSeen } from './evidence-of-halts.ts';
import type { WireSeen } from './wire-evidence.ts';

/** All that a crash test has seen, from outside: what the checker judges. Instants are epoch ms. */
export interface Evidence {
  schedules: ScheduleSeen[];
  lives: Life[];
  /** When the test held the store, so that nobody else could write, and when the machine stood still. */
  stalls: Stall[];
  /** When the machine was suspended; absent: it never was. */
  suspensions?: { from: number; to: number }[];
  /** Of the installation; absent: there were none. */
  pauses?: HaltSeen[];
  arrivals: Arrival[];
  callbackArrivals: CallbackArrival[];
  /** As `GET /v1/run` tells them, with `callbacks` of `GET /v1/run/{id}` where there may be any. */
  runs: Run[];
  /** Ids of manual runs whose trigger was answered 200. */
  triggered: string[];
  /** What callers were told instead of a 200, while the service was up and nobody killed it. */
  refused: string[];
  /** What no engine could decide about or build, and why. Absent: nobody looked. */
  setAside?: string[];
  /** The labels of schedules of which there are several, although each was asked for under one key. */
  madeTwice: string[];
  explained: ExplainedSeen[];
  /** Absent: nobody asked. */
  nexts?: NextSeen[];
  /** What targets said that had answered 202. Absent: none did. */
  said?: SaidSeen[];
  /** Where there are several. */
  clients?: ClientSeen[];
  /** Requests and callbacks, with their signatures, where that was kept. */
  signed?: SignedSeen[];
  /** Slots for the requests of one client to one host; absent: nobody fills them. */
  mostPerHost?: number;
  /** Figures that callers asked for. Absent: nobody did. */
  counted?: CountedSeen[];
  takenBack?: TakenBackSeen[];
  /** As rows were at any instant. Absent: nobody looked. */
  inFlight?: InFlightSeen[];
  /** As in `HistorySeen`. */
  decidedAt?: HistorySeen['decidedAt'];
  /** How long history is kept, where some of it is taken away; its runs are among `runs`. */
  kept?: { runsDays: number; failedRunsDays: number };
  pruned?: PrunedSeen[];
  /** Absent: there are none. */
  destinations?: DestinationSeen[];
  calendars?: CalendarSeen[];
  /** Where requests went through sockets. */
  wire?: WireSeen;
  /** Nominal times up to here must have come to their end. */
  until: number;
  /** Where nodes share the store. */
  shared?: Shared;
}

/** What is known of nodes that share a store. */
export interface Shared {
  /** How long a claim is held without a renewal. */
  leaseMs: number;
  /** Answers of the store that were lost after the work was done, and the schedules that were concerned. */
  lostAnswers: { at: number; scheduleIds: string[] }[];
  /** All claims that nodes have had. */
  holds: Hold[];
}

/** A claim of a node: of a firing, a manual run or a callback of a schedule. */
export interface Hold {
  scheduleId: string;
  node: string;
  from: number;
  /** When its lease began for the last time. */
  renewedAt: number;
  /** Until it was settled or taken back; Infinity while it is held. */
  to: number;
  /** Another node has ended it. */
  isTakenBack: boolean;
}

export interface ScheduleSeen {
  id: string;
  interval: string;
  timezone: string;
  createdAt: number;
  /** The id of its client, where there are several. */
  client?: string;
  integrations: { id: string; callOnSuccess: boolean }[];
  /** Scheme, name and port of its target. Absent: callbacks go there as well. */
  origin?: string;
  /** Absent: as by default. */
  policy?: {
    maxRetries?: number;
    retryDelaysSeconds?: number[];
    retryForSeconds?: number;
    catchUpSeconds?: number;
    overlap?: 'skip' | 'bufferOne';
    completion?: { deadlineSeconds: number };
    obeyTarget?: boolean;
  };
  /** Its calendars. */
  excludes?: Excludes;
  /** The name of its destination. */
  destination?: string;
  /** Where it is more than a cron interval. */
  planned?: Planned;
  /** As it was from its create on, in their order. Absent: nobody asked for a change. */
  versions?: VersionSeen[];
  /** What callers asked to be changed. */
  changes?: ChangeSeen[];
  /** Its create was answered 200: then it must be there. The others were cut off, and may be. */
  acknowledged: boolean;
  /** The service still knows it at the end. */
  listed: boolean;
}

/** The calendars of a schedule, and what it does with an excluded time. */
export interface Excludes {
  names: string[];
  onExcluded?: 'skip' | 'nextDay' | 'previousDay' | undefined;
  windowSeconds?: number | undefined;
}

/** A calendar, with what its callers asked for, one after the other. */
export interface CalendarSeen {
  name: string;
  versions: CalendarVersionSeen[];
}

export interface CalendarVersionSeen {
  periods: PeriodsSeen[];
  askedAt: number;
  /** Infinity until then. */
  answeredAt: number;
  /** Which one answered. Absent where there is one at a time. */
  node?: string;
}

/** Dates or instants; `to` is exclusive. */
export interface PeriodsSeen {
  from: string;
  to: string;
}

/** A destination, with what its callers asked for, one after the other. */
export interface DestinationSeen {
  name: string;
  versions: LimitsSeen[];
}

/** Limits of a destination that a caller asked for, once or again and again. */
export interface LimitsSeen {
  /** Null: it was deleted. */
  limits: { maxConcurrent?: number; perSecond?: number } | null;
  askedAt: number;
  /** Null: it may be so, or not. */
  answeredAt: number | null;
}

/** A schedule as it was between two changes. */
export interface VersionSeen {
  /** By the number of its change; 0: it was created so. */
  change: number;
  /** The instant of the change, as the service says. */
  at: number;
  /** By then it was written: its caller was answered, or waited no more. */
  writtenBy: number;
  /** No caller asked for it. */
  isByTarget?: true;
  is: Content;
}

/** When and where a schedule fires. */
export interface Content {
  url: string;
  interval: string;
  timezone: string;
  status: string;
  /** Epoch ms; absent where it is over. */
  pausedUntil?: number | undefined;
}

/** A change that a caller asked for, once. */
export interface ChangeSeen {
  number: number;
  askedAt: number;
  /** When its caller was answered, or waited no more. */
  endedAt: number;
  /** From when to when that was, by the world's time. Absent: its clock was not set. */
  during?: { from: number; to: number };
  fields: Partial<Content>;
  /** As it was answered; null: it was not. */
  told: { at: number; is: Content } | null;
  /** A deletion tells nothing but that it was made. */
  isDeleted: boolean;
  /** The only version that it was to change; absent: any. */
  match?: number;
  /** The status with which it was refused. */
  refusedWith?: number;
}

/** What the caller asked for beside the interval, and how the service tells of the schedule at the end. */
export interface Planned {
  startsAt?: number;
  endsAt?: number;
  maxRuns?: number;
  pausedUntil?: number;
  windowSeconds?: number;
  afterCompletion: 'disable' | 'delete';
  status: string;
  statusReason?: string;
  /** 1 as it was created, and one more with each change. */
  version: number;
  /** Of the last change; null: there was none. */
  updatedAt: number | null;
}

/** What a caller was told of an instant of a schedule. */
export interface ExplainedSeen {
  scheduleId: string;
  at: number;
  askedAt: number;
  answeredAt: number;
  verdict: string;
}

/** The next times of a schedule as a caller was told them. */
export interface NextSeen {
  scheduleId: string;
  askedAt: number;
  answeredAt: number;
  times: number[];
}

/** A row that was in flight when somebody looked. Instants are epoch ms. */
export interface InFlightSeen {
  at: number;
  scheduleId: string;
  /** Of the run, or of the callback. */
  id: string;
  claimedAt: number;
  dueAt: number;
}

/** A run that retention took away, and when, epoch ms. */
export interface PrunedSeen {
  at: number;
  /** The same by the world's time. */
  trueAt: number;
  run: Run;
  /** Of a time that did not fire. */
  decidedAt: number | undefined;
}

/** History as it stands. */
export interface HistorySeen {
  runs: Run[];
  /** When it was decided that times do not fire, by the ids of their records, epoch ms. */
  decidedAt: Record<string, number>;
}

/** How an attempt ended, as its target said later, until it was answered. Instants are epoch ms. */
export interface SaidSeen {
  runId: string;
  attempt: number;
  /** Null: it asked for more time only. */
  status: 'succeeded' | 'failed' | null;
  extendSeconds: number | null;
  /** When it was said first, and when the last answer came. */
  askedAt: number;
  endedAt: number;
  /** Of the last answer; null where there was none. */
  code: number | null;
  tries: number;
}

export interface Stall {
  from: number;
  to: number;
  /** The way of one node to the store; absent: of all. */
  node?: string;
}

/** One process of the service, or what of it is between two pauses: an engine stops at one, and another one starts after it. */
export interface Life {
  /** Absent where there is one at a time. */
  node?: string;
  spawnedAt: number;
  /** When it said that it listens; null where it was killed before. */
  readyAt: number | null;
  /** When its engine first read its clock, in whole ms: what comes from then on is seen. Absent where nobody knows. */
  lookedAt?: number;
  /** How it ended, and the instants between which it did; null while it lives. */
  end: {
    how: 'killed' | 'stopped';
    from: number;
    to: number;
    /** Nobody knows which claims ahead of their time it had sent. */
    isUnknown?: boolean;
    /** Nobody killed it: it stopped for a pause, and waited no longer for what was in flight. */
    isAbandoned?: boolean;
  } | null;
  /** When nothing of it ran, and time passed. */
  frozen?: { from: number; to: number }[];
  /** When its clock was behind, because the store's answer to what time it is took long. */
  lags?: { from: number; to: number; behindMs: number }[];
}

/** One request at the target. */
export interface Arrival {
  scheduleId: string;
  webhookId: string;
  scheduledFor: number;
  attempt: number;
  /** Absent in evidence that is made up. */
  fence?: number;
  at: number;
  /** Where nodes share the store: who sent it. */
  node?: string;
  /** And when, by the clock of its sender. */
  senderAt?: number;
  /** When its answer was written, or when its connection broke. */
  endedAt: number;
  /** Null where it was cut off before it was answered. */
  status: number | null;
  /** By its `Retry-After`: no further attempt starts before, epoch ms. */
  retryAt?: number;
  /** By its `Punctual-Control`. */
  asked?: ControlAsked;
}

/** What an answer asks for by `Punctual-Control`, as far as that counts. */
export interface ControlAsked {
  noRetry?: true;
  pauseSeconds?: number;
  disable?: true;
  againSeconds?: number;
  /** Something of it counts as nothing, and that is noted. */
  isFaulty?: true;
}

/** One request at the receiver of callbacks. */
export interface CallbackArrival {
  webhookId: string;
  attempt: number;
  type: string;
  scheduleId: string;
  runId: string;
  /** Of the run. */
  scheduledFor: number;
  integrationId: string;
  at: number;
  status: number | null;
  retryAt?: number;
}
