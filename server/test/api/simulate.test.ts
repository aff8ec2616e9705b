import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { assertError } from '../support/api/expect.ts';
import { newClient, startService, valid } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';

const FROM = '2026-06-01T00:00:00.000Z';
const clock = new ManualClock('2026-05-31T12:00:00Z');
const service = await startService({ clock });
after(() => service.close());

async function simulated(body: object, as = service.mine): Promise<Wire.Simulation> {
  const answer = await service.call('POST', '/v1/simulate', { body: { from: FROM, ...body }, as });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** The effects without what the test does not look at. */
async function effects(changes: object[], more: object = {}): Promise<Wire.ChangeEffect[]> {
  return (await simulated({ changes, ...more })).changes;
}

describe('the effect of a change', () => {
  test('a create adds its times, and stores nothing', async () => {
    const create = { ...valid, interval: '0 2 * * *', timezone: 'Europe/Berlin' };
    const [effect] = await effects([{ create }], { days: 3 });
    assert.deepEqual(effect, {
      action: 'create',
      firingsBefore: 0,
      firingsAfter: 3,
      addedCount: 3,
      removedCount: 0,
      added: ['2026-06-01T00:00:00.000Z', '2026-06-02T00:00:00.000Z', '2026-06-03T00:00:00.000Z'],
      removed: [],
      nextAfter: '2026-06-01T00:00:00.000Z',
      clockNotes: [],
      problems: [],
    });
    assert.deepEqual((await service.call('GET', '/v1/schedule')).body.items, []);
  });

  test('a patch tells the times that come and go, and a delete those that go', async () => {
    const { id } = await service.create({ interval: '0 */6 * * *' });
    const [patch, gone] = await effects(
      [
        { id, patch: { interval: '0 */8 * * *' } },
        { id, delete: true },
      ],
      { days: 1 },
    );
    assert.deepEqual([patch!.firingsBefore, patch!.firingsAfter], [4, 3]);
    assert.deepEqual([patch!.addedCount, patch!.removedCount], [2, 3]);
    assert.deepEqual(patch!.added, ['2026-06-01T08:00:00.000Z', '2026-06-01T16:00:00.000Z']);
    assert.deepEqual(patch!.removed![0], '2026-06-01T06:00:00.000Z');
    const { nextAfter, ...rest } = gone!;
    assert.deepEqual(
      [rest.id, rest.action, rest.firingsBefore, rest.firingsAfter, rest.removedCount, nextAfter],
      [id, 'delete', 3, 0, 3, undefined],
    );
    const { status, interval } = (await service.call('GET', `/v1/schedule/${id}`)).body;
    assert.deepEqual([status, interval], ['enabled', '0 */6 * * *']);
  });

  test('only the first 20 differences are told, and none of schedules with very many times', async () => {
    const [minutes, seconds] = await effects([
      { create: { ...valid, interval: '* * * * *' } },
      { create: { ...valid, interval: '* * * * * *' } },
    ]);
    assert.deepEqual([minutes!.addedCount, minutes!.added!.length], [31 * 1_440, 20]);
    assert.equal(seconds!.firingsAfter, 31 * 86_400);
    for (const key of ['addedCount', 'removedCount', 'added', 'removed']) {
      assert.equal(key in seconds!, false, key);
    }
  });

  test('notes tell of changes of the clock within the range', async () => {
    const create = { ...valid, interval: '30 2 * * *', timezone: 'Europe/Berlin' };
    const [effect] = await effects([{ create }], { from: '2026-10-24T00:00:00Z', days: 2 });
    assert.deepEqual(effect!.clockNotes, [
      {
        kind: 'once',
        localTime: '2026-10-25T02:30:00',
        at: '2026-10-25T00:30:00.000Z',
        sentence: 'On 2026-10-25, 02:30:00 comes twice: it will fire the first time only.',
      },
    ]);
  });

  test('an enabled schedule that is paused fires again from then on', async () => {
    const { id } = await service.create({ interval: '0 * * * *' });
    const [effect] = await effects([{ id, patch: { pausedUntil: '2026-06-01T12:00:00Z' } }], {
      days: 1,
    });
    assert.deepEqual([effect!.firingsAfter, effect!.removedCount], [12, 12]);
    assert.equal(effect!.nextAfter, '2026-06-01T12:00:00.000Z');
  });

  test('a rate counts from the begin, and all counted times lie in the range', async () => {
    const [rate, counted] = await effects(
      [
        { create: { ...valid, interval: 'rate(6 hours)' } },
        { create: { ...valid, interval: '0 0 * * *', maxRuns: 2 } },
      ],
      { days: 1 },
    );
    assert.equal(rate!.nextAfter, '2026-06-01T06:00:00.000Z');
    assert.equal(rate!.firingsAfter, 3);
    assert.deepEqual(counted!.added, [FROM]);
    const [week] = await effects([{ create: { ...valid, interval: '0 0 * * *', maxRuns: 2 } }]);
    assert.deepEqual(week!.added, [FROM, '2026-06-02T00:00:00.000Z']);
  });

  test('the offset in a window is that of the external id, and else the start of the window', async () => {
    const windowed = { ...valid, interval: '0 0 * * *', windowSeconds: 3_600 };
    const [plain, named] = await effects(
      [{ create: windowed }, { create: { ...windowed, externalId: 'sim-window' } }],
      { days: 1 },
    );
    assert.deepEqual(plain!.added, [FROM]);
    const stored = await service.create({ ...windowed, externalId: 'sim-window' });
    const { times } = (await service.call('GET', `/v1/schedule/${stored.id}/next?count=1`)).body;
    assert.deepEqual(named!.added, times);
  });

  test('a calendar takes times away', async () => {
    const periods = [{ from: '2026-06-02', to: '2026-06-03', summary: 'Freeze' }];
    const { clientRowId } = service.mine;
    const at = clock.now();
    const local = {
      from: Date.UTC(2026, 5, 2),
      to: Date.UTC(2026, 5, 3),
      isLocal: true,
      summary: 'Freeze',
    };
    await service.store.calendars.put(
      clientRowId,
      {
        version: '019a9f41-6c58-7f91-a2e0-91b4c07d5a38',
        name: 'freeze',
        periods: [local],
        source: { kind: 'periods', periods },
      },
      at,
      at + 86_400_000,
    );
    const create = { ...valid, interval: '0 9 * * *', exclude: ['freeze'] };
    const [effect, unknown] = await effects(
      [{ create }, { create: { ...create, exclude: ['holidays'] } }],
      { days: 3 },
    );
    assert.deepEqual(effect!.added, ['2026-06-01T09:00:00.000Z', '2026-06-03T09:00:00.000Z']);
    assert.match(unknown!.problems[0]!.sentence, /no calendar "holidays"/);
  });
});

describe('changes that build on each other', () => {
  test('the second change of a schedule starts from the first', async () => {
    const create = { ...valid, interval: '0 0 * * *', externalId: 'sim-built' };
    const [made, patched, deleted, again] = await effects(
      [
        { create },
        { id: 'ext:sim-built', patch: { interval: '0 0,12 * * *' } },
        { id: 'ext:sim-built', delete: true },
        { create },
      ],
      { days: 1 },
    );
    assert.deepEqual([made!.firingsBefore, made!.firingsAfter], [0, 1]);
    assert.deepEqual([patched!.firingsBefore, patched!.firingsAfter], [1, 2]);
    assert.deepEqual([deleted!.firingsBefore, deleted!.firingsAfter], [2, 0]);
    assert.deepEqual([again!.firingsAfter, again!.problems], [1, []]);
    assert.ok([made, patched, deleted].every(effect => !('id' in effect!)));
  });

  test('an external id names a stored schedule, and its id is told', async () => {
    const { id } = await service.create({ externalId: 'sim-stored' });
    const [effect] = await effects([{ id: 'ext:sim-stored', patch: { status: 'disabled' } }]);
    assert.deepEqual([effect!.id, effect!.firingsAfter, effect!.nextAfter], [id, 0, undefined]);
  });
});

describe('refusals', () => {
  test('a create tells all of its problems, and changes nothing', async () => {
    const create = { ...valid, url: 'ftp://x', interval: '61 * * * *', timezone: 'Mars/Phobos' };
    const [effect] = await effects([{ create }]);
    assert.deepEqual(effect!.problems.map(({ where }) => where).sort(), [
      'interval',
      'timezone',
      'url',
    ]);
    assert.deepEqual([effect!.firingsAfter, effect!.addedCount], [0, 0]);
  });

  test('a patch that is refused leaves the schedule as it is', async () => {
    const { id } = await service.create({ interval: '0 0 * * *', externalId: 'sim-kept' });
    await service.create({ externalId: 'sim-taken' });
    const [bad, taken, ended, good, gone, unknown] = await effects(
      [
        { id, patch: { interval: 'x', timezone: 'Mars/Phobos' } },
        { id, patch: { externalId: 'sim-taken' } },
        { id, patch: { endsAt: '2026-05-01T00:00:00Z' } },
        { id, patch: { label: 'same times' } },
        { id, delete: true },
        { id: 'ext:sim-kept', delete: true },
      ],
      { days: 1 },
    );
    assert.deepEqual(bad!.problems.map(({ where }) => where).sort(), ['interval', 'timezone']);
    assert.deepEqual(
      taken!.problems.map(({ where }) => where),
      ['externalId'],
    );
    assert.match(ended!.problems[0]!.sentence, /no time to come/);
    for (const effect of [bad, taken, ended, good]) {
      assert.deepEqual([effect!.firingsAfter, effect!.removedCount], [1, 0]);
    }
    assert.deepEqual([gone!.problems, gone!.firingsAfter], [[], 0]);
    assert.deepEqual(unknown!.problems, [
      { where: 'id', sentence: 'There is no schedule with this id.' },
    ]);
  });

  test("another client's schedule is not there", async () => {
    const { id } = await service.create({}, service.theirs);
    const [effect] = await effects([{ id, delete: true }]);
    assert.equal(effect!.problems[0]!.where, 'id');
  });

  test('400: changes that say nothing, or too much', async () => {
    const ask = (body: unknown) => service.call('POST', '/v1/simulate', { body });
    const id = '019a9f41-6c58-7f91-a2e0-91b4c07d5a38';
    for (const [change, pattern] of [
      [{}, /changes\[0\] must have one of create, patch and delete/],
      [{ id, patch: {}, delete: true }, /changes\[0\] must have one of/],
      [{ create: valid, id }, /changes\[0\] must not have an id/],
      [{ patch: {} }, /changes\[0\] must have an id/],
      [{ id, delete: false }, /changes\[0\]\.delete must be true/],
      [{ create: { ...valid, verb: 'TRACE' } }, /verb/],
    ] as const) {
      assertError(await ask({ changes: [change] }), 400, pattern);
    }
    assertError(await ask({ changes: [] }), 400, /changes/);
    assertError(await ask({ changes: Array(1_001).fill({ id, delete: true }) }), 400, /changes/);
    const changes = [{ id, delete: true }];
    for (const days of [0, 93, 1.5]) assertError(await ask({ changes, days }), 400, /days/);
    assertError(await ask({ changes, from: '2026-06-01' }), 400, /from must be/);
    assertError(await ask({ changes, until: 1 }), 400, /until/);
    const nobody = { ...service.mine, apiKey: 'wrong' };
    const unauthorized = await service.call('POST', '/v1/simulate', { body: {}, as: nobody });
    assertError(unauthorized, 401);
  });
});

describe('the herd', () => {
  test('the busiest minute of the hosts that are touched, before and after', async () => {
    const as = await newClient(service.store, 'herd');
    const url = 'https://busy.example/x';
    const ids: string[] = [];
    for (let count = 0; count < 30; count += 1) {
      ids.push((await service.create({ url, interval: '0 3 * * *' }, as)).id);
    }
    await service.create({ url: 'https://quiet.example/', interval: '* * * * *' }, as);
    const changes = [
      ...ids.slice(0, 20).map((id, index) => ({ id, patch: { interval: `${index} 4 * * *` } })),
      { create: { ...valid, url: 'https://new.example:8443/', interval: '5 5 * * *' } },
    ];
    const { herd, isPartial } = await simulated({ changes, herd: true, days: 2 }, as);
    assert.deepEqual(herd, [
      {
        host: 'busy.example',
        before: { at: '2026-06-01T03:00:00.000Z', firings: 30 },
        after: { at: '2026-06-01T03:00:00.000Z', firings: 10 },
      },
      { host: 'new.example:8443', after: { at: '2026-06-01T05:05:00.000Z', firings: 1 } },
    ]);
    assert.equal(isPartial, undefined);
  });

  test('two changes of one schedule count once', async () => {
    const as = await newClient(service.store, 'herd twice');
    const { id } = await service.create({ interval: '0 3 * * *' }, as);
    const changes = [
      { id, patch: { interval: '0 4 * * *' } },
      { id, patch: { interval: '0 5 * * *' } },
    ];
    const { herd } = await simulated({ changes, herd: true, days: 1 }, as);
    assert.deepEqual(herd, [
      {
        host: 'example.com',
        before: { at: '2026-06-01T03:00:00.000Z', firings: 1 },
        after: { at: '2026-06-01T05:00:00.000Z', firings: 1 },
      },
    ]);
  });
});

test('the same question has the same bytes, whenever it is asked and on another service', async () => {
  const changes = [
    { create: { ...valid, interval: 'rate(7 minutes)', windowSeconds: 600 } },
    { create: { ...valid, interval: '0 9 * * *', externalId: 'ci', windowSeconds: 86_400 } },
    { id: 'ext:ci', patch: { pausedUntil: '2026-06-05T00:00:00Z', maxRuns: 9 } },
    { create: { ...valid, interval: '30 2 * * *', timezone: 'Europe/Berlin' } },
    { create: { ...valid, interval: 'nonsense' } },
  ];
  const body = { changes, from: FROM, herd: true };
  const as = await newClient(service.store, 'ci');
  const first = await service.call('POST', '/v1/simulate', { body, as });
  await clock.advance(3 * 86_400_000);
  const later = await service.call('POST', '/v1/simulate', { body, as });
  const other = await startService({ clock: new ManualClock('2027-01-01T00:00:00Z') });
  const elsewhere = await other.call('POST', '/v1/simulate', { body });
  await other.close();
  assert.equal(first.status, 200);
  assert.equal(later.text, first.text);
  assert.equal(elsewhere.text, first.text);
  // On every machine: what is written here was counted on another one.
  const bytes = first.text.replace(`"tzdata":"${first.body.tzdata}"`, '');
  assert.equal(
    hash('sha256', bytes),
    'd6c1ef222ea50e063b912cafefc304e1681153d36d7f893e5e729b73044c4657',
  );
});

test('without a begin it counts from now', async () => {
  const body = { changes: [{ create: valid }] };
  const { from, to } = (await service.call('POST', '/v1/simulate', { body })).body;
  assert.equal(Date.parse(from), clock.now());
  assert.equal(Date.parse(to) - Date.parse(from), 31 * 86_400_000);
});

test('firings do not wait for a long simulation', async () => {
  const { id } = await service.create({ interval: '* * * * *' });
  const intervals = ['*/2 * * * *', '* * * * *'];
  const changes = Array.from({ length: 20 }, (_, n) => ({
    id,
    patch: { interval: intervals[n % 2] },
  }));
  const asked = simulated({ changes });
  let [turns, isDone] = [0, false];
  const watched = (async () => {
    while (!isDone) {
      await new Promise(resolve => setImmediate(resolve));
      turns += 1;
    }
  })();
  const { changes: effects } = await asked;
  isDone = true;
  await watched;
  assert.deepEqual([effects[18]!.removedCount, effects[19]!.addedCount], [22_320, 22_320]);
  assert.ok(turns > 50, `${turns} turns`);
});
