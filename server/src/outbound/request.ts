import type { SigningSecrets } from '../domain/access/rotation.ts';
import { iso } from '../domain/iso.ts';
import { POLICY_DEFAULTS, type Schedule, type Verb } from '../domain/schedule/schedule.ts';
import { VERSION } from '../version.ts';
import type { OutboundRequest } from './send.ts';
import { signatures } from './signature.ts';

/** The facts about an attempt that its request carries. */
export interface AttemptRequestFacts {
  /** The attempt, from 1. */
  attempt: number;
  /** Of the attempt: what is signed must not look older than it is. */
  nowMs: number;
  secrets: SigningSecrets;
  timeoutMs: number;
}

export interface RunRequestFacts extends AttemptRequestFacts {
  runId: string;
  scheduleId: string;
  /** Epoch ms. */
  scheduledFor: number;
}

export interface CallbackRequestFacts extends Omit<AttemptRequestFacts, 'attempt'> {
  url: string;
  id: string;
  /** JSON. */
  body: string;
  attempt?: number;
}

/** The request of one attempt of a run, with the schedule's own secrets and time limit. */
export function runRequest(
  schedule: Schedule & SigningSecrets,
  facts: Pick<RunRequestFacts, 'runId' | 'scheduledFor' | 'attempt' | 'nowMs'>,
): OutboundRequest {
  const { id: scheduleId, policy } = schedule;
  const timeoutMs = (policy?.timeoutSeconds ?? POLICY_DEFAULTS.timeoutSeconds) * 1_000;
  return buildRunRequest(schedule, { ...facts, scheduleId, secrets: schedule, timeoutMs });
}

/**
 * The request of a firing: what the schedule says, and what the service adds.
 *
 * `data` goes where RFC 9110 gives it a meaning: into the body, or for GET, HEAD and DELETE into the
 * query, behind the one that the url has. Of User-Agent and Content-Type the caller's own win.
 */
export function buildRunRequest(
  { url, verb, headers: own, data }: Pick<Schedule, 'url' | 'verb' | 'headers' | 'data'>,
  facts: RunRequestFacts,
): OutboundRequest {
  const headers: string[] = [];
  let userAgent: string | undefined;
  let contentType: string | undefined;
  for (const name in own) {
    const value = own[name]!;
    const lower = name.toLowerCase();
    if (lower === 'user-agent') userAgent = value;
    else if (lower === 'content-type') contentType = value;
    headers.push(name, onTheWire(value));
  }
  const ownHeaders = headers.length;
  if (userAgent === undefined) headers.push('User-Agent', USER_AGENT);

  let body: string | null = null;
  if (data !== undefined && takesBody(verb)) {
    body = isForm(contentType) ? new URLSearchParams(data).toString() : JSON.stringify(data);
    if (contentType === undefined) headers.push('Content-Type', 'application/json');
  }
  headers.push(
    'Punctual-Schedule-Id',
    facts.scheduleId,
    'Punctual-Scheduled-For',
    iso(facts.scheduledFor),
  );
  addCommonHeaders(headers, facts.runId, body ?? '', facts);
  return {
    method: verb,
    url: data === undefined || takesBody(verb) ? url : withQuery(url, data),
    headers,
    ownHeaders,
    body,
    timeoutMs: facts.timeoutMs,
  };
}

/** The request of a callback; `id` is the callback's own, the same over its attempts. */
export function buildCallbackRequest({
  url,
  id,
  body,
  ...facts
}: CallbackRequestFacts): OutboundRequest {
  const headers = ['User-Agent', USER_AGENT, 'Content-Type', 'application/json'];
  addCommonHeaders(headers, id, body, facts);
  return { method: 'POST', url, headers, body, timeoutMs: facts.timeoutMs };
}

/** Adds the headers of every request: its attempt, and the proof that it is Punctual's. */
function addCommonHeaders(
  headers: string[],
  id: string,
  body: string,
  { attempt, nowMs, secrets }: Omit<CallbackRequestFacts, 'url' | 'id' | 'body'>,
): void {
  if (attempt !== undefined) headers.push('Punctual-Attempt', String(attempt));
  headers.push('webhook-id', id, 'webhook-timestamp', String(Math.floor(nowMs / 1_000)));
  headers.push('webhook-signature', signatures(secrets, id, nowMs, body));
}

function takesBody(verb: Verb): boolean {
  return verb === 'POST' || verb === 'PUT' || verb === 'PATCH' || verb === 'OPTIONS';
}

function isForm(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  return contentType.split(';', 1)[0]!.trim().toLowerCase() === FORM;
}

function withQuery(url: string, data: Record<string, string>): string {
  const added = new URLSearchParams(data).toString();
  if (added === '') return url;
  const hash = url.indexOf('#');
  const base = hash === -1 ? url : url.slice(0, hash);
  const joint = base.includes('?') ? (/[?&]$/.test(base) ? '' : '&') : '?';
  return base + joint + added + (hash === -1 ? '' : url.slice(hash));
}

/**
 * The value with its UTF-8 bytes as characters. Header values are sent as Latin-1. That would turn
 * the harmless text U+010D U+010A into CR LF, and so let its author add a header.
 */
function onTheWire(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it means all of ASCII
  return /^[\x00-\x7f]*$/.test(value) ? value : Buffer.from(value, 'utf8').toString('latin1');
}

const FORM = 'application/x-www-form-urlencoded';
const USER_AGENT = `Punctual/${VERSION}`;
