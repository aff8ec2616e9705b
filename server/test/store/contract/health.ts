import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunRecord } from '../../../src/domain/run/run.ts';
import type { RankedSchedules } from '../../../src/store/contract/health.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anAttempt,
  anId,
  aRecord,
  backendOfEachTest,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  retrying,
  SECOND,
  settled,
  stored,
  waiting,
} from '../../support/store/backend.ts';

const HOUR = 60 * MINUTE;

/** A schedule with these records in its history; it fires at one next. */
async function withRecords(
  store: Store,
  caller: Caller,
  records: (id: string) => RunRecord[],
  fields = {},
): Promise<string> {
  const { id } = await stored(store, caller, fields);
  const claim = await claimOne(store);
  await settled(store, claim, waiting(NOON + HOUR, null), { records: records(id) });
  return id;
}

const missed = (id: string, at: number): RunRecord => {
  const { startedAt: _, finishedAt: __, ...record } = aRecord(id, at, { status: 'missed' });
  return { ...record, attempts: [], decidedAt: at + 7, reason: 'Punctual was not running.' };
};

export function healthContract(name: string, open: OpenBackend): void {
  describe(`${name}: health`, () => {
    const backend = backendOfEachTest(open);

    test('the latest records of each schedule are told newest first, as many as are asked for', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const failed = {
        status: 'failed' as const,
        attempts: [anAttempt(1), anAttempt(2, { responseStatus: 503 })],
      };
      const first = await withRecords(store, mine, id => [
        aRecord(id, NOON - 2 * MINUTE),
        aRecord(id, NOON, failed),
        aRecord(id, NOON - MINUTE, { trigger: 'manual', id: anId(NOON - MINUTE) }),
      ]);
      const second = await withRecords(store, mine, id => [
        missed(id, NOON),
        aRecord(id, NOON - 1),
      ]);
      const foreign = await withRecords(store, theirs, id => [aRecord(id, NOON)]);
      const none = await stored(store, mine, { status: 'disabled' }, null);
      const ids = [second, foreign, none.id, first];
      const found = await store.health.recent(mine.clientRowId, ids, 2);
      const ofFirst = found.filter(({ scheduleId }) => scheduleId === first);
      const ofSecond = found.filter(({ scheduleId }) => scheduleId === second);
      assert.equal(found.length, 4, 'nothing of a stranger, and nothing of one without records');
      assert.deepEqual(
        ofFirst.map(({ scheduledFor, trigger, status }) => [scheduledFor, trigger, status]),
        [
          [NOON, 'schedule', 'failed'],
          [NOON - MINUTE, 'manual', 'succeeded'],
        ],
      );
      const [latest, before] = ofFirst;
      assert.deepEqual(
        [latest!.responseStatus, latest!.error, latest!.endedAt, latest!.finishedAt],
        [503, 'The target answered 503.', NOON + 25, NOON + 25],
      );
      assert.deepEqual([before!.responseStatus, before!.error], [undefined, undefined]);
      assert.equal((await store.runs.find(mine.clientRowId, latest!.id))!.id, latest!.id);
      assert.deepEqual(ofSecond[0], {
        id: ofSecond[0]!.id,
        scheduleId: second,
        scheduledFor: NOON,
        trigger: 'schedule',
        status: 'missed',
        endedAt: NOON + 7,
        error: 'Punctual was not running.',
      });
    });

    test('what is to fire is told with its state, and what was claimed ahead as before', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const ids = async (fields = {}, start: Parameters<typeof stored>[3] = undefined) =>
        (await stored(store, mine, fields, start)).id;
      const retried = await ids();
      const claim = await claimOne(store);
      await settled(store, claim, retrying(claim, NOON + 5 * SECOND));
      const waits = await ids({}, { first: NOON + HOUR, second: null });
      const paused = await ids({ status: 'disabled' }, null);
      const ahead = await ids({}, { first: NOON + SECOND, second: NOON + MINUTE });
      const foreign = await stored(store, theirs, {}, { first: NOON + HOUR, second: null });
      await store.queue.claim(NOON + SECOND, 10, 0);
      const all = [retried, waits, paused, ahead, foreign.id];
      const queuedAt = async (now: number) => {
        const found = await store.health.queued(mine.clientRowId, all, now);
        const states = new Map(found.map(({ scheduleId, ...row }) => [scheduleId, row]));
        return [retried, waits, paused, ahead, foreign.id].map(id => states.get(id));
      };
      const [first, second, third, fourth, fifth] = await queuedAt(NOON + SECOND);
      assert.deepEqual(first, {
        state: 'retrying',
        dueAt: NOON + 5 * SECOND,
        nextFor: NOON + MINUTE,
      });
      assert.deepEqual(second, { state: 'waiting', dueAt: NOON + HOUR, nextFor: null });
      assert.deepEqual([third, fifth], [undefined, undefined]);
      assert.deepEqual(fourth, {
        state: 'inFlight',
        dueAt: NOON + SECOND,
        nextFor: NOON + MINUTE,
      });
    });

    test('runs that were sent are counted by their hour, the newest records of each', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const id = await withRecords(store, mine, own => [
        aRecord(own, NOON - HOUR),
        aRecord(own, NOON - 1, { status: 'failed' }),
        missed(own, NOON),
        aRecord(own, NOON + 1),
        aRecord(own, NOON + 2),
      ]);
      const foreign = await withRecords(store, theirs, own => [aRecord(own, NOON)]);
      const hours = async (scheduleId: string, from: number, to: number, limit = 99) =>
        (await store.health.hours(mine.clientRowId, [{ scheduleId, from, to }], limit))[0];
      const [eleven, twelve] = [
        { at: NOON - HOUR, succeeded: 1, failed: 1 },
        { at: NOON, succeeded: 2, failed: 0 },
      ];
      assert.deepEqual(await hours(id, NOON - HOUR, NOON + HOUR), {
        scheduleId: id,
        hours: [eleven, twelve],
        records: 5,
      });
      assert.deepEqual(await hours(id, NOON - HOUR, NOON), {
        scheduleId: id,
        hours: [eleven],
        records: 2,
      });
      assert.deepEqual(await hours(id, NOON - HOUR, NOON + HOUR, 3), {
        scheduleId: id,
        hours: [twelve],
        records: 3,
      });
      const none = { scheduleId: foreign, hours: [], records: 0 };
      assert.deepEqual(await hours(foreign, NOON - HOUR, NOON + HOUR), none);
      assert.deepEqual(await store.health.hours(mine.clientRowId, [], 9), []);
    });

    test('schedules are ranked by what failed or was missed, and by their longest run', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const failed = { status: 'failed' as const };
      const took = (at: number, ms: number) => ({ startedAt: at, finishedAt: at + ms });
      const one = await withRecords(store, mine, id => [
        aRecord(id, NOON, failed),
        missed(id, NOON + 1),
        aRecord(id, NOON + 2),
      ]);
      const two = await withRecords(store, mine, id => [
        aRecord(id, NOON, { ...failed, ...took(NOON, 900) }),
        aRecord(id, NOON - HOUR, failed),
        aRecord(id, NOON + 1, took(NOON + 1, 10)),
      ]);
      const well = await withRecords(store, mine, id => [aRecord(id, NOON, took(NOON, 100))]);
      await withRecords(store, theirs, id => [
        aRecord(id, NOON, { ...failed, ...took(NOON, 999) }),
      ]);
      const range = { from: NOON, to: NOON + HOUR, records: 99 };
      const figures = ({ schedules, records }: RankedSchedules) => [
        ...schedules.map(({ scheduleId, figure }) => [scheduleId, figure]),
        records,
      ];
      const { failing, slowest } = store.health;
      const { clientRowId } = mine;
      assert.deepEqual(figures(await failing(clientRowId, range, 9)), [[one, 2], [two, 1], 3]);
      assert.deepEqual(figures(await failing(clientRowId, range, 1)), [[one, 2], 3]);
      const few = await failing(clientRowId, { ...range, records: 1 }, 9);
      assert.equal(few.records, 2, 'one that failed and one that was missed');
      const later = { ...range, from: NOON + HOUR, to: NOON + 2 * HOUR };
      assert.deepEqual(figures(await failing(clientRowId, later, 9)), [0]);
      assert.deepEqual(figures(await slowest(clientRowId, range, 9)), [
        [two, 900],
        [well, 100],
        [one, 20],
        6,
      ]);
      assert.deepEqual(figures(await slowest(clientRowId, range, 1)), [[two, 900], 6]);
      assert.deepEqual(figures(await slowest(clientRowId, later, 9)), [0]);
    });

    test('tags are counted with their values, without those of deleted schedules', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      await stored(store, mine, { tags: { team: 'billing', paid: '' } });
      await stored(store, mine, { tags: { team: 'billing' } });
      await stored(store, mine, { tags: { team: 'a:b' } });
      await stored(store, mine, { tags: { team: 'gone' }, status: 'deleted' }, null);
      await stored(store, theirs, { tags: { team: 'other' } });
      assert.deepEqual(await store.health.tags(mine.clientRowId, 99, 9), [
        { name: 'team:billing', count: 2 },
        { name: 'paid', count: 1 },
        { name: 'team:a:b', count: 1 },
      ]);
      assert.equal((await store.health.tags(mine.clientRowId, 99, 1)).length, 1);
      assert.deepEqual(await store.health.tags(mine.clientRowId, 0, 9), []);
    });

    test('a list by host has the schedules of just that host, and ids alone are the same list', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const ids: string[] = [];
      const of = async (url: string, fields = {}) => {
        ids.push((await stored(store, mine, { url, ...fields })).id);
      };
      await of('https://Api.Example:8443/a', { label: 'first' });
      await of('https://api.example:84430/a');
      await of('https://api.example/a');
      await of('http://api.example:8443?b', { tags: { team: 'x' } });
      await of('https://other.example/?u=https://api.example:8443/');
      await stored(store, theirs, { url: 'https://api.example:8443/a' });
      const host = 'api.example:8443';
      const list = async (filter: object, limit = 9, before?: string) => {
        const { schedules } = await store.schedules.list(mine.clientRowId, filter, limit, before);
        const listed = await store.schedules.ids(mine.clientRowId, filter, limit, before);
        assert.deepEqual(
          listed.ids,
          schedules.map(({ id }) => id),
          'the ids of the same list',
        );
        return listed.ids.map(id => ids.indexOf(id));
      };
      assert.deepEqual(await list({ host }), [3, 0]);
      assert.deepEqual(await list({ host }, 1), [3]);
      assert.deepEqual(await list({ host }, 1, ids[3]), [0]);
      assert.deepEqual(await list({ host }, 1, ids[0]), []);
      assert.deepEqual(await list({ host, label: 'FIRST' }), [0]);
      assert.deepEqual(await list({ host, url: '?B' }), [3]);
      assert.deepEqual(await list({ host, tags: ['team'] }), [3]);
      assert.deepEqual(await list({ host: 'api.example' }), [2]);
      assert.deepEqual(await list({ host: 'api' }), []);
      assert.deepEqual(await list({}), [4, 3, 2, 1, 0]);
    });
  });
}
