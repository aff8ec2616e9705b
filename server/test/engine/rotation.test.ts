import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Integration } from '../../src/domain/schedule/schedule.ts';
import { sign } from '../../src/outbound/signature.ts';
import { type Sent, World } from '../support/engine/world.ts';

const MINUTE = 60_000;
const NEW = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const OLD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

async function rotate(world: World, overlapMs: number): Promise<void> {
  const { clients } = world.store;
  const [client] = await clients.listClients();
  const rotatedAt = world.clock.now();
  const rotation = { signingSecret: NEW, rotatedAt, oldUntil: rotatedAt + overlapMs };
  await clients.rotateSecret(client!.id, { ...rotation, replacesNew: false });
  world.engine.rotated(world.clientRowId);
}

/** Which secrets its signatures are of, in their order. */
function signers({ headers, body }: Sent): string[] {
  const seconds = Number(headers['webhook-timestamp']);
  return headers['webhook-signature']!.split(' ').map(signature => {
    const isOf = (secret: string) =>
      sign(secret, headers['webhook-id']!, seconds, body ?? '') === signature;
    return isOf(NEW) ? 'new' : isOf(OLD) ? 'old' : 'nobody';
  });
}

describe('while a secret is rotated', () => {
  test('firings, retries, manual runs and callbacks are signed with both, and then with the new one', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const webhook: Integration = {
      id: 'i',
      type: 'WEBHOOK',
      name: '',
      url: 'https://example.com/callback',
      includeScheduleUrlInCallback: false,
      callOnSuccess: true,
    };
    const { id } = await world.schedule({ interval: '* * * * *', integrations: [webhook] });
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.sent.map(signers), [['old'], ['old']]);
    await rotate(world, 2 * MINUTE);
    world.answer = ({ headers }) => (headers['punctual-attempt'] === '1' ? 503 : 200);
    await world.clock.advance(MINUTE + 10_000);
    await world.trigger(id);
    await world.clock.advance(10_000);
    const overlapping = world.sent.slice(2);
    assert.deepEqual(
      overlapping.map(({ headers }) => headers['punctual-attempt']),
      ['1', '2', '1', '2', '1', '2', '1', '2'],
    );
    for (const sent of overlapping) assert.deepEqual(signers(sent), ['new', 'old']);
    await world.clock.advance(MINUTE);
    const after = world.sent.slice(10);
    assert.ok(after.length >= 2);
    for (const sent of after) assert.deepEqual(signers(sent), ['new']);
  });

  for (const [overlapMs, signs] of [
    [MINUTE, ['new']],
    [MINUTE + 1, ['new', 'old']],
  ] as const) {
    test(`of what is claimed before the end ${overlapMs} ms away, its own instant counts`, async () => {
      const world = await World.start('2026-03-01T12:00:00Z');
      await world.schedule({ interval: '* * * * *' });
      await rotate(world, overlapMs);
      await world.clock.advance(MINUTE);
      assert.deepEqual(world.sent.map(signers), [signs]);
    });
  }

  test('a firing that waits for its place beyond the end is signed with the new one alone', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.engine.stop(0);
    world.mostPerHost = 1;
    world.engine = world.newEngine();
    await world.engine.start();
    for (let i = 0; i < 2; i += 1) await world.schedule({ interval: '* * * * *' });
    await rotate(world, MINUTE + 300);
    world.answer = () => 'hang';
    await world.clock.advance(MINUTE);
    await world.clock.advance(500);
    await world.release();
    assert.deepEqual(world.sent.map(signers), [['new', 'old'], ['new']]);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:00']);
  });

  test('a firing that was claimed before is signed with both all the same', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE - 400);
    assert.equal(await world.store.queue.nextDueAt(), null, 'it is claimed');
    await rotate(world, MINUTE);
    await world.clock.advance(400);
    assert.deepEqual(world.sent.map(signers), [['new', 'old']]);
    assert.deepEqual(world.times(), ['12:01:00']);
  });

  test('where there is no overlap, one that was claimed before is signed with the new one', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE - 400);
    await rotate(world, 0);
    await world.clock.advance(400);
    assert.deepEqual(world.sent.map(signers), [['new']]);
  });

  test('the old secret is gone from the store soon after its end', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await rotate(world, MINUTE);
    await world.clock.advance(11 * MINUTE);
    const [client] = await world.store.clients.listClients();
    assert.deepEqual([client!.signingSecret, client!.oldSecret], [NEW, undefined]);
  });
});
