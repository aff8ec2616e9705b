import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { emptyFolder, type Folder, type Running, urlOf } from './command.ts';

/** A service in a process of its own that keeps secrets, and the calls to its API. */
export interface DestinationService {
  folder: Folder;
  running: Running;
  environment: Record<string, string>;
  url: string;
  call(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }>;
  /** @throws where it is refused */
  put(name: string, destination: object): Promise<void>;
  /** A schedule that only fires when it is triggered. @returns its id */
  schedule(fields: object): Promise<string>;
  /** Triggers a schedule and waits for the end of the run. */
  run(scheduleId: string): Promise<EndedRun>;
}

export interface EndedRun {
  status: string;
  attempts: { outcome: string; error?: string; responseStatus?: number; responseBody?: string }[];
}

export const CLIENT_ID = 'ada';
const API_KEY = 'a-key-of-more-than-twenty-characters';

export async function destinationService(
  t: TestContext,
  settings: Record<string, string> = {},
): Promise<DestinationService> {
  const folder = emptyFolder(t);
  const environment = {
    PUNCTUAL_SECRET_KEY: randomBytes(32).toString('base64'),
    PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8, localhost',
    PUNCTUAL_CLIENT_ID: CLIENT_ID,
    PUNCTUAL_API_KEY: API_KEY,
    ...settings,
  };
  const running = await folder.start(['serve'], /"listening"/, environment);
  const url = urlOf(running.out());
  const service: DestinationService = {
    ...{ folder, running, environment, url },
    async call(method, path, body) {
      const headers = {
        ClientId: CLIENT_ID,
        ApiKey: API_KEY,
        ...(body && { 'Content-Type': 'application/json' }),
      };
      const answer = await fetch(url + path, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    async put(name, destination) {
      await accepted(service.call('PUT', `/v1/destination/${name}`, destination));
    },
    async schedule(fields) {
      const interval = { interval: '0 0 1 1 *', timezone: 'UTC' };
      const body = { verb: 'POST', ...interval, ...fields };
      const { id } = (await accepted(service.call('POST', '/v1/schedule', body))) as { id: string };
      return id;
    },
    async run(scheduleId) {
      const path = `/v1/schedule/${scheduleId}/trigger`;
      const { id } = (await accepted(service.call('POST', path))) as { id: string };
      for (;;) {
        const run = (await accepted(service.call('GET', `/v1/run/${id}`))) as EndedRun;
        if (run.status === 'succeeded' || run.status === 'failed') return run;
      }
    },
  };
  return service;
}

async function accepted(calling: Promise<{ status: number; body: unknown }>): Promise<unknown> {
  const { status, body } = await calling;
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}
