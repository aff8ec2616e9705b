import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { nextTime } from '../../src/domain/calendar/times.ts';
import { runId } from '../../src/domain/id.ts';
import { assertError } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { aRecord, claimOne, settled } from '../support/store/backend.ts';

/** Explanations over HTTP, on a clock that the test moves. */

const NOON = Date.UTC(2026, 5, 1, 12);
const clock = new ManualClock(NOON);
const service = await startService({ clock });
after(() => service.close());

const explain = (id: string, at: string, as = service.mine) =>
  service.call('GET', `/v1/schedule/${id}/explain?at=${encodeURIComponent(at)}`, { as });
const asked = async (id: string, at: string) => {
  const { status, body } = await explain(id, at);
  assert.equal(status, 200);
  return body;
};

test('a run on record is told with the run itself', async () => {
  const { id } = await service.create({ interval: '0 * * * *' });
  const one = NOON + 3_600_000;
  const claim = await claimOne(service.store, one);
  await settled(service.store, claim, null, { records: [aRecord(id, one)] });
  const ahead = await asked(id, '2026-06-01T13:00:00Z');
  assert.equal(ahead.verdict, 'upcoming', 'while the time is yet to come again');
  assert.match(ahead.sentence, /was sent already, while the clock was ahead/);
  const before = clock.now();
  await clock.jump(one + 5);
  const { verdict, lateMs, run, interval, timezone } = await asked(id, '2026-06-01T13:00:00Z');
  await clock.jump(before);
  assert.deepEqual([verdict, lateMs, run.id], ['succeeded', 5, runId(id, one)]);
  assert.deepEqual([interval, timezone], ['0 * * * *', 'UTC']);
});

test('one record of many missed times answers for each of them', async () => {
  const { id } = await service.create({ interval: '* * * * *' });
  const minute = NOON + 60_000;
  const claim = await claimOne(service.store, minute);
  const missed = { count: 5_000, from: minute, to: minute + 4_999 * 60_000 };
  const record = aRecord(id, minute, { status: 'missed', missed, reason: 'It was down.' });
  await settled(service.store, claim, null, { records: [record] });
  const before = clock.now();
  await clock.jump(missed.to);
  const { verdict, sentence } = await asked(id, '2026-06-02T12:00:00Z');
  await clock.jump(before);
  assert.deepEqual([verdict, sentence], ['missed', 'It was missed: it was down.']);
  const after = new Date(missed.to + 60_000).toISOString();
  assert.equal((await asked(id, after)).verdict, 'upcoming');
});

test('what the schedule was then counts, and not what it is', async () => {
  const { id } = await service.create({ interval: '0 * * * *' });
  const patch = (body: object) => service.call('PATCH', `/v1/schedule/${id}`, { body });
  const start = clock.now();
  await clock.jump(start + 600_000);
  await patch({ status: 'disabled' });
  await clock.jump(start + 2 * 3_600_000);
  await patch({ status: 'enabled', interval: '30 * * * *' });
  const paused = await asked(id, '2026-06-01T13:00:00Z');
  assert.deepEqual([paused.verdict, paused.interval], ['paused', '0 * * * *']);
  assert.match(paused.sentence, /since 2026-06-01T12:10:00\.000Z until 2026-06-01T14:00/);
  assert.equal((await asked(id, '2026-06-01T15:00:00Z')).verdict, 'neverDue');
  assert.equal((await asked(id, '2026-06-01T15:30:00Z')).verdict, 'upcoming');
});

test("a time without an offset is the schedule's own, also where it does not exist", async () => {
  const { id } = await service.create({ interval: '30 2 * * *', timezone: 'Europe/Berlin' });
  const next = await asked(id, '2026-06-03T02:30');
  assert.deepEqual([next.verdict, next.at], ['upcoming', '2026-06-03T00:30:00.000Z']);
  const gap = await asked(id, '2027-03-28T02:30');
  assert.equal(gap.verdict, 'moved');
  assert.deepEqual(
    [gap.localTime, gap.movedTo],
    ['2027-03-28T02:30:00', '2027-03-28T01:00:00.000Z'],
  );
  assert.equal((await asked(id, '2026-10-25T02:30')).at, '2026-10-25T00:30:00.000Z');
  const fires = nextTime(
    { interval: '30 2 * * *', timezone: 'Europe/Berlin' },
    Date.parse('2026-12-01T00:00:00Z'),
  );
  assert.equal((await asked(id, '2026-12-01T02:30')).at, new Date(fires!).toISOString());
});

test('a deleted schedule is explained too', async () => {
  const { id } = await service.create({ interval: '0 * * * *' });
  await service.call('DELETE', `/v1/schedule/${id}`);
  assert.equal((await asked(id, '2026-07-01T13:00:00Z')).verdict, 'deleted');
});

test('an instant far away has an answer as well', async () => {
  const { id } = await service.create();
  for (const at of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z']) {
    assert.ok((await asked(id, at)).sentence.length > 0);
  }
});

test('400: at is missing, or no time; 404: not this client’s', async () => {
  const { id } = await service.create();
  assertError(await service.call('GET', `/v1/schedule/${id}/explain`), 400, /at is required/);
  for (const at of ['', 'now', '2026-02-30T00:00', '2026-02-30T00:00:00Z', '2026-01-01']) {
    assertError(await explain(id, at), 400, /at must be an ISO 8601/);
  }
  assertError(await explain(id, '2026-06-01T13:00:00Z', service.theirs), 404, /no schedule/);
  assertError(await explain('x', '2026-06-01T13:00:00Z'), 404, /no schedule/);
});

test('while everything is paused, what is due waits for the resume', async () => {
  const { id } = await service.create({ interval: '* * * * *' });
  const due = new Date(nextTime({ interval: '* * * * *', timezone: 'UTC' }, clock.now())!);
  await service.store.installation.pause(clock.now());
  const toCome = await asked(id, due.toISOString());
  assert.match(toCome.sentence, /only if Punctual is resumed by then/);
  await clock.jump(due.getTime() + 5_000);
  const waiting = await asked(id, due.toISOString());
  assert.equal(waiting.verdict, 'waiting');
  assert.match(waiting.sentence, /Punctual is paused since 2026-06-01T/);
  await service.store.installation.resume(clock.now());
  assert.match((await asked(id, due.toISOString())).sentence, /has not been begun yet/);
});
