import type { RunPage } from '@punctual/client';
import { CREDENTIALS } from './punctual.ts';

export async function api(
  base: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const headers = {
    ...CREDENTIALS,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const init =
    body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(base + path, init);
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

export interface Ended {
  startedAt: number;
  finishedAt: number;
}

/** The runs of one nominal time that succeeded, from history: what stands there is durable. */
export async function runsOf(base: string, instant: number): Promise<Ended[]> {
  const range = `limit=100&from=${iso(instant)}&to=${iso(instant + 1)}&status=succeeded`;
  const runs: Ended[] = [];
  let cursor: string | undefined;
  do {
    const path = `/v1/run?${range}${cursor ? `&cursor=${cursor}` : ''}`;
    const page = (await api(base, 'GET', path)) as RunPage;
    for (const { startedAt, finishedAt } of page.items) {
      runs.push({ startedAt: Date.parse(startedAt!), finishedAt: Date.parse(finishedAt!) });
    }
    cursor = page.nextCursor;
  } while (cursor);
  return runs;
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
