import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type * as Wire from '@punctual/client';
import fc from 'fast-check';
import { newId } from '../../src/domain/id.ts';
import { waitingRow } from '../../src/domain/run/queue-row.ts';
import type { RunRecord } from '../../src/domain/run/run.ts';
import { assertError } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { aRecord, aSchedule, settled } from '../support/store/backend.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 5, 1, 12);
const clock = new ManualClock(NOON);
const service = await startService({ clock });
after(() => service.close());

type Letter = 's' | 'f' | 'k' | 'm';
const STATUSES = { s: 'succeeded', f: 'failed', k: 'skipped', m: 'missed' } as const;

/** The record of one nominal time. */
function aRecordOf(id: string, at: number, letter: Letter, tookMs = 20): RunRecord {
  const status = STATUSES[letter];
  const record = aRecord(id, at, { status, startedAt: at + 5, finishedAt: at + 5 + tookMs });
  if (letter === 's' || letter === 'f') return record;
  const { startedAt: _, finishedAt: __, ...unsent } = record;
  return { ...unsent, attempts: [], decidedAt: at + 1, reason: 'Because.' };
}

let due = NOON;

/** Creates schedules, each with records as they would have been written. */
async function withRecords(
  fields: object[],
  recordsOf: (id: string, index: number) => RunRecord[],
  as = service.mine,
): Promise<Wire.Schedule[]> {
  const made: Wire.Schedule[] = [];
  for (const each of fields)
    made.push(await service.create({ interval: '* * * * *', ...each }, as));
  due = Math.max(due, clock.now()) + MINUTE;
  const { claims } = await service.store.queue.claim(due, 1_000, 0);
  for (const claim of claims) {
    const index = made.findIndex(({ id }) => id === claim.schedule.id);
    const records = index === -1 ? [] : recordsOf(claim.schedule.id, index);
    const row = waitingRow(claim.schedule, due + (index + 1) * MINUTE);
    await settled(service.store, claim, row, { records });
  }
  return made;
}

async function ask(query: object, as = service.mine): Promise<Wire.HealthPage> {
  // Counts and rankings are a second old at most.
  await clock.jump(clock.now() + 1_000);
  const text = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map(each => [name, String(each)] as [string, string]),
    ),
  );
  const { status, body } = await service.call('GET', `/v1/schedule/health?${text}`, { as });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** All pages of a list. */
