import { api } from '../api.ts';
import { CREDENTIALS, type Punctual } from '../punctual.ts';
import { AT_REST } from '../schedules.ts';

/** Calls of the API as whole requests, made ahead. */
export interface Calls {
  gets: string[];
  post: string;
  /** The answers to the calls. */
  answers: { get: string; post: string };
}

const KEPT = 64;

/** At rest, so that what is created fires nothing. */
const BODY = {
  url: 'http://127.0.0.1:9/hook',
  verb: 'POST',
  interval: AT_REST,
  timezone: 'UTC',
  label: 'made by the benchmark',
  data: { hello: 'world' },
};

export async function prepareCalls({ url }: Punctual): Promise<Calls> {
  const create = () => api(url, 'POST', '/v1/schedule', BODY) as Promise<{ id: string }>;
  const kept = await Promise.all(Array.from({ length: KEPT }, create));
  const answer = JSON.stringify(kept[0]);
  const body = JSON.stringify(BODY);
  const head = Object.entries({ Host: new URL(url).host, ...CREDENTIALS })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return {
    gets: kept.map(({ id }) => `GET /v1/schedule/${id} HTTP/1.1\r\n${head}\r\n`),
    post: `POST /v1/schedule HTTP/1.1\r\n${head}${type}\r\n${body}`,
    answers: { get: answer, post: answer },
  };
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}
