import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { assertError } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';

const clock = new ManualClock('2026-03-01T00:00:00Z');
const tried: Schedule[] = [];
const service = await startService({
  clock,
  async tryOut(schedule) {
    tried.push(schedule);
    return { number: 1, startedAt: clock.now(), outcome: 'response', responseStatus: 204 };
  },
});
after(() => service.close());
const check = (change: object) =>
  service.call('POST', '/v1/check', { body: { ...valid, ...change } });

test('what could be stored has no problems, and ten times', async () => {
  const { status, body } = await check({});
  assert.deepEqual([status, body.problems, body.clockNotes], [200, [], []]);
  assert.equal(body.times.length, 10);
  assert.equal(body.times[0], '2026-03-01T00:05:00.000Z');
});

test('every property that is wrong is named, with the sentence of a create', async () => {
  const wrong = {
    url: 'ftp://x',
    interval: '99 * * * *',
    timezone: 'Nowhere',
    headers: { Host: 'x' },
    data: { a: 'x'.repeat(131_072) },
    integrations: [
      { type: 'WEBHOOK', url: 'https://ok.example' },
      { type: 'WEBHOOK', url: 'no' },
    ],
  };
  const { problems, times } = (await check(wrong)).body;
  assert.deepEqual(
    problems.map(({ where }: { where: string }) => where),
    ['url', 'interval', 'timezone', 'headers', 'data', 'integrations[1].url'],
  );
  assert.deepEqual(times, []);
  for (const [name, value] of Object.entries(wrong)) {
    const created = await service.call('POST', '/v1/schedule', {
      body: { ...valid, [name]: value },
    });
    const { sentence } = problems.find(({ where }: { where: string }) => where.startsWith(name));
    assert.equal(created.body.error, sentence);
  }
});

test('changes of the clock within a year are told', async () => {
  const { clockNotes } = (await check({ interval: '30 2 * * *', timezone: 'Europe/Berlin' })).body;
  assert.deepEqual(
    clockNotes.map((note: Record<string, string>) => [note.kind, note.localTime, note.at]),
    [
      ['moved', '2026-03-29T02:30:00', '2026-03-29T01:00:00.000Z'],
      ['once', '2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z'],
    ],
  );
  const follows = (await check({ interval: '*/30 2 * * *', timezone: 'Europe/Berlin' })).body;
  assert.deepEqual(
    follows.clockNotes.map(({ kind }: { kind: string }) => kind),
    ['dropped', 'twice'],
  );
  assert.deepEqual((await check({ timezone: 'Europe/Berlin' })).body.clockNotes, []);
});

test('a try is sent as the schedule says, and nothing is stored', async () => {
  const { status, body } = await service.call('POST', '/v1/try', {
    body: { ...valid, label: 'tried' },
  });
  assert.equal(status, 200);
  assert.deepEqual(body.attempt, {
    number: 1,
    startedAt: '2026-03-01T00:00:00.000Z',
    outcome: 'response',
    responseStatus: 204,
  });
  assert.deepEqual(
    tried.map(({ label }) => label),
    ['tried'],
  );
  assert.deepEqual((await service.call('GET', '/v1/schedule')).body.items, []);
  const refused = { body: { ...valid, url: 'http://10.0.0.1' } };
  assertError(await service.call('POST', '/v1/try', refused), 400, /ALLOW_TARGETS/);
  assert.equal(tried.length, 1);
});
