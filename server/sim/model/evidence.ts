import type { Run } from '@punctual/client';

/** All that a crash test has seen, from outside: what the checker judges. Instants are epoch ms. */
export interface Evidence {
  schedules: ScheduleSeen[];
  lives: Life[];
  /** When the test held the store, so that nobody else could write, and when the machine stood still. */
  stalls: { from: number; to: number }[];
  arrivals: Arrival[];
  callbackArrivals: CallbackArrival[];
  /** As `GET /v1/run` tells them, with `callbacks` of `GET /v1/run/{id}` where there may be any. */
  runs: Run[];
  /** Ids of manual runs whose trigger was answered 200. */
  triggered: string[];
  /** What callers were told instead of a 200, while the service was up and nobody killed it. */
  refused: string[];
  /** Nominal times up to here must have come to their end. */
  until: number;
}

export interface ScheduleSeen {
  id: string;
  interval: string;
  timezone: string;
  createdAt: number;
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
  };
  /** Where it is more than a cron interval. */
  planned?: Planned;
  /** Its create was answered 200: then it must be there. The others were cut off, and may be. */
  acknowledged: boolean;
  /** The service still knows it at the end. */
  listed: boolean;
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

/** One process of the service. */
export interface Life {
  spawnedAt: number;
  /** When it said that it listens; null where it was killed before. */
  readyAt: number | null;
  /** How it ended, and the instants between which it did; null while it lives. */
  end: { how: 'killed' | 'stopped'; from: number; to: number } | null;
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
  /** When its answer was written, or when its connection broke. */
  endedAt: number;
  /** Null where it was cut off before it was answered. */
  status: number | null;
  /** By its `Retry-After`: no further attempt starts before, epoch ms. */
  retryAt?: number;
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
