import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { optionsOfScript } from './processes.ts';
import type { CREDENTIALS } from './punctual.ts';

/** A client that does its worst, in a process of its own. It tells how often each status was answered. */
export interface AbuserOptions {
  base: string;
  kind: Kind;
  credentials: typeof CREDENTIALS;
  seconds: number;
  /** The URL at which a request hangs. */
  hangingUrl: string;
  /** Schedules that can be triggered. */
  ids: string[];
}

export type Kind = keyof typeof REQUESTS;

export type Statuses = Record<string, number>;

interface Call {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** After so long it hangs up. */
  hangsUpMs?: number;
}

const AT_ONCE = 100;
const PATIENT_MS = 2_000;
const MOST_UNANSWERED_MS = 30_000;
const DRAFT = { verb: 'GET', interval: '0 0 1 1 *', timezone: 'UTC' };
/** As large as a batch may be, and wrong in the last of its items. */
const LARGE = largeBatch();

const REQUESTS = {
  streams: n => ({
    method: 'GET',
    path: '/v1/event',
    headers: { 'Last-Event-ID': `${Date.now() - 60_000}` },
    // Nearly all leave before an answer; the others hear what they are told.
    hangsUpMs: n % 20 || PATIENT_MS,
  }),
  triggers: (n, { ids }) => ({
    method: 'POST',
    path: `/v1/schedule/${ids[n % ids.length]}/trigger`,
  }),
  forecasts: n => ({ method: 'GET', path: `/v1/forecast?span=week&host=host-${n}.test` }),
  tries: (_n, { hangingUrl }) => ({
    method: 'POST',
    path: '/v1/try',
    body: JSON.stringify({ ...DRAFT, url: hangingUrl }),
  }),
  'wrong keys': () => ({ method: 'GET', path: '/v1/schedule', headers: { ApiKey: randomUUID() } }),
  'large bodies': () => ({ method: 'POST', path: '/v1/schedule/batch', body: LARGE }),
} satisfies Record<string, (n: number, options: AbuserOptions) => Call>;

function largeBatch(): string {
  const data = { text: 'x'.repeat(4_000) };
  const items = Array.from({ length: 1_000 }, (_, n) => ({
    ...DRAFT,
    url: 'http://127.0.0.1:9/',
    data,
    timezone: n === 999 ? 'Nowhere' : 'UTC',
  }));
  return JSON.stringify({ items });
}

/** @returns the status, or why there was none */
async function call(pool: Pool, one: Call, credentials: typeof CREDENTIALS): Promise<string> {
  const { method, path, body = null, hangsUpMs } = one;
  const hangUp = new AbortController();
  if (hangsUpMs !== undefined) setTimeout(() => hangUp.abort(), hangsUpMs);
  const headers = {
    ...credentials,
    ...(body !== null && { 'content-type': 'application/json' }),
    ...one.headers,
  };
  try {
    const answer = await pool.request({ method, path, headers, body, signal: hangUp.signal });
    if (hangsUpMs === undefined) await answer.body.dump();
    else answer.body.on('error', () => {}).destroy();
    return String(answer.statusCode);
  } catch (error) {
    if (!hangUp.signal.aborted) await pause(10);
    return hangUp.signal.aborted ? 'hung up' : (error as { code: string }).code;
  }
}

async function abuse(options: AbuserOptions): Promise<Statuses> {
  const { base, kind, credentials, seconds } = options;
  const pool = new Pool(base, { connections: AT_ONCE, headersTimeout: 0, bodyTimeout: 0 });
  const statuses: Statuses = {};
  const endsAt = performance.now() + seconds * 1_000;
  let sent = 0;
  const work = async () => {
    while (performance.now() < endsAt) {
      const status = await call(pool, REQUESTS[kind](sent++, options) as Call, credentials);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const all = Promise.all(Array.from({ length: AT_ONCE }, work));
  await Promise.race([all, pause(seconds * 1_000 + 500)]);
  // A machine that others keep busy may have answered nothing yet.
  const givenUpAt = performance.now() + MOST_UNANSWERED_MS;
  while (Object.keys(statuses).length === 0 && performance.now() < givenUpAt) await pause(100);
  void pool.destroy();
  return statuses;
}

if (import.meta.main) {
  process.send!(await abuse(optionsOfScript<AbuserOptions>()));
  process.exit();
}
