import type * as Wire from './wire.ts';

/** An answer that is an error: its status, and as `message` the sentence that came with it. */
export class PunctualApiError extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.name = 'PunctualApiError';
    this.status = status;
  }
}

export interface ClientOptions {
  /** Where the service is, such as `http://127.0.0.1:8080`. */
  baseUrl: string;
  clientId: string;
  apiKey: string;
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

  /** All properties: optional ones that are left out are not kept. */
  replaceSchedule(id: string, input: Wire.ScheduleInput): Promise<Wire.Schedule> {
    return this.#send('PUT', schedulePath(id), input);
  }

  patchSchedule(id: string, patch: Wire.SchedulePatch): Promise<Wire.Schedule> {
    return this.#send('PATCH', schedulePath(id), patch);
  }

  deleteSchedule(id: string): Promise<Wire.DeleteResult> {
    return this.#send('DELETE', schedulePath(id));
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

  async #send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const { baseUrl, clientId, apiKey, fetch: send = fetch } = this.#options;
    const response = await send(baseUrl.replace(/\/+$/, '') + path, {
      method,
      headers: {
        ClientId: clientId,
        ApiKey: apiKey,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new PunctualApiError(response.status, sentenceIn(text, response.status));
    return JSON.parse(text);
  }
}

const schedulePath = (id: string) => `/v1/schedule/${encodeURIComponent(id)}`;

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
