import type * as Wire from '@punctual/client';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { PublicKey } from '../domain/access/issuer-keys.ts';
import type { GivenSource } from '../domain/calendar/exclusion/calendar-source.ts';
import type { Attempt } from '../domain/run/run.ts';
import type { RequestParts } from '../domain/schedule/request-parts.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { AllowTargets } from '../domain/schedule/target.ts';
import type { StoredCalendar } from '../store/contract/calendars.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { Store } from '../store/contract/store.ts';
import type { SignInLink } from './access/sign-in-link.ts';

/** The dependencies of the API. It uses nothing else. */
export interface ApiDeps {
  store: Store;
  clock: Clock;
  allow: AllowTargets;
  engine: EnginePort;
  /**
   * Sends the request of a schedule once and stores nothing.
   *
   * @throws PunctualError `too_many_tries`
   */
  tryOut: (schedule: Schedule, caller: Caller) => Promise<Attempt>;
  /** The request of a schedule, its templates filled in, without the headers of one attempt. */
  showRequest: (
    parts: RequestParts,
    facts: { scheduleId: string; scheduledFor: number },
  ) => Wire.RenderedRequest;
  /** The request of an attempt as it was sent, of a schedule with its templates filled in. */
  showSent: (
    schedule: Schedule,
    facts: { runId: string; scheduledFor: number; attempt: number; added: readonly string[] },
  ) => { request: Wire.SentRequest; masked: string[] };
  /** Reads the sources of calendars and keeps what they say. */
  calendarPort: CalendarPort;
  /** The key of completion urls; null where none was ever made. */
  completionKey?: () => Promise<Buffer | null>;
  /** The secrets of the destination of a schedule: history does not keep them where its target tells them. */
  secretsToward?: (schedule: Schedule, clientRowId: number) => Promise<readonly string[]>;
  /** Whether secrets are encrypted at rest: without that no secret of a destination is taken. */
  isEncrypting: boolean;
  /** The issuer of the service's tokens; null where PUNCTUAL_URL is unset. */
  issuer?: Issuer | null;
  /** How long history is kept, in days of UTC. */
  keepRunsDays: number;
  /** Whether the target of `punctual dev` is there. */
  echo?: boolean;
  /** The address of the sample targets of `punctual dev`, once it listens; null where there are none. */
  sampleUrl?: () => string | null;
  /** Signs in once, from a link that `punctual dev` has printed. */
  signInLink?: SignInLink;
  /**
   * The folder of the built dashboard. Without it the service has neither the dashboard nor the
   * reference.
   */
  dashboardFolder?: string;
  log: Logger;
  /** Whether this node only fires, and serves nothing under `/v1`. */
  withoutV1?: boolean;
  /** Whether requests can be served. */
  readiness: () => Promise<Readiness>;
  /** Since when nothing fires on any node, epoch ms; null: it does. */
  pausedSince: () => Promise<number | null>;
  metricsText: () => Promise<{ contentType: string; body: string }>;
  /** Told of each connection beyond the limit. */
  connectionRefused?: () => void;
  /** Told of each route that there is. */
  routed?: (method: string, route: string) => void;
  /** Told of each request, once its answer has ended. */
  requestEnded?: (request: RequestEnded) => void;
  /** Told of each caller whose ClientId and ApiKey do not fit: whose connection it is, behind a proxy that one's. */
  authenticationFailed?: (address: string) => void;
  limits?: Partial<Limits>;
}

export interface RequestEnded {
  /** HEAD counts as GET. */
  method: string;
  /** The pattern of the path, such as `/v1/run/:runId`; `none` where nothing is at the path. */
  route: string;
  status: number;
  durationMs: number;
}

export interface Readiness {
  /** Why requests cannot be served, in one sentence. */
  fault?: string;
  /** The promises that the store cannot keep, and a note if nothing fires; one sentence each. */
  warning?: string;
  /** Since when nothing fires, epoch ms: on all nodes, or by its setting on this one. */
  paused?: { since: number; by: 'command' | 'setting' };
}

/** The calls to an engine in the same process. An engine elsewhere finds out by itself. */
export interface EnginePort {
  /** False where nothing has fired since this process began: it has been paused all the while. */
  readonly hasStarted: boolean;
  /** A schedule was written and is due at `dueAt`. */
  wake(dueAt: number): void;
  /** It was changed: no request starts from here on but as the schedule now says. */
  changed(scheduleId: string, changedAt: number): void;
  /** A manual run of the schedule waits. */
  wakeOutbox(scheduleId: string): void;
  /** A client's requests are signed with other secrets from here on, or one of its destinations has changed. */
  rotated(clientRowId: number): void;
  /** A calendar was put, or a schedule was written while one of its calendars changed: it is to be counted anew. */
  calendarsChanged(): void;
}

/** An engine in another process finds out by itself. */
export const ELSEWHERE: EnginePort = {
  hasStarted: true,
  wake() {},
  changed() {},
  wakeOutbox() {},
  rotated() {},
  calendarsChanged() {},
};

export interface CalendarPort {
  /**
   * Reads the source, and makes or replaces the calendar.
   *
   * @throws PunctualError `calendar_invalid` where the source cannot be read, `quota_exceeded`
   */
  put(clientRowId: number, name: string, given: GivenSource): Promise<StoredCalendar>;
  /** Reads the source anew. @returns false where there is no such calendar */
  refresh(clientRowId: number, name: string): Promise<boolean>;
}

/** Signs the tokens with which targets know the service. */
export interface Issuer {
  /** Its name, and the url behind which its keys are published. */
  url: string;
  publicKeys(): Promise<PublicKey[]>;
}

export interface Limits {
  /** Connections at the same moment. */
  connections: number;
  bodyBytes: number;
  batchBodyBytes: number;
  /** A calendar's text has at most 1 MiB, and escapes may double it. */
  calendarBodyBytes: number;
  /** For calls of targets, which need no key. */
  completionBytes: number;
  /** The request line and the headers, together. */
  headerBytes: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** How often the two above are looked at. */
  timeoutCheckMs: number;
  /** How long a connection may rest between two requests: longer than most load balancers'. */
  keepAliveMs: number;
  /** How long a connection may stand still within a request or an answer. */
  stalledMs: number;
  /** How long a key counts as valid after it was looked up: a revoked one stops within 5 s. */
  callerCacheMs: number;
}

export const LIMITS: Limits = {
  connections: 5_000,
  bodyBytes: 256 * 1024,
  batchBodyBytes: 4 * 1024 * 1024,
  calendarBodyBytes: 2 * 1024 * 1024,
  completionBytes: 16 * 1024,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  timeoutCheckMs: 500,
  keepAliveMs: 72_000,
  stalledMs: 60_000,
  callerCacheMs: 2_000,
};
