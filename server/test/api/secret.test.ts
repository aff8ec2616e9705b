import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { newRotation } from '../../src/domain/access/rotation.ts';
import type { ClientStore } from '../../src/store/contract/clients.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError } from '../support/api/expect.ts';
import { type Service, startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { NOON } from '../support/store/backend.ts';

const clock = new ManualClock(NOON);
const services: Service[] = [];
let service: Service;
beforeEach(async () => {
  service = await startService({ clock });
  services.push(service);
});
after(() => Promise.all(services.map(({ close }) => close())));

const DAY_MS = 86_400_000;
const at = (afterMs: number) => new Date(clock.now() + afterMs).toISOString();
const rotate = (body: object = {}) => service.call('POST', '/v1/secret', { body });
const kept = () => service.store.clients.findClient(service.mine.clientId);

describe('200', () => {
  test('a rotation shows the new secret, and until when the old one signs too: a day', async () => {
    const before = await kept();
    const { status, body } = await rotate();
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['createdAt', 'overlapEndsAt', 'signingSecret']);
    assert.match(body.signingSecret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual([body.createdAt, body.overlapEndsAt], [at(0), at(DAY_MS)]);
    const { signingSecret, oldSecret } = (await kept())!;
    assert.equal(signingSecret, body.signingSecret);
    assert.deepEqual(oldSecret, { secret: before!.signingSecret, until: clock.now() + DAY_MS });
    assert.deepEqual(service.told, [{ rotated: service.mine.clientRowId }]);
  });

  test('the state never shows the secret, and no overlap once it has ended', async () => {
    const state = async () => (await service.call('GET', '/v1/secret')).body;
    const { createdAt } = (await kept())!;
    assert.deepEqual(await state(), { createdAt: new Date(createdAt).toISOString() });
    const { body } = await rotate({ overlapSeconds: 60 });
    const { signingSecret: _, ...told } = body;
    assert.deepEqual(await state(), told);
    await clock.advance(59_999);
    assert.deepEqual(await state(), told);
    await clock.advance(1);
    assert.deepEqual(await state(), { createdAt: told.createdAt });
  });

  test('an overlap of 0 is none', async () => {
    const { body } = await rotate({ overlapSeconds: 0 });
    assert.deepEqual(Object.keys(body), ['createdAt', 'signingSecret']);
    assert.equal((await kept())!.oldSecret, undefined);
  });

  test('an overlap is ended early, as often as one likes', async () => {
    const { body } = await rotate();
    for (let times = 0; times < 2; times += 1) {
      const ended = await service.call('DELETE', '/v1/secret/overlap');
      assert.deepEqual([ended.status, ended.body], [200, { createdAt: body.createdAt }]);
    }
    assert.equal((await kept())!.signingSecret, body.signingSecret);
  });

  test('the engine is told of an overlap that a command has ended before', async () => {
    await rotate();
    await service.store.clients.endOverlap(service.mine.clientId);
    service.told.length = 0;
    assert.equal((await service.call('DELETE', '/v1/secret/overlap')).status, 200);
    assert.deepEqual(service.told, [{ rotated: service.mine.clientRowId }]);
  });

  test('a new secret whose answer was lost is replaced, and the old one stays', async () => {
    const { signingSecret: first } = (await kept())!;
    await rotate();
    const { status, body } = await rotate({ replaceNew: true });
    assert.equal(status, 200);
    const { signingSecret, oldSecret } = (await kept())!;
    assert.deepEqual([signingSecret, oldSecret!.secret], [body.signingSecret, first]);
  });

  test("another client's secret stays as it was", async () => {
    const { clientId } = service.theirs;
    const before = await service.store.clients.findClient(clientId);
    await rotate();
    assert.deepEqual(await service.store.clients.findClient(clientId), before);
  });
});

describe('400', () => {
  test('a second rotation within an overlap says until when, and changes nothing', async () => {
    await rotate({ overlapSeconds: 60 });
    const before = await kept();
    const { status, body } = await rotate({ overlapSeconds: 0 });
    assert.equal(status, 400);
    assert.equal(
      body.error,
      `The secret was rotated before, and the old one signs too until ${at(60_000)}: wait, end ` +
        'that overlap (DELETE /v1/secret/overlap), or ask for replaceNew.',
    );
    assert.deepEqual(await kept(), before);
  });

  for (const body of [
    { overlapSeconds: -1 },
    { overlapSeconds: 2_592_001 },
    { overlapSeconds: 1.5 },
    { overlapSeconds: '60' },
    { overlapSeconds: null },
    { replaceNew: 'yes' },
    { other: 1 },
    [],
  ]) {
    test(`${JSON.stringify(body)} is refused, and nothing is rotated`, async () => {
      const before = await kept();
      assert.equal((await rotate(body)).status, 400);
      assert.deepEqual(await kept(), before);
    });
  }
});

test('401: nobody without a key', async () => {
  for (const [method, path] of [
    ['GET', '/v1/secret'],
    ['POST', '/v1/secret'],
    ['DELETE', '/v1/secret/overlap'],
  ] as const) {
    const { status } = await service.call(method, path, { headers: { ApiKey: null } });
    assert.equal(status, 401);
  }
});

describe('500', () => {
  /** Nothing can be read any more once a secret is written. */
  async function withoutReads() {
    const { clients, ...store } = openSqlite(':memory:');
    let isWritten = false;
    const written = async (done: Promise<boolean>) => {
      isWritten = await done;
      return isWritten;
    };
    const failing: ClientStore = {
      ...clients,
      rotateSecret: (...rotation) => written(clients.rotateSecret(...rotation)),
      endOverlap: clientId => written(clients.endOverlap(clientId)),
      findClient: async clientId => {
        if (isWritten) throw new Error('away');
        return clients.findClient(clientId);
      },
    };
    const without = await startService({ clock, store: { ...store, clients: failing } });
    services.push(without);
    return { ...without, clients };
  }

  test('a rotation that is written is told to the engine at once, whatever becomes of the answer', async () => {
    const { call, told, mine } = await withoutReads();
    assertError(await call('POST', '/v1/secret', { body: {} }), 500);
    assert.deepEqual(told, [{ rotated: mine.clientRowId }]);
  });

  test('so is the end of an overlap', async () => {
    const { call, told, mine, clients } = await withoutReads();
    await clients.rotateSecret(mine.clientId, newRotation(clock.now(), 60));
    assertError(await call('DELETE', '/v1/secret/overlap'), 500);
    assert.deepEqual(told, [{ rotated: mine.clientRowId }]);
  });
});
