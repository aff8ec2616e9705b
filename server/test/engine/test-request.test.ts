import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftNew } from '../../src/domain/schedule/draft.ts';
import { ALLOW_PUBLIC } from '../../src/domain/schedule/target.ts';
import { TestRequests } from '../../src/engine/test-request.ts';
import type { OutboundRequest, SendResult } from '../../src/outbound/send.ts';
import { ManualClock } from '../support/clock.ts';

const clock = new ManualClock('2026-03-01T12:00:00Z');
const schedule = draftNew(
  { url: 'https://example.com/', verb: 'POST', interval: '* * * * *', timezone: 'UTC' },
  clock.now(),
  ALLOW_PUBLIC,
);
const secrets = async () => ({ signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' });

/** A network on which nothing ends before the test says so. */
function hanging() {
  const asked: OutboundRequest[] = [];
  const ends: (() => void)[] = [];
  const result: SendResult = {
    outcome: 'response',
    startedAt: clock.now(),
    durationMs: 1,
    phases: {},
    responseStatus: 200,
  };
  const send = (request: OutboundRequest) => {
    asked.push(request);
    return new Promise<SendResult>(done => ends.push(() => done(result)));
  };
  return {
    requests: new TestRequests({ send, clock, identities: { load: () => null, of: () => null } }),
    asked,
    ends,
  };
}

const tooMany = { code: 'too_many_tries', message: /^Too many schedules are being tried: / };

test('a client has ten in flight, and one more when one has ended', async () => {
  const { requests, asked, ends } = hanging();
  const tryAs = (clientRowId: number) => requests.try(schedule, { clientRowId, secrets });
  const all = Array.from({ length: 10 }, () => tryAs(1));
  await assert.rejects(tryAs(1), tooMany);
  all.push(tryAs(2));
  await clock.advance(0);
  assert.deepEqual(
    asked.map(({ clientRowId }) => clientRowId),
    [...Array(10).fill(1), 2],
  );
  ends[0]!();
  assert.equal((await all[0]!).responseStatus, 200);
  all.push(tryAs(1));
  await assert.rejects(tryAs(1), tooMany);
  await clock.advance(0);
  for (const end of ends) end();
  await Promise.all(all);
});

test('all clients together have a hundred', async () => {
  const { requests, ends } = hanging();
  const tryAs = (clientRowId: number) => requests.try(schedule, { clientRowId, secrets });
  const all = Array.from({ length: 100 }, (_, n) => tryAs(n % 10));
  await assert.rejects(tryAs(10), tooMany);
  await clock.advance(0);
  for (const end of ends) end();
  await Promise.all(all);
});

test('one that could not be sent holds no place', async () => {
  const { requests } = hanging();
  const broken = async () => {
    throw new Error('the store is away');
  };
  for (let n = 0; n < 20; n += 1) {
    const tried = requests.try(schedule, { clientRowId: 1, secrets: broken });
    await assert.rejects(tried, /the store is away/);
  }
});

test('the answer is told whole, whatever history keeps', async () => {
  const { requests, asked, ends } = hanging();
  const policy = { keepResponse: 'none' as const, success: { bodyContains: 'ok' } };
  const tried = requests.try({ ...schedule, policy }, { clientRowId: 1, secrets });
  await clock.advance(0);
  ends[0]!();
  await tried;
  assert.deepEqual(asked[0]!.success, { bodyContains: 'ok' });
});
