import { type EventOptions, follow } from './follow.ts';
import { type Call, type CallOptions, type ClientOptions, Transport } from './transport.ts';
import type * as Wire from './wire.ts';

/** Of calls that make something. */
export interface KeyedOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters, sent as `Idempotency-Key`. A call that carries one is repeated as a read
   * is. Punctual does not read the header yet: a call that is repeated may make the thing twice.
   */
  idempotencyKey?: string;
}

export interface ChangeOptions extends CallOptions {
  /** The ETag of the version that is changed: where the schedule is another one by now, it is a 412. */
  ifMatch?: string;
}

export interface TaggedSchedule {
  schedule: Wire.Schedule;
  /** The version of the schedule, in quotes. */
  etag: string;
}

/** Items of a page where an iterator asks for them: the most that the service gives. */
const PAGE_ITEMS = 100;
/** The service gives the target of `trySchedule` 30 s; the answer comes behind that. */
const TRY_MS = 45_000;

/**
 * Every operation of the service. A method resolves to the answer's body. It rejects with a
 * `PunctualApiError` if the service refused, with a `PunctualConnectionError` if the service was
 * not reached, and with a `PunctualTimeoutError` after its time limit. If `signal` is aborted, it
 * rejects with the signal's reason.
 *
 * Reads, and calls with an idempotency key, are repeated after a lost connection, a 429 or a 5xx.
 * All others are sent once.
 */
export class PunctualClient {
  readonly #transport: Transport;

