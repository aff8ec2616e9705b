import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertError } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { aRecord, claimOne, settled } from '../support/store/backend.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 5, 1, 12);
const clock = new ManualClock(NOON);
const service = await startService({ clock });
after(() => service.close());

const timeline = (query: string, as = service.mine) =>
  service.call('GET', `/v1/timeline?${query}`, { as });
const bands = (id: string, query: string, as = service.mine) =>
  service.call('GET', `/v1/schedule/${id}/band?${query}`, { as });

test('the times of several schedules stand on one axis, past and to come, each counted by itself', async () => {
  const busy = await service.create({ interval: '* * * * *' });
  const claim = await claimOne(service.store, NOON + MINUTE);
  await settled(service.store, claim, null, {
    records: [
      aRecord(busy.id, NOON + MINUTE, { status: 'failed' }),
      aRecord(busy.id, NOON + 2 * MINUTE, {}),
    ],
  });
  const quiet = await service.create({ interval: '30 * * * *' });
  const paused = await service.create({ interval: '* * * * *', status: 'disabled' });
  const stranger = await service.create({}, service.theirs);
  await clock.jump(NOON + 3 * MINUTE);
  const ids = [quiet, stranger, busy, paused].map(({ id }) => `scheduleId=${id}`).join('&');
  const { status, body } = await timeline(
    `${ids}&from=2026-06-01T12:00:30Z&to=2026-06-01T12:40:00Z&stepSeconds=600`,
  );
  assert.equal(status, 200, JSON.stringify(body));
  const none = { succeeded: [], failed: [], skipped: [], missed: [] };
  const zeros = [0, 0, 0, 0];
  assert.deepEqual(body, {
    from: '2026-06-01T12:00:00.000Z',
    to: '2026-06-01T12:40:00.000Z',
    stepSeconds: 600,
    now: '2026-06-01T12:03:00.000Z',
    items: [
      {
        scheduleId: quiet.id,
        from: '2026-06-01T12:00:00.000Z',
        steps: [3],
        ...{ succeeded: [0], failed: [0], skipped: [0], missed: [0] },
        due: [1],
      },
      {
        scheduleId: busy.id,
        from: '2026-06-01T12:00:00.000Z',
        steps: [0, 1, 2, 3],
        ...{ succeeded: [1, 0, 0, 0], failed: [1, 0, 0, 0], skipped: zeros, missed: zeros },
        due: [6, 10, 10, 10],
      },
      { scheduleId: paused.id, from: '2026-06-01T12:00:00.000Z', steps: [], ...none, due: [] },
    ],
  });
});

test('a timeline is bounded: its schedules, its steps, and all of them together', async () => {
  const { id } = await service.create({});
  const range = 'from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z';
  assertError(await timeline(`${range}&stepSeconds=3600`), 400, /scheduleId is required/);
  const many = Array.from({ length: 51 }, () => `scheduleId=${id}`).join('&');
  assertError(await timeline(`${many}&${range}&stepSeconds=3600`), 400, /scheduleId/);
  assertError(await timeline(`scheduleId=${id}&${range}&stepSeconds=60`), 400, /1440 steps/);
  const others = await Promise.all(Array.from({ length: 29 }, () => service.create({})));
  const thirty = [{ id }, ...others].map(each => `scheduleId=${each.id}`).join('&');
  assertError(await timeline(`${thirty}&${range}&stepSeconds=120`), 400, /21600 steps together/);
  assert.equal((await timeline(`${thirty}&${range}&stepSeconds=300`)).status, 200);
});

test('bands are what explain says: before it was created, paused, snoozed, missed; edits stand beside them', async () => {
  await clock.jump(NOON + 10 * MINUTE);
  const { id } = await service.create({ interval: '* * * * *' });
  const patch = (body: object) => service.call('PATCH', `/v1/schedule/${id}`, { body });
  await clock.jump(NOON + 20 * MINUTE);
  await patch({ status: 'disabled' });
  await clock.jump(NOON + 30 * MINUTE);
  await patch({ status: 'enabled', interval: '*/2 * * * *' });
  await clock.jump(NOON + 40 * MINUTE);
  await patch({ pausedUntil: '2026-06-01T13:00:00Z' });
  const { status, body } = await bands(id, 'from=2026-06-01T12:00:00Z&to=2026-06-01T14:00:00Z');
  assert.equal(status, 200, JSON.stringify(body));
  const at = (minute: number) => new Date(NOON + minute * MINUTE).toISOString();
  assert.deepEqual(
    body.bands.map(({ kind, from, to }: Record<string, string>) => [kind, from, to]),
    [
      ['notCreated', at(0), new Date(NOON + 10 * MINUTE + 1).toISOString()],
      ['paused', at(20), at(30)],
      ['paused', at(40), at(60)],
    ],
  );
  for (const { kind, from, sentence } of body.bands) {
    const told = await service.call('GET', `/v1/schedule/${id}/explain?at=${from}`);
    assert.deepEqual([told.body.verdict, told.body.sentence], [kind, sentence]);
  }
  assert.deepEqual(body.edits, [
    { at: at(30), sentence: 'Its interval was changed from "* * * * *" to "*/2 * * * *".' },
  ]);
});

test("bands of a range that is too long, and of another client's schedule, are refused", async () => {
  const { id } = await service.create({});
  const range = 'from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z';
  assertError(await bands(id, range, service.theirs), 404, /no schedule/);
  assertError(await bands(id, 'from=2026-06-01T00:00:00Z&to=2026-06-01T00:00:00Z'), 400, /after/);
  const years = 'from=2024-06-01T00:00:00Z&to=2026-06-01T00:00:00Z';
  assertError(await bands(id, years), 400, /730 days/);
});
