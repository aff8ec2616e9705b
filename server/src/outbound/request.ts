import type { SigningSecrets } from '../domain/access/rotation.ts';
import { iso } from '../domain/iso.ts';
import { demandsOf } from '../domain/run/success.ts';
import { isForm } from '../domain/schedule/content-type.ts';
import { takesBody } from '../domain/schedule/raw-body.ts';
import type { RequestParts } from '../domain/schedule/request-parts.ts';
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
  /** It grows with each attempt of the schedule. A request of `POST /v1/try` has none: it is no attempt. */
  fence?: number | undefined;
  /** The url at which the target says later how the attempt ended. */
  completionUrl?: string | undefined;
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
  facts: Omit<RunRequestFacts, 'scheduleId' | 'secrets' | 'timeoutMs'>,
): OutboundRequest {
  const { id: scheduleId, policy } = schedule;
  const timeoutMs = (policy?.timeoutSeconds ?? POLICY_DEFAULTS.timeoutSeconds) * 1_000;
  const request = buildRunRequest(schedule, { ...facts, scheduleId, secrets: schedule, timeoutMs });
  const success = demandsOf(policy);
  if (success !== undefined) request.success = success;
  // Its token ends the run: history does not keep it where the target echoes it.
  const { completionUrl } = facts;
  if (completionUrl !== undefined) {
    request.secrets = [completionUrl.slice(completionUrl.lastIndexOf('/') + 1)];
  }
  return request;
}

/**
 * The request of a firing: what the schedule says, and what the service adds.
 *
 * `data` goes where RFC 9110 gives it a meaning: into the body, or for GET, HEAD and DELETE into the
 * query, behind the one that the url has. A raw body is sent as it is. Of User-Agent and Content-Type the caller's own win.
 */
export function buildRunRequest(parts: RequestParts, facts: RunRequestFacts): OutboundRequest {
  const request = unsignedRequest(parts, facts);
  addCommonHeaders(request.headers, facts.runId, request.body ?? '', facts);
  return request;
}

/** A request as people are shown it. */
interface ShownRequest {
  method: Verb;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** The same as people are shown it, without the headers of one attempt. */
export function shownRequest(
  parts: RequestParts,
  facts: Pick<RunRequestFacts, 'scheduleId' | 'scheduledFor'>,
): ShownRequest {
  return shown(unsignedRequest(parts, { ...facts, timeoutMs: 0 }));
}

/** The facts about an attempt that was sent, as far as they are kept. */
export interface SentRequestFacts extends Pick<RunRequestFacts, 'runId' | 'scheduledFor'> {
  attempt: number;
  /** The headers that the destination adds. */
  added: readonly string[];
}

/**
 * The request of an attempt that was sent before, with its secrets masked. Nobody kept its fence, nor when it was signed.
 *
 * @param schedule with its templates filled in
 */
export function sentRequest(
  schedule: RequestParts & Pick<Schedule, 'id' | 'policy'>,
  { added, ...facts }: SentRequestFacts,
): { request: ShownRequest; masked: string[] } {
  const isCompleted = schedule.policy?.completion !== undefined;
  const request = buildRunRequest(schedule, {
    ...facts,
    ...UNKNOWN,
    scheduleId: schedule.id,
    completionUrl: isCompleted ? '' : undefined,
  });
  for (const name of added) request.headers.push(name, SECRET);
  const { headers, ...same } = shown(request);
  const masked = Object.keys(headers).filter(
    name => Object.hasOwn(MASKS, name) || added.includes(name),
  );
  for (const name of masked) headers[name] = MASKS[name] ?? SECRET;
  return { request: { ...same, headers }, masked };
}

/** Their headers are masked. */
const UNKNOWN = { fence: 0, nowMs: 0, secrets: { signingSecret: 'whsec_' }, timeoutMs: 0 };
const SECRET = '[secret]';
const NOT_KEPT = '[not kept]';
const MASKS: Record<string, string> = {
  'Punctual-Fence': NOT_KEPT,
  'Punctual-Completion-Url': SECRET,
  'webhook-timestamp': NOT_KEPT,
  'webhook-signature': SECRET,
};

function shown({ method, url, headers: flat, body }: OutboundRequest): ShownRequest {
  const headers = new Map<string, string>();
  for (let at = 0; at < flat.length; at += 2) {
    headers.set(flat[at]!, Buffer.from(flat[at + 1]!, 'latin1').toString());
  }
  return {
    method: method as Verb,
    url,
    headers: Object.fromEntries(headers),
    ...(body !== null && { body }),
  };
}

function unsignedRequest(
  { url, verb, headers: own, data, delivery }: RequestParts,
  facts: Omit<RunRequestFacts, 'runId' | 'secrets' | 'attempt' | 'nowMs'>,
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
  } else if (delivery?.body !== undefined) {
    body = delivery.body;
    if (contentType === undefined) headers.push('Content-Type', delivery.contentType!);
  }
  headers.push(
    'Punctual-Schedule-Id',
    facts.scheduleId,
    'Punctual-Scheduled-For',
    iso(facts.scheduledFor),
  );
  if (facts.fence !== undefined) headers.push('Punctual-Fence', String(facts.fence));
  if (facts.completionUrl !== undefined) {
    headers.push('Punctual-Completion-Url', facts.completionUrl);
  }
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

const USER_AGENT = `Punctual/${VERSION}`;
