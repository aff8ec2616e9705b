import { hash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { buildApi } from '../../../src/api/app.ts';
import type { ApiDeps } from '../../../src/api/deps.ts';
import { systemClock } from '../../../src/clock.ts';
import { periodsOf } from '../../../src/domain/calendar/exclusion/calendar-source.ts';
import { newId } from '../../../src/domain/id.ts';
import { ALLOW_PUBLIC } from '../../../src/domain/schedule/target.ts';
import { CalendarReader } from '../../../src/engine/calendar-reader.ts';
import { sentRequest, shownRequest } from '../../../src/outbound/request.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';

/** The API on a real socket and a real store, with two clients that know nothing of each other. */
export interface Service {
  app: FastifyInstance;
  port: number;
  store: Store;
  mine: Credentials;
  theirs: Credentials;
  /** What the engine was told, in order. */
  told: Told[];
  /** Log lines as objects. */
  logged: Array<Record<string, unknown>>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  create(change?: object, as?: Credentials): Promise<Wire.Schedule>;
  close(): Promise<void>;
}

export type Told =
  | { dueAt: number }
  | { scheduleId: string; changedAt: number }
  | { rotated: number }
  | 'outbox'
  | 'calendars';

export interface Credentials {
  clientId: string;
  clientRowId: number;
  keyId: string;
  apiKey: string;
}

interface CallOptions {
  /** Sent as JSON; bytes and text as they are. */
  body?: unknown;
  /** Beside ClientId and ApiKey; null leaves one of them out. */
  headers?: Record<string, string | null>;
  as?: Credentials;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was answered
  body: any;
}

export const valid = {
  url: 'https://example.com/hook',
  verb: 'POST',
  interval: '*/5 * * * *',
  timezone: 'UTC',
} as const;

export async function startService(changes: Partial<ApiDeps> = {}): Promise<Service> {
  const store = changes.store ?? openSqlite(':memory:');
  const told: Told[] = [];
  const logged: Array<Record<string, unknown>> = [];
  const app = buildApi({
    store,
    clock: systemClock,
    allow: ALLOW_PUBLIC,
    engine: {
      hasStarted: true,
      wake: dueAt => told.push({ dueAt }),
      changed: (scheduleId, changedAt) => told.push({ scheduleId, changedAt }),
      wakeOutbox: () => told.push('outbox'),
      rotated: clientRowId => told.push({ rotated: clientRowId }),
      calendarsChanged: () => told.push('calendars'),
    },
    log: keptLog(logged),
    tryOut: async () => {
      throw new Error('nothing is sent here');
    },
    showRequest: shownRequest,
    showSent: sentRequest,
    calendarPort: new CalendarReader({
      calendars: store.calendars,
      clock: changes.clock ?? systemClock,
      expand: periodsOf,
      fetchText: async () => {
        throw new Error('nothing is fetched here');
      },
    }),
    isEncrypting: true,
    keepRunsDays: 30,
    readiness: async () => ({}),
    pausedSince: () => store.installation.pausedSince(),
    metricsText: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'up 1\n' }),
    ...changes,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  async function close(): Promise<void> {
    app.server.closeAllConnections();
    await app.close();
    await store.close();
  }
  const { port } = app.server.address() as AddressInfo;
  const mine = await newClient(store, 'mine');
  const theirs = await newClient(store, 'theirs');

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { body, headers = {}, as = mine } = options;
    const all: Record<string, string | null> = {
      ClientId: as.clientId,
      ApiKey: as.apiKey,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null),
      body:
        body === undefined || typeof body === 'string' || body instanceof Uint8Array
          ? ((body as string | Uint8Array<ArrayBuffer> | undefined) ?? null)
          : JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  }

  async function create(change: object = {}, as = mine): Promise<Wire.Schedule> {
    const answer = await call('POST', '/v1/schedule', { body: { ...valid, ...change }, as });
    if (answer.status !== 200) throw new Error(`create answered ${answer.text}`);
    return answer.body;
  }

  return { app, port, store, mine, theirs, told, logged, call, create, close };
}

export async function newClient(store: Store, name: string): Promise<Credentials> {
  const clientId = newId(Date.now());
  const apiKey = `pk_${randomBytes(32).toString('base64url')}`;
  const keyId = newId(Date.now());
  const keyHash = hash('sha256', apiKey, 'hex');
  await store.clients.insertClient({
    id: clientId,
    name,
    signingSecret: `whsec_${randomBytes(24).toString('base64')}`,
    createdAt: Date.now(),
  });
  await store.keys.insertKey({ id: keyId, clientId, hash: keyHash, createdAt: Date.now() });
  const caller = await store.keys.findCaller(keyHash);
  return { clientId, clientRowId: caller!.clientRowId, keyId, apiKey };
}

export async function revoke(store: Store, { clientId, keyId }: Credentials): Promise<void> {
  const revocation = { revokedAt: Date.now(), withDescendants: false };
  await store.keys.revokeKey(clientId, keyId, revocation);
}

function keptLog(lines: Array<Record<string, unknown>>): Logger {
  return pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) });
}

/** No key, secret or body of a caller ever stands in a log. */
export function secretsIn({ logged, mine, theirs }: Service): string[] {
  const text = JSON.stringify(logged);
  return [mine.apiKey, theirs.apiKey].filter(secret => text.includes(secret));
}
