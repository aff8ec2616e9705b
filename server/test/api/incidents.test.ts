import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type * as Wire from '@punctual/client';
import { FailureHours } from '../../src/api/stats/failure-hours.ts';
import { ClientIncidents } from '../../src/api/stats/incidents.ts';
import type { Failure } from '../../src/domain/run/incident.ts';
import type { RunRecord } from '../../src/domain/run/run.ts';
import type { StatsStore } from '../../src/store/contract/stats.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { type Credentials, newClient, startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { aRecord, claimOne, settled, waiting } from '../support/store/backend.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 5, 1, 12);
const clock = new ManualClock(NOON);
const service = await startService({ clock });
after(() => service.close());

const REFUSED = 'The connection to db.example:5432 was refused.';

function failed(id: string, at: number, fields = {}): RunRecord {
  const [attempt] = aRecord(id, at).attempts;
  const last = { ...attempt!, outcome: 'connectionError' as const, error: REFUSED, ...fields };
  return aRecord(id, at, { status: 'failed', attempts: [last] });
}

/** A schedule that calls the database's host, and runs of it. */
async function withRuns(as: Credentials, label: string, records: (id: string) => RunRecord[]) {
  const url = 'https://DB.example:5432/ping';
  const schedule = await service.create({ label, url, interval: '* * * * *' }, as);
  const claim = await claimOne(service.store, clock.now() + MINUTE);
  assert.equal(claim.schedule.id, schedule.id);
  const rest = waiting(clock.now() + 365 * 24 * HOUR, null);
  await settled(service.store, claim, rest, { records: records(schedule.id) });
  return schedule;
}

async function ask(as: Credentials, query = ''): Promise<Wire.Incidents> {
  const answer = await service.call('GET', `/v1/incident${query}`, { as });
  assertOk(answer);
  return answer.body;
}

test('an outage is one incident: what it was, since when, of whom, and how it ended', async () => {
  const as = await newClient(service.store, 'outage');
  await clock.jump(NOON + HOUR);
  const start = NOON + HOUR;
  const one = await withRuns(as, 'one', id => [
    aRecord(id, start - MINUTE),
    failed(id, start),
    failed(id, start + MINUTE),
    aRecord(id, start + 2 * MINUTE),
  ]);
  const two = await withRuns(as, 'two', id => [failed(id, start + MINUTE)]);
  await clock.jump(start + 5 * MINUTE);
  const open = await ask(as);
  const [incident] = open.items;
  assert.equal(open.items.length, 1);
  const { sample, sentence, ...facts } = incident!;
  const iso = (at: number) => new Date(at).toISOString();
  assert.deepEqual(facts, {
    cause: 'connectionRefused',
    host: 'db.example:5432',
    since: iso(start),
    lastFor: iso(start + MINUTE),
    isOpen: true,
    runs: 3,
    schedules: 2,
    affected: [
      { scheduleId: one.id, label: 'one', url: 'https://DB.example:5432/ping', runs: 2 },
      { scheduleId: two.id, label: 'two', url: 'https://DB.example:5432/ping', runs: 1 },
    ],
  });
  assert.match(
    sentence,
    /^db\.example:5432 refused connections: 3 runs of 2 schedules failed from /,
  );
  for (const id of sample) {
    assert.equal((await service.call('GET', `/v1/run/${id}`, { as })).body.status, 'failed');
  }
  const theirs = await ask(await newClient(service.store, 'stranger'));
  assert.deepEqual(theirs.items, []);
  // It is over with the first run of the second schedule that succeeds again.
  await service.call('PATCH', `/v1/schedule/${two.id}`, { as, body: { status: 'disabled' } });
  await clock.advance(start + 12 * MINUTE - clock.now());
  const [over] = (await ask(as)).items;
  assert.deepEqual([over!.isOpen, over!.until], [false, iso(start + 2 * MINUTE)]);
});

test('a range is rounded outwards to ten minutes, and what it does not reach is left out', async () => {
  const as = await newClient(service.store, 'range');
  const at = clock.now();
  await withRuns(as, 'x', id => [failed(id, at - 3 * HOUR), failed(id, at - 30 * MINUTE)]);
  const of = async (from: number, to: number) =>
    ask(as, `?from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`);
  const both = await of(at - 4 * HOUR, at);
  assert.deepEqual(
    both.items.map(({ runs }) => runs),
    [2],
    'the schedule never succeeded between',
  );
  assert.equal(Date.parse(both.from) % (10 * MINUTE), 0);
  assert.deepEqual((await of(at - HOUR, at)).items[0]!.runs, 1);
  assert.deepEqual((await of(at - 2 * HOUR, at - HOUR)).items, []);
});

