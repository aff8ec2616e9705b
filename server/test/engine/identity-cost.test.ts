import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/domain/id.ts';
import type { OutboundRequest } from '../../src/outbound/send.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { startBursts } from '../support/engine/bursts.ts';
import { MINUTE, NOON } from '../support/store/backend.ts';

/** What a destination with OAuth2 costs its firings, in counts: a header each, and for all of a claim one read. */

const FIRINGS = 2_000;
const MINUTES = 3;
/** A burst is claimed in this many batches. */
const CLAIMS_A_BURST = 3;
const TOKENS = 'https://auth.example/token';

interface Measured {
  requests: OutboundRequest[];
  /** Calls of the store by room and method. */
  calls: Map<string, number>;
}

/** Three bursts, of schedules that name a destination, or of plain ones. */
async function measured(isPlain: boolean): Promise<Measured> {
  const requests: OutboundRequest[] = [];
  const calls = new Map<string, number>();
  const { clock, engine, store } = await startBursts(FIRINGS, {
    ...(!isPlain && { fields: { delivery: { destination: 'billing' } } }),
    async prepare(store, owner) {
      const auth = { type: 'oauth2', tokenUrl: TOKENS, clientId: 'ada' } as const;
      await store.destinations.put(
        owner,
        'billing',
        null,
        {
          config: { hosts: ['target.example'], auth },
          secrets: JSON.stringify({ clientSecret: 'a secret' }),
          version: newId(NOON),
        },
        NOON,
      );
      count(store, calls);
    },
    sent(request) {
      requests.push(request);
      return request.url === TOKENS
        ? { privateBody: '{"access_token":"the-token","expires_in":3600}' }
        : {};
    },
  });
  await clock.advance(MINUTES * MINUTE + MINUTE / 2);
  await Promise.all([engine.stop(0), clock.advance(0)]);
  await store.close();
  return { requests, calls };
}

/** Counts the calls of the rooms that a firing may use. */
function count(store: Store, calls: Map<string, number>): void {
  for (const room of ['queue', 'outbox', 'clients', 'schedules', 'destinations'] as const) {
    const methods = store[room] as unknown as Record<string, (...given: unknown[]) => unknown>;
    for (const [name, method] of Object.entries(methods)) {
      methods[name] = (...given) => {
        const key = `${room}.${name}`;
        calls.set(key, (calls.get(key) ?? 0) + 1);
        return method.apply(methods, given);
      };
    }
  }
}

test('a firing through OAuth2 has one header more, and a claim one read; a plain one has neither', async () => {
  const [plain, through] = [await measured(true), await measured(false)];
  const firings = through.requests.filter(({ url }) => url !== TOKENS);
  assert.equal(firings.length, MINUTES * FIRINGS);
  assert.equal(through.requests.length, firings.length + 1, 'one token for all');
  assert.equal(plain.requests.length, firings.length);

  const namesOf = ({ headers }: OutboundRequest) => headers.filter((_, at) => at % 2 === 0);
  const usual = namesOf(plain.requests[0]!);
  for (const request of plain.requests) assert.deepEqual(namesOf(request), usual);
  for (const request of firings) assert.deepEqual(namesOf(request), [...usual, 'Authorization']);

  const reads = through.calls.get('destinations.present')!;
  assert.ok(reads <= CLAIMS_A_BURST * MINUTES, `${reads} reads of destinations`);
  through.calls.delete('destinations.present');
  assert.deepEqual(sorted(through.calls), sorted(plain.calls));
});

const sorted = (calls: Map<string, number>) => [...calls].sort(([a], [b]) => (a < b ? -1 : 1));
