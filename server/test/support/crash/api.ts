import type {
  BatchResult,
  Explanation,
  Run,
  RunPage,
  RunStatus,
  Schedule,
  ScheduleInput,
  SchedulePage,
} from '../../../../client/src/index.ts';

export const CREDENTIALS = { clientId: 'crash-test', apiKey: 'key-of-the-crash-test' };

/** The service's API, as any caller sees it. Rejects where it does not answer 200. */
export class Api {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  create(schedule: ScheduleInput): Promise<Schedule> {
    return this.#call('POST', '/v1/schedule', schedule);
  }

  async createAll(schedules: ScheduleInput[]): Promise<Schedule[]> {
    const created: Schedule[] = [];
    for (let first = 0; first < schedules.length; first += 250) {
      const items = schedules.slice(first, first + 250);
      const result = await this.#call<BatchResult>('POST', '/v1/schedule/batch', { items });
      created.push(...result.items);
    }
    return created;
  }

  trigger(scheduleId: string): Promise<Run> {
    return this.#call('POST', `/v1/schedule/${scheduleId}/trigger`);
  }

  /** Deleted ones too. */
  async schedules(): Promise<Schedule[]> {
    const schedules: Schedule[] = [];
    for (const path of ['/v1/schedule?limit=100', '/v1/schedule?limit=100&status=deleted']) {
      for await (const page of this.#pages<SchedulePage>(path)) schedules.push(...page.items);
    }
    return schedules;
  }

  /** A schedule with the number of its last change. */
  async found(id: string): Promise<{ schedule: Schedule; version: number }> {
    const { answer, headers } = await this.#ask<Schedule>('GET', `/v1/schedule/${id}`);
    return { schedule: answer, version: Number(JSON.parse(headers.get('etag')!)) };
  }

  /** Every run with a nominal time of at least `from`, newest first. */
  async runs(from: number): Promise<Run[]> {
    const runs: Run[] = [];
    const start = encodeURIComponent(new Date(from).toISOString());
    for await (const page of this.#pages<RunPage>(`/v1/run?limit=100&from=${start}`)) {
      runs.push(...page.items);
    }
    return runs;
  }

  run(id: string): Promise<Run> {
    return this.#call('GET', `/v1/run/${id}`);
  }

  /** Whether any run with a nominal time up to `until` stands in this status. */
  async hasAny(status: RunStatus, until: number): Promise<boolean> {
    const to = encodeURIComponent(new Date(until + 1).toISOString());
    const page = await this.#call<RunPage>('GET', `/v1/run?limit=1&status=${status}&to=${to}`);
    return page.items.length > 0;
  }

  explain(scheduleId: string, at: number): Promise<Explanation> {
    return this.#call('GET', `/v1/schedule/${scheduleId}/explain?at=${new Date(at).toISOString()}`);
  }

  /** The sum of a metric over its labels; 0 where it is not told. */
  async metric(name: string): Promise<number> {
    const response = await fetch(`${this.#url}/metrics`);
    const lines = (await response.text()).split('\n');
    const samples = lines.filter(
      line => line.startsWith(`${name}{`) || line.startsWith(`${name} `),
    );
    return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  async *#pages<Page extends { nextCursor?: string }>(path: string): AsyncGenerator<Page> {
    let cursor: string | undefined;
    do {
      const more = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: Page = await this.#call('GET', path + more);
      yield page;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async #call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return (await this.#ask<Answer>(method, path, body)).answer;
  }

  async #ask<Answer>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ answer: Answer; headers: Headers }> {
    const headers: Record<string, string> = {
      ClientId: CREDENTIALS.clientId,
      ApiKey: CREDENTIALS.apiKey,
    };
    const init: RequestInit = { method, headers, signal: AbortSignal.timeout(30_000) };
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    const response = await fetch(this.#url + path, init).catch(cause => {
      throw new Error(`${method} ${path} got no answer.`, { cause });
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { answer: JSON.parse(text), headers: response.headers };
  }
}