  /** @throws TypeError, RangeError with a sentence, where the options cannot work */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  createSchedule(input: Wire.ScheduleInput, options: KeyedOptions = {}): Promise<Wire.Schedule> {
    return this.#send(
      {
        operation: 'createSchedule',
        method: 'POST',
        path: '/v1/schedule',
        body: input,
        idempotencyKey: options.idempotencyKey,
      },
      options,
    );
  }

  /** Up to 1,000 schedules, all or nothing. */
  createSchedules(
    items: Wire.ScheduleInput[],
    options: KeyedOptions = {},
  ): Promise<Wire.BatchResult> {
    const body: Wire.BatchInput = { items };
    return this.#send(
      {
        operation: 'createSchedules',
        method: 'POST',
        path: '/v1/schedule/batch',
        body,
        idempotencyKey: options.idempotencyKey,
      },
      options,
    );
  }

  listSchedules(
    query: Wire.ScheduleQuery = {},
    options: CallOptions = {},
  ): Promise<Wire.SchedulePage> {
    return this.#send(
      { operation: 'listSchedules', method: 'GET', path: `/v1/schedule${textOf(query)}` },
      options,
    );
  }

  /** All that the query asks for, page by page, newest first; `limit` is the size of a page. */
  schedules(
    query: Wire.ScheduleQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Wire.Schedule, void, undefined> {
    return itemsOf(cursor =>
      this.listSchedules({ limit: PAGE_ITEMS, ...query, ...cursor }, options),
    );
  }

  /** A deleted one too. */
  getSchedule(id: string, options: CallOptions = {}): Promise<Wire.Schedule> {
    return this.#send({ operation: 'getSchedule', method: 'GET', path: schedulePath(id) }, options);
  }

  /** The schedule with the ETag of its version, for `ifMatch` of a change. */
  async getTaggedSchedule(id: string, options: CallOptions = {}): Promise<TaggedSchedule> {
    const call = { operation: 'getTaggedSchedule', method: 'GET', path: schedulePath(id) };
    const { answer, headers } = await this.#transport.send<Wire.Schedule>(call, options);
    return { schedule: answer, etag: headers.get('ETag') ?? '' };
  }

  /** All properties: optional ones that are left out are not kept. */
  replaceSchedule(
    id: string,
    input: Wire.ScheduleInput,
    options: ChangeOptions = {},
  ): Promise<Wire.Schedule> {
    return this.#change(
      { operation: 'replaceSchedule', method: 'PUT', path: schedulePath(id), body: input },
      options,
    );
  }

  patchSchedule(
    id: string,
    patch: Wire.SchedulePatch,
    options: ChangeOptions = {},
  ): Promise<Wire.Schedule> {
    return this.#change(
      { operation: 'patchSchedule', method: 'PATCH', path: schedulePath(id), body: patch },
      options,
    );
  }

  deleteSchedule(id: string, options: ChangeOptions = {}): Promise<Wire.DeleteResult> {
    return this.#change(
      { operation: 'deleteSchedule', method: 'DELETE', path: schedulePath(id) },
      options,
    );
  }

  /** Runs it now, once. */
  triggerSchedule(id: string, options: KeyedOptions = {}): Promise<Wire.Run> {
    return this.#send(
      {
        operation: 'triggerSchedule',
        method: 'POST',
        path: `${schedulePath(id)}/trigger`,
        idempotencyKey: options.idempotencyKey,
      },
      options,
    );
  }

  nextTimes(
    id: string,
    query: Wire.NextQuery = {},
    options: CallOptions = {},
  ): Promise<Wire.Times> {
    return this.#send(
      { operation: 'nextTimes', method: 'GET', path: `${schedulePath(id)}/next${textOf(query)}` },
      options,
    );
  }

  previewTimes(input: Wire.PreviewInput, options: CallOptions = {}): Promise<Wire.Times> {
    return this.#send(
      { operation: 'previewTimes', method: 'POST', path: '/v1/preview', body: input },
      options,
    );
  }

  listRuns(query: Wire.RunQuery = {}, options: CallOptions = {}): Promise<Wire.RunPage> {
    return this.#send(
      { operation: 'listRuns', method: 'GET', path: `/v1/run${textOf(query)}` },
      options,
    );
  }

  /** All that the query asks for, page by page, newest first; `limit` is the size of a page. */
  runs(
    query: Wire.RunQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Wire.Run, void, undefined> {
    return itemsOf(cursor => this.listRuns({ limit: PAGE_ITEMS, ...query, ...cursor }, options));
  }

  getRun(id: string, options: CallOptions = {}): Promise<Wire.Run> {
    return this.#send(
      { operation: 'getRun', method: 'GET', path: `/v1/run/${encodeURIComponent(id)}` },
      options,
    );
  }

  listTimezones(options: CallOptions = {}): Promise<string[]> {
    return this.#send({ operation: 'listTimezones', method: 'GET', path: '/timezones' }, options);
  }

  /** How far the clock of a time zone is ahead of UTC. */
  zoneOffsets(query: Wire.OffsetsQuery, options: CallOptions = {}): Promise<Wire.ZoneOffsets> {
    return this.#send(
      { operation: 'zoneOffsets', method: 'GET', path: `/v1/offsets${textOf(query)}` },
      options,
    );
  }

  /** Explains an instant of a schedule: whether a run fired for it, and why. */
  explain(
    id: string,
    query: Wire.ExplainQuery,
    options: CallOptions = {},
  ): Promise<Wire.Explanation> {
    return this.#send(
      { operation: 'explain', method: 'GET', path: `${schedulePath(id)}/explain${textOf(query)}` },
      options,
    );
  }

  /** The results of a schedule's times, counted for each step. */
  history(id: string, query: Wire.HistoryQuery, options: CallOptions = {}): Promise<Wire.History> {
    return this.#send(
      { operation: 'history', method: 'GET', path: `${schedulePath(id)}/history${textOf(query)}` },
      options,
    );
  }

  stats(query: Wire.StatsQuery = {}, options: CallOptions = {}): Promise<Wire.Stats> {
    return this.#send(
      { operation: 'stats', method: 'GET', path: `/v1/stats${textOf(query)}` },
      options,
    );
  }

  forecast(query: Wire.ForecastQuery = {}, options: CallOptions = {}): Promise<Wire.Forecast> {
    return this.#send(
      { operation: 'forecast', method: 'GET', path: `/v1/forecast${textOf(query)}` },
      options,
    );
  }

  /** Checks a schedule as a create would, without storing anything. */
  checkSchedule(input: Wire.ScheduleInput, options: CallOptions = {}): Promise<Wire.CheckResult> {
    return this.#send(
      { operation: 'checkSchedule', method: 'POST', path: '/v1/check', body: input },
      options,
    );
  }

  /** Sends the request of a schedule once, without storing anything. */
  trySchedule(input: Wire.ScheduleInput, options: CallOptions = {}): Promise<Wire.TryResult> {
    const call = { operation: 'trySchedule', method: 'POST', path: '/v1/try', body: input };
    const timeoutMs = Math.max(this.#transport.timeoutMs, TRY_MS);
    return this.#send(call, { timeoutMs, ...options });
  }

  listKeys(options: CallOptions = {}): Promise<Wire.KeyList> {
    return this.#send({ operation: 'listKeys', method: 'GET', path: '/v1/key' }, options);
  }

  createKey(input: Wire.KeyInput, options: CallOptions = {}): Promise<Wire.NewKey> {
    return this.#send(
      { operation: 'createKey', method: 'POST', path: '/v1/key', body: input },
      options,
    );
  }

  /** With `descendants: 'true'` all keys that came of it too. */
  revokeKey(
    id: string,
    query: Wire.RevokeQuery = {},
    options: CallOptions = {},
  ): Promise<Wire.RevokedKey> {
    return this.#send(
      {
        operation: 'revokeKey',
        method: 'DELETE',
        path: `/v1/key/${encodeURIComponent(id)}${textOf(query)}`,
      },
      options,
    );
  }

  /** Since when requests are signed with the present secret, and how long the old one signs too. */
  getSecret(options: CallOptions = {}): Promise<Wire.SigningSecret> {
    return this.#send({ operation: 'getSecret', method: 'GET', path: '/v1/secret' }, options);
  }

  /** Makes another signing secret; refused within an overlap, unless it replaces the new one. */
  rotateSecret(
    input: Wire.RotationInput = {},
    options: CallOptions = {},
  ): Promise<Wire.NewSigningSecret> {
    return this.#send(
      { operation: 'rotateSecret', method: 'POST', path: '/v1/secret', body: input },
      options,
    );
  }

  endOverlap(options: CallOptions = {}): Promise<Wire.SigningSecret> {
    return this.#send(
      { operation: 'endOverlap', method: 'DELETE', path: '/v1/secret/overlap' },
      options,
    );
  }

  /** Whether requests can be served, what will trouble them, and whether nothing fires. No key is needed. */
  getReadiness(options: CallOptions = {}): Promise<Wire.Health> {
    return this.#send({ operation: 'getReadiness', method: 'GET', path: '/readyz' }, options);
  }

  /** Begins a session: the browser keeps its cookie, and needs no key from then on. */
  signIn(clientId: string, apiKey: string, options: CallOptions = {}): Promise<Wire.Session> {
    const credentials = { ClientId: clientId, ApiKey: apiKey };
    return this.#send(
      { operation: 'signIn', method: 'POST', path: '/v1/session', credentials },
      options,
    );
  }

  /** Begins a session with the token of a link that `punctual dev` has printed; it counts once. */
  signInOnce(token: string, options: CallOptions = {}): Promise<Wire.Session> {
    const credentials = { 'Punctual-Sign-In': token };
    return this.#send(
      { operation: 'signInOnce', method: 'POST', path: '/sign-in', credentials },
      options,
    );
  }

  getSession(options: CallOptions = {}): Promise<Wire.Session> {
    return this.#send({ operation: 'getSession', method: 'GET', path: '/v1/session' }, options);
  }

  /** Ends the session of the browser's cookie; with `all: 'true'` all sessions of the client. */
  signOut(query: Wire.SessionEndQuery = {}, options: CallOptions = {}): Promise<Wire.SessionEnd> {
    return this.#send(
      { operation: 'signOut', method: 'DELETE', path: `/v1/session${textOf(query)}` },
      options,
    );
  }

  /** Those of all keys of the client that have not ended, newest first. */
  listSessions(options: CallOptions = {}): Promise<Wire.SessionList> {
    return this.#send(
      { operation: 'listSessions', method: 'GET', path: '/v1/session/list' },
      options,
    );
  }

  endSession(id: string, options: CallOptions = {}): Promise<Wire.SessionEnd> {
    return this.#send(
      { operation: 'endSession', method: 'DELETE', path: `/v1/session/${encodeURIComponent(id)}` },
      options,
    );
  }

  /**
   * Streams events as they happen, until `signal` is aborted. If the stream breaks off (the service
   * restarts, the network fails, 30 s of silence), the client reopens it with `Last-Event-ID` and
   * receives the events missed.
   *
   * It rejects if the first connection fails, or if another attempt cannot help (such as after a
   * 401).
   */
  events(options: EventOptions = {}): AsyncGenerator<Wire.PunctualEvent, void, undefined> {
    return follow((lastEventId, isFirst) => {
      const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
      const call = { operation: 'events', method: 'GET', path: '/v1/event', headers };
      const { signal } = options;
      return this.#transport.stream(call, { ...(signal && { signal }) }, isFirst ? undefined : 0);
    }, options);
  }

  #change<Answer>(call: Call, { ifMatch, ...options }: ChangeOptions): Promise<Answer> {
    const headers = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    return this.#send({ ...call, headers }, options);
  }

  async #send<Answer>(call: Call, options: CallOptions): Promise<Answer> {
    return (await this.#transport.send<Answer>(call, options)).answer;
  }
}

const schedulePath = (id: string) => `/v1/schedule/${encodeURIComponent(id)}`;

function textOf(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

/** Items of one page after the other; the next one is asked for when it is needed. */
async function* itemsOf<Item>(
  ask: (cursor: { cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: { cursor?: string } = {};
  for (;;) {
    const { items, nextCursor } = await ask(cursor);
    yield* items;
    if (nextCursor === undefined) return;
    cursor = { cursor: nextCursor };
  }
}
