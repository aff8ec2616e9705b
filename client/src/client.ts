import { readEvents } from './events.ts';
import type * as Wire from './wire.ts';

/** An answer that is an error: its status, its code, and as `message` the sentence that came with it. */
export class PunctualApiError extends Error {
  readonly status: number;
  /** Such as `interval_invalid` (docs/errors.md); absent where something between has answered. */
  readonly code: string | undefined;

  constructor(status: number, sentence: string, code?: string) {
    super(sentence);
    this.code = code;
    this.name = 'PunctualApiError';
    this.status = status;
  }
}

export interface ClientOptions {
  /** Where the service is, such as `http://127.0.0.1:8080`; '' for the page's own origin. */
  baseUrl: string;
  /** Left out in a browser that has a session (`signIn`). */
  clientId?: string;
  apiKey?: string;
  /** What sends the requests; the global `fetch` by default. */
  fetch?: typeof fetch;
}

/**
 * Every operation of the service. A method resolves to the answer's body, and rejects with a
 * `PunctualApiError` where the service refused, or with what `fetch` throws where it was not reached.
 */
export class PunctualClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  createSchedule(input: Wire.ScheduleInput): Promise<Wire.Schedule> {
    return this.#send('POST', '/v1/schedule', input);
  }

  /** Up to 1,000 schedules, all or nothing. */
  createSchedules(items: Wire.ScheduleInput[]): Promise<Wire.BatchResult> {
    const body: Wire.BatchInput = { items };
    return this.#send('POST', '/v1/schedule/batch', body);
  }

  listSchedules(query: Wire.ScheduleQuery = {}): Promise<Wire.SchedulePage> {
    return this.#send('GET', `/v1/schedule${textOf(query)}`);
  }

  /** A deleted one too. */
  getSchedule(id: string): Promise<Wire.Schedule> {
    return this.#send('GET', schedulePath(id));
  }

  /** The schedule with the ETag of its version, for `ifMatch` of a change. */
  async getTaggedSchedule(id: string): Promise<TaggedSchedule> {
    const response = await this.#response('GET', schedulePath(id));
    const schedule = (await response.json()) as Wire.Schedule;
    return { schedule, etag: response.headers.get('ETag') ?? '' };
  }

  /** All properties: optional ones that are left out are not kept. */
  replaceSchedule(
    id: string,
    input: Wire.ScheduleInput,
    options: ChangeOptions = {},
  ): Promise<Wire.Schedule> {
    return this.#change('PUT', id, options, input);
  }

  patchSchedule(
    id: string,
    patch: Wire.SchedulePatch,
    options: ChangeOptions = {},
  ): Promise<Wire.Schedule> {
    return this.#change('PATCH', id, options, patch);
  }

  deleteSchedule(id: string, options: ChangeOptions = {}): Promise<Wire.DeleteResult> {
    return this.#change('DELETE', id, options);
  }

  /** Runs it now, once. */
  triggerSchedule(id: string): Promise<Wire.Run> {
    return this.#send('POST', `${schedulePath(id)}/trigger`);
  }

  nextTimes(id: string, query: Wire.NextQuery = {}): Promise<Wire.Times> {
    return this.#send('GET', `${schedulePath(id)}/next${textOf(query)}`);
  }

  previewTimes(input: Wire.PreviewInput): Promise<Wire.Times> {
    return this.#send('POST', '/v1/preview', input);
  }

  listRuns(query: Wire.RunQuery = {}): Promise<Wire.RunPage> {
    return this.#send('GET', `/v1/run${textOf(query)}`);
  }

  getRun(id: string): Promise<Wire.Run> {
    return this.#send('GET', `/v1/run/${encodeURIComponent(id)}`);
  }

  listTimezones(): Promise<string[]> {
    return this.#send('GET', '/timezones');
  }

  /** How far the clock of a time zone is ahead of UTC. */
  zoneOffsets(query: Wire.OffsetsQuery): Promise<Wire.ZoneOffsets> {
    return this.#send('GET', `/v1/offsets${textOf(query)}`);
  }

  /** What became of an instant, and why. */
  explain(id: string, query: Wire.ExplainQuery): Promise<Wire.Explanation> {
    return this.#send('GET', `${schedulePath(id)}/explain${textOf(query)}`);
  }

  /** What became of a schedule's times, counted step by step. */
  history(id: string, query: Wire.HistoryQuery): Promise<Wire.History> {
    return this.#send('GET', `${schedulePath(id)}/history${textOf(query)}`);
  }

  stats(query: Wire.StatsQuery = {}): Promise<Wire.Stats> {
    return this.#send('GET', `/v1/stats${textOf(query)}`);
  }

  forecast(query: Wire.ForecastQuery = {}): Promise<Wire.Forecast> {
    return this.#send('GET', `/v1/forecast${textOf(query)}`);
  }

  /** What a create would say, without storing anything. */
  checkSchedule(input: Wire.ScheduleInput): Promise<Wire.CheckResult> {
    return this.#send('POST', '/v1/check', input);
  }

  /** Sends the request of a schedule once, without storing anything. */
  trySchedule(input: Wire.ScheduleInput): Promise<Wire.TryResult> {
    return this.#send('POST', '/v1/try', input);
  }

  listKeys(): Promise<Wire.KeyList> {
    return this.#send('GET', '/v1/key');
  }

  createKey(input: Wire.KeyInput): Promise<Wire.NewKey> {
    return this.#send('POST', '/v1/key', input);
  }

  /** With `descendants: 'true'` all keys that came of it too. */
  revokeKey(id: string, query: Wire.RevokeQuery = {}): Promise<Wire.RevokedKey> {
    return this.#send('DELETE', `/v1/key/${encodeURIComponent(id)}${textOf(query)}`);
  }

  /** Since when requests are signed with the present secret, and how long the old one signs too. */
  getSecret(): Promise<Wire.SigningSecret> {
    return this.#send('GET', '/v1/secret');
  }

  /** Makes another signing secret; refused within an overlap, unless it replaces the new one. */
  rotateSecret(input: Wire.RotationInput = {}): Promise<Wire.NewSigningSecret> {
    return this.#send('POST', '/v1/secret', input);
  }

  endOverlap(): Promise<Wire.SigningSecret> {
    return this.#send('DELETE', '/v1/secret/overlap');
  }

  /** Begins a session: the browser keeps its cookie, and needs no key from then on. */
  signIn(clientId: string, apiKey: string): Promise<Wire.Session> {
    const headers = { ClientId: clientId, ApiKey: apiKey };
    return this.#send('POST', '/v1/session', undefined, headers);
  }

  /** Begins a session with the token of a link that `punctual dev` has printed; it counts once. */
  signInOnce(token: string): Promise<Wire.Session> {
    return this.#send('POST', '/sign-in', undefined, { 'Punctual-Sign-In': token });
  }

  getSession(): Promise<Wire.Session> {
    return this.#send('GET', '/v1/session');
  }

  /** Ends the session of the browser's cookie; with `all: 'true'` all sessions of the client. */
  signOut(query: Wire.SessionEndQuery = {}): Promise<Wire.SessionEnd> {
    return this.#send('DELETE', `/v1/session${textOf(query)}`);
  }

  /** Those of all keys of the client that have not ended, newest first. */
  listSessions(): Promise<Wire.SessionList> {
    return this.#send('GET', '/v1/session/list');
  }

  endSession(id: string): Promise<Wire.SessionEnd> {
    return this.#send('DELETE', `/v1/session/${encodeURIComponent(id)}`);
  }

  /**
   * What happens, as it happens, until the connection ends or `signal` is aborted. To go on after a
   * break, call again with the id of the last event.
   */
  async *events(options: EventOptions = {}): AsyncGenerator<Wire.PunctualEvent, void, undefined> {
    const { signal, lastEventId, onOpen } = options;
    const response = await this.#request('/v1/event', {
      headers: { ...this.#credentials, ...(lastEventId && { 'Last-Event-ID': lastEventId }) },
      ...(signal && { signal }),
    });
    if (!response.ok || response.body === null) await refuse(response);
    onOpen?.();
    yield* readEvents(response.body!);
  }

  get #credentials(): Record<string, string> {
    const { clientId, apiKey } = this.#options;
    if (clientId !== undefined && apiKey !== undefined)
      return { ClientId: clientId, ApiKey: apiKey };
    return SESSION_HEADERS;
  }

  #request(path: string, init: RequestInit): Promise<Response> {
    const { baseUrl, fetch: send = fetch } = this.#options;
    return send(baseUrl.replace(/\/+$/, '') + path, init);
  }

  #change<Answer>(
    method: string,
    id: string,
    { ifMatch }: ChangeOptions,
    body?: object,
  ): Promise<Answer> {
    const condition = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    return this.#send(method, schedulePath(id), body, { ...this.#credentials, ...condition });
  }

  async #send<Answer>(
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    return (await (await this.#response(method, path, body, headers)).json()) as Answer;
  }

  async #response(
    method: string,
    path: string,
    body?: object,
    headers = this.#credentials,
  ): Promise<Response> {
    const response = await this.#request(path, {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) await refuse(response);
    return response;
  }
}

