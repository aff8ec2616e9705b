import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Arrival } from '../../../sim/model/evidence.ts';
import { CREDENTIALS } from '../crash/api.ts';
import { Process } from '../crash/life.ts';

export const LEASE_SECONDS = 2;
const BIN = join(import.meta.dirname, '../../../bin/punctual.js');

/** A node on the database at `url`, run in `folder`. */
export function startNode(folder: string, url: string): Process {
  return new Process({
    bin: BIN,
    folder,
    environment: {
      PORT: '0',
      DATABASE_URL: url,
      PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
      PUNCTUAL_CLIENT_ID: CREDENTIALS.clientId,
      PUNCTUAL_API_KEY: CREDENTIALS.apiKey,
      PUNCTUAL_LEASE_SECONDS: String(LEASE_SECONDS),
    },
  });
}

/** However often a nominal time was sent, it came under one id. */
export function assertOneId(arrivals: Arrival[]): void {
  const idOf = new Map<string, string>();
  for (const { scheduleId, scheduledFor, webhookId } of arrivals) {
    const key = `${scheduleId} ${scheduledFor}`;
    assert.equal(webhookId, idOf.get(key) ?? webhookId, `${key} has two ids`);
    idOf.set(key, webhookId);
  }
}