test('a range that is none, or too long, is refused by the name of its field', async () => {
  const call = (query: string) => service.call('GET', `/v1/incident?${query}`);
  assertError(
    await call('from=2026-06-01T00:00:00Z&to=2026-06-01T00:00:00Z'),
    400,
    /to must be after from/,
  );
  assertError(
    await call('from=2026-05-01T00:00:00Z&to=2026-06-01T00:00:00Z'),
    400,
    /from must be at most 7 days/,
  );
  assertError(await call('from=yesterday'), 400, /parameter from/);
});

test('hours are read once they are final, newest first, and a full one is told to be cut', async () => {
  const asked: number[] = [];
  const stats = {
    async failed(_: number, from: number, _to: number, limit: number): Promise<Failure[]> {
      asked.push(from / HOUR);
      const count = from / HOUR === 1 ? limit : 1;
      return Array.from({ length: count }, (_, index) => ({
        runId: `${from}-${index}`,
        scheduleId: 's',
        scheduledFor: from + index,
        count: 1,
        cause: 'timeout' as const,
        host: 'h',
      }));
    },
  } as unknown as StatsStore;
  const hours = new FailureHours(stats, 1);
  const range = { from: 0, to: 4 * HOUR };
  await hours.count(range, 3.5 * HOUR);
  assert.deepEqual(asked.splice(0), [3, 2, 1, 0]);
  const { episodes, isCut, from } = hours.since(range);
  assert.deepEqual([isCut, from, episodes.length], [true, 0, 4]);
  assert.equal(hours.since({ from: 2 * HOUR, to: 4 * HOUR }).isCut, false);
  // A young hour grows; an older one is read anew when it is twice as old.
  await hours.count(range, 3.5 * HOUR + 500);
  assert.deepEqual(asked.splice(0), []);
  await hours.count(range, 3.5 * HOUR + MINUTE);
  assert.deepEqual(asked.splice(0), [3]);
  await hours.count(range, 4 * HOUR + 30 * MINUTE);
  assert.deepEqual(asked.splice(0), [3, 2]);
});

test('nobody waits long for an answer where there is one of the last half minute', async () => {
  const manual = new ManualClock(NOON + 20 * MINUTE);
  let ready: Promise<unknown> = Promise.resolve();
  const answers = async (value: unknown) => ready.then(() => value);
  const cause = { cause: 'timeout', host: 'h', count: 1 };
  const failure = { runId: 'r', scheduleId: 's', scheduledFor: NOON + 15 * MINUTE, ...cause };
  const stats = {
    failed: () => answers([failure]),
    recovered: () => answers([{ succeededFor: null, isEnabled: true }]),
  };
  const schedules = { names: async () => [] };
  const incidents = new ClientIncidents({ stats, schedules } as unknown as Store, manual);
  const range = { from: NOON, to: NOON + 30 * MINUTE };
  const first = await incidents.of(1, range);
  await incidents.of(1, { from: NOON, to: NOON + 10 * MINUTE });
  const gate = Promise.withResolvers<void>();
  ready = gate.promise;
  await manual.advance(20_000);
  assert.equal(await incidents.of(1, range), first);
  const next = { from: range.from + 10 * MINUTE, to: range.to + 10 * MINUTE };
  assert.equal(await incidents.of(1, next), first);
  // Of a range of the past, no other one is given.
  const past = incidents.of(1, { from: NOON, to: NOON + 20 * MINUTE });
  await manual.advance(MINUTE);
  const later = incidents.of(1, range);
  // Longer than anybody waits where there is an older one.
  await setTimeout(250);
  gate.resolve();
  assert.notEqual(await later, first);
  assert.equal((await past).to, new Date(NOON + 20 * MINUTE).toISOString());
});

test('while hours are not counted, the answer says from when on it is counted', () => {
  const hours = new FailureHours({} as StatsStore, 1);
  assert.deepEqual(hours.since({ from: 0, to: 2 * HOUR }), {
    episodes: [],
    from: 2 * HOUR,
    isCut: false,
  });
});

test('where more schedules failed than are kept, the newest hours are told', async () => {
  const stats = {
    async failed(_client: number, from: number, _to: number, limit: number): Promise<Failure[]> {
      return Array.from({ length: limit }, (_, index) => ({
        runId: `${from}-${index}`,
        scheduleId: `s-${index}`,
        scheduledFor: from + index,
        count: 1,
        cause: 'timeout' as const,
        host: 'h',
      }));
    },
  } as unknown as StatsStore;
  const hours = new FailureHours(stats, 1);
  const range = { from: 0, to: 48 * HOUR };
  for (let times = 0; times < 2; times += 1) {
    await hours.count(range, 48 * HOUR);
    const { episodes, from } = hours.since(range);
    assert.equal(episodes.at(-1)!.since, 47 * HOUR);
    assert.ok(from > 0 && from < 36 * HOUR, `from hour ${from / HOUR}`);
  }
});