const schedulePath = (id: string) => `/v1/schedule/${encodeURIComponent(id)}`;

/**
 * A session counts only beside this header, which a page of another origin cannot send unasked: so
 * no request can be forged from there.
 */
const SESSION_HEADERS = { 'Punctual-Session': 'yes' };

export interface TaggedSchedule {
  schedule: Wire.Schedule;
  /** The version of the schedule, in quotes. */
  etag: string;
}

export interface ChangeOptions {
  /** The ETag of the version that is changed: where the schedule is another one by now, it is a 412. */
  ifMatch?: string;
}

export interface EventOptions {
  signal?: AbortSignal;
  /** Called when the stream is open, before the first event. */
  onOpen?: () => void;
  lastEventId?: string;
}

async function refuse(response: Response): Promise<never> {
  const sentence = sentenceIn(await response.text(), response.status);
  const code = response.headers.get('Punctual-Error-Code') ?? undefined;
  throw new PunctualApiError(response.status, sentence, code);
}

/** What stands between may answer in words of its own. */
function sentenceIn(text: string, status: number): string {
  try {
    const { error } = JSON.parse(text) as Wire.ErrorBody;
    if (typeof error === 'string') return error;
  } catch {
    // No JSON.
  }
  return `The answer was ${status}, without a sentence.`;
}

function textOf(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