async function askAll(query: { limit: number }): Promise<Wire.ScheduleHealth[]> {
  const items: Wire.ScheduleHealth[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask({ ...query, ...(cursor && { cursor }) });
    assert.ok(page.items.length <= query.limit);
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

const labels = (items: Wire.ScheduleHealth[]) => items.map(({ schedule }) => schedule.label);

test('a schedule is told with its latest outcomes, its last answer, its next time and its day', async () => {
  const now = clock.now();
  await withRecords([{ label: 'told' }], id => [
    aRecordOf(id, now - 30 * HOUR, 'f'),
    aRecordOf(id, now - 3 * MINUTE, 's', 500),
    aRecordOf(id, now - 2 * MINUTE, 'm'),
    aRecordOf(id, now - MINUTE, 'f', 40),
  ]);
  const { items, total } = await ask({ label: 'told' });
  assert.deepEqual(total, { count: 1, isExact: true });
  const [{ schedule, recent, last, nextAt, ...figures }] = items as [Wire.ScheduleHealth];
  assert.equal(schedule.label, 'told');
  assert.deepEqual(
    recent.map(({ status, scheduledFor }) => [status, Date.parse(scheduledFor)]),
    [
      ['failed', now - MINUTE],
      ['missed', now - 2 * MINUTE],
      ['succeeded', now - 3 * MINUTE],
      ['failed', now - 30 * HOUR],
    ],
  );
  assert.deepEqual(last, {
    ...recent[0],
    endedAt: new Date(now - MINUTE + 45).toISOString(),
    responseStatus: 200,
  });
  assert.equal(nextAt, new Date(due + MINUTE).toISOString());
  assert.deepEqual(figures, { p95DurationMs: 500, p95LateMs: 5, succeeded24h: 1, ended24h: 2 });
  const run = await service.call('GET', `/v1/run/${last!.id}`, { as: service.mine });
  assert.equal(run.body.scheduleId, schedule.id);
});

test('a schedule that never ran, and one that is paused, have nothing but their schedule', async () => {
  await service.create({ label: 'fresh', status: 'disabled' });
  const { items } = await ask({ label: 'fresh' });
  const [{ schedule, ...rest }] = items as [Wire.ScheduleHealth];
  assert.equal(schedule.status, 'disabled');
  assert.deepEqual(rest, { recent: [], succeeded24h: 0, ended24h: 0 });
});

test('lists are sorted by the worst, the slowest, the next and the newest, page by page, without a repeat', async () => {
  const fields = ['ffff', 'sfff', 'fsss', 'ssss', ''].map(name => ({ label: `sorted ${name}` }));
  await withRecords([...fields, { label: 'sorted paused', status: 'disabled' }], (id, index) => {
    const letters = [...(fields[index]!.label.split(' ')[1] ?? '')] as Letter[];
    return letters.map((letter, back) =>
      aRecordOf(id, clock.now() - (back + 1) * MINUTE, letter, 100 * (index + 1)),
    );
  });
  const sorted = async (sort: string, limit = 2) =>
    labels(await askAll({ limit, label: 'sorted', sort } as never)).map(label => label.slice(7));
  assert.deepEqual(await sorted('newest'), ['paused', '', 'ssss', 'fsss', 'sfff', 'ffff']);
  assert.deepEqual(await sorted('worst'), ['ffff', 'fsss', 'sfff', 'paused', '', 'ssss']);
  assert.deepEqual(await sorted('slowest'), ['ssss', 'fsss', 'sfff', 'ffff', 'paused', '']);
  assert.deepEqual(await sorted('next'), ['ffff', 'sfff', 'fsss', 'ssss', '', 'paused']);
  assert.deepEqual(await sorted('worst', 6), await sorted('worst', 1));
});

test('a page goes on in the ranking with which the first one began', async () => {
  await withRecords([{ label: 'still 1' }, { label: 'still 2' }], id => [
    aRecordOf(id, clock.now() - 2 * MINUTE, id ? 'f' : 's'),
  ]);
  const first = await ask({ label: 'still', sort: 'worst', limit: 1 });
  assert.deepEqual(labels(first.items), ['still 2']);
  await withRecords([{ label: 'still 3' }], id => [
    aRecordOf(id, clock.now() - 3 * MINUTE, 'f'),
    aRecordOf(id, clock.now() - MINUTE, 'f'),
  ]);
  const query = { label: 'still', sort: 'worst', limit: 1 };
  assert.deepEqual(labels((await ask(query)).items), ['still 3']);
  const second = await ask({ ...query, cursor: first.nextCursor });
  assert.deepEqual(labels(second.items), ['still 1']);
  assert.equal(second.nextCursor, undefined);
});

test('a host and tags select, and are counted', async () => {
  const fields = [
    { label: 'grouped', url: 'https://api.example.com/a', tags: { team: 'red' } },
    { label: 'grouped', url: 'https://API.example.com/b', tags: { team: 'red', old: '' } },
    { label: 'grouped', url: 'https://api.example.com:8443/a' },
  ];
  for (const each of fields) await service.create(each, service.theirs);
  const asTheirs = (query: object) => ask(query, service.theirs);
  const byHost = await asTheirs({ host: 'api.example.com', groupBy: 'host', sort: 'worst' });
  assert.equal(byHost.items.length, 2);
  assert.deepEqual(byHost.total, { count: 2, isExact: true });
  assert.deepEqual(byHost.groups, [
    { name: 'api.example.com', count: 2 },
    { name: 'api.example.com:8443', count: 1 },
  ]);
  const byTag = await asTheirs({ tag: ['team:red', 'old'], groupBy: 'tag' });
  assert.equal(byTag.items.length, 1);
  assert.deepEqual(byTag.groups, [
    { name: 'team:red', count: 2 },
    { name: 'old', count: 1 },
  ]);
  assert.equal((await asTheirs({})).groups, undefined);
  for (const host of ['api.example.com', 'API.example.com']) {
    const listed = await service.call('GET', `/v1/schedule?host=${host}`, { as: service.theirs });
    assert.equal(listed.body.items.length, 2);
  }
});

test('what cannot be asked is refused with a sentence, and cursors of other lists too', async () => {
  const refused = async (query: string, pattern: RegExp) =>
    assertError(await service.call('GET', `/v1/schedule/health?${query}`), 400, pattern);
  await refused('sort=best', /sort/);
  await refused('groupBy=label', /groupBy/);
  await refused('tag=NO', /tag/);
  await refused('cursor=abc', /cursor/);
  const { nextCursor } = await ask({ sort: 'worst', limit: 1 });
  await refused(`sort=slowest&cursor=${nextCursor}`, /not from a list that is sorted by slowest/);
  await refused(`cursor=${nextCursor}`, /cursor is not from a list/);
  await refused(`sort=worst&cursor=${nextCursor}x`, /cursor/);
  const anonymous = await service.call('GET', '/v1/schedule/health', {
    headers: { ApiKey: null },
  });
  assert.equal(anonymous.status, 401);
});

/** Many schedules, as one statement stores them. */
async function crowd(count: number, fields: object, clientRowId: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => ({
    schedule: aSchedule({ id: newId(clock.now()), interval: '0 0 1 1 *', ...fields }),
    start: null,
  }));
  await service.store.schedules.insert(clientRowId, made);
  return made.map(({ schedule }) => schedule.id);
}

test('of many schedules, those that stand out come first, and all others follow once, newest first', async () => {
  const { clientRowId } = service.mine;
  const others = await crowd(1_100, { label: 'crowd' }, clientRowId);
  const bad = await withRecords([{ label: 'crowd' }, { label: 'crowd' }], (id, index) => [
    aRecordOf(id, clock.now() - 2 * MINUTE, 'f', 900 - index),
    aRecordOf(id, clock.now() - MINUTE, index === 0 ? 's' : 'f', 10),
  ]);
  const newer = await crowd(3, { label: 'crowd' }, clientRowId);
  const [first, second] = bad.map(({ id }) => id) as [string, string];
  const rest = [...newer.toReversed(), ...others.toReversed()];
  const idsBy = async (sort: string) => {
    const items = await askAll({ limit: 100, label: 'crowd', sort } as never);
    return items.map(({ schedule }) => schedule.id);
  };
  assert.deepEqual(await idsBy('worst'), [second, first, ...rest]);
  assert.deepEqual(await idsBy('slowest'), [first, second, ...rest]);
  assert.deepEqual(await idsBy('next'), [first, second, ...rest]);
  assert.deepEqual((await ask({ label: 'crowd' })).total, { count: 1_105, isExact: true });
  await crowd(8_896, { label: 'crowd' }, clientRowId);
  await clock.jump(clock.now() + HOUR);
  assert.deepEqual((await ask({ label: 'crowd' })).total, { count: 10_000, isExact: false });
  const { total } = await ask({ status: 'enabled' });
  assert.ok(total.isExact && total.count > 10_000, 'all of a status are counted');
});

const aLetter = fc.constantFrom<Letter>('s', 'f', 'k', 'm');
const aTime = fc.record({
  minutesAgo: fc.integer({ min: 1, max: 30 * 60 }),
  letter: aLetter,
  tookMs: fc.nat(2_000),
});
const someHistories = fc.array(
  fc.uniqueArray(aTime, { selector: ({ minutesAgo }) => minutesAgo, maxLength: 45 }),
  { minLength: 1, maxLength: 4 },
);

test('the health of any histories is what a plain look at all their records says', async () => {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(someHistories, async histories => {
      round += 1;
      const label = `round ${round}.`;
      const now = Math.floor(clock.now() / MINUTE) * MINUTE;
      const all = histories.map(times => times.toSorted((a, b) => a.minutesAgo - b.minutesAgo));
      await withRecords(
        all.map((_, index) => ({ label: `${label}${index}` })),
        (id, index) =>
          all[index]!.map(({ minutesAgo, letter, tookMs }) =>
            aRecordOf(id, now - minutesAgo * MINUTE, letter, tookMs),
          ),
      );
      const items = await askAll({ limit: 3, label, sort: 'worst' } as never);
      const from = Math.floor(clock.now() / HOUR) * HOUR - 24 * HOUR;
      const models = all.map(times => {
        const recent = times.slice(0, 30);
        const sent = (each: typeof times) =>
          each.filter(({ letter }) => letter === 's' || letter === 'f');
        const ofDay = sent(times).filter(({ minutesAgo }) => now - minutesAgo * MINUTE >= from);
        const took = sent(recent).map(({ tookMs }) => tookMs);
        const known = recent.map(({ letter }) => letter).filter(letter => letter !== 'k');
        const good = known.indexOf('s');
        return {
          statuses: recent.map(({ letter }) => STATUSES[letter]),
          p95: took.sort((a, b) => a - b)[Math.ceil(took.length * 0.95) - 1],
          succeeded24h: ofDay.filter(({ letter }) => letter === 's').length,
          ended24h: ofDay.length,
          inARow: good === -1 ? known.length : good,
        };
      });
      assert.equal(items.length, models.length, 'each schedule once');
      const inARow = items.map(({ schedule, ...item }) => {
        const {
          inARow: model,
          statuses,
          p95,
          ...day
        } = models[Number(schedule.label.split('.')[1])]!;
        assert.deepEqual(
          item.recent.map(({ status }) => status),
          statuses,
        );
        assert.equal(item.p95DurationMs, p95);
        assert.deepEqual({ succeeded24h: item.succeeded24h, ended24h: item.ended24h }, day);
        return model;
      });
      assert.deepEqual(
        inARow,
        inARow.toSorted((a, b) => b - a),
        'the worst first',
      );
    }),
    { numRuns: 25 },
  );
});
