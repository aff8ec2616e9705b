import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import type { Store } from '../../src/store/contract/store.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import {
  aClient,
  changed,
  MINUTE,
  NOON,
  SEEN,
  settled,
  stored,
  waiting,
} from '../support/store/backend.ts';
import { startPostgres } from '../support/store/postgres-server.ts';

/** A fleet during an upgrade: an engine that knows less shares the database with one of this release. */

const server = await startPostgres();
after(() => server.stop());

const TIMING = { endsAt: NOON + 60 * MINUTE };
let older: Store;
let newer: Store;

beforeEach(async () => {
  const url = await server.createDatabase();
  newer = await openPostgres(url);
  older = await openPostgres(url, { level: 0 });
});

afterEach(async () => {
  await Promise.all([older.close(), newer.close()]);
});

const claimed = async (store: Store, now = NOON, limit = 9) =>
  (await store.queue.claim(now, limit, SEEN)).claims;

describe('PostgreSQL: engines of different levels on one database', () => {
  test('each row is taken by one that knows it, whoever asks first', async () => {
    const caller = await aClient(newer);
    const bounded = await stored(newer, caller, { timing: TIMING });
    const plain = await stored(older, caller);
    assert.deepEqual(
      (await claimed(older)).map(({ schedule }) => schedule.id),
      [plain.id],
    );
    assert.equal(await older.queue.nextDueAt(), null);
    assert.equal(await newer.queue.nextDueAt(), NOON);
    assert.deepEqual(
      (await claimed(newer)).map(({ schedule }) => schedule.id),
      [bounded.id],
    );
  });

  test('rows that it leaves hold up none of its own', async () => {
    const caller = await aClient(newer);
    for (let made = 0; made < 5; made += 1) await stored(newer, caller, { timing: TIMING });
    const start = { first: NOON + MINUTE, second: null };
    const plain = await stored(newer, caller, {}, start);
    const [claim] = await claimed(older, NOON + MINUTE, 1);
    assert.equal(claim!.schedule.id, plain.id);
    assert.equal(await older.queue.depth(NOON + MINUTE), 0);
    assert.equal(await newer.queue.depth(NOON + MINUTE), 5);
  });

  test('one that was claimed before it became newer is settled, and then left', async () => {
    const caller = await aClient(newer);
    const schedule = await stored(newer, caller);
    const [claim] = await claimed(older);
    const start = { first: NOON + MINUTE, second: null };
    await changed(newer, caller, schedule, { timing: TIMING }, NOON + 1, start);
    const row = waiting(NOON + MINUTE, null);
    await settled(older, { ...claim!, changedAt: NOON + 1 }, row);
    assert.deepEqual(await claimed(older, NOON + MINUTE), []);
    assert.equal((await claimed(newer, NOON + MINUTE)).length, 1);
  });
});
