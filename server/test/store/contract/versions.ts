import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScheduleChanger } from '../../../src/domain/schedule/changer.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { ServiceChange } from '../../../src/domain/schedule/service-change.ts';
import { fenceOf } from '../../../src/engine/delivery/settlement.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Requeue } from '../../../src/store/contract/schedules.ts';
import { MOST_VERSIONS } from '../../../src/store/contract/versions.ts';
import {
  aClient,
  anId,
  backendOfEachTest,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  settled,
  stored,
  waiting,
} from '../../support/store/backend.ts';

const UNTIL = NOON + 5 * MINUTE;

/** Everything that a schedule may hold. */
const FULL: Partial<Schedule> = {
  headers: { 'X-Ä': 'ß "quoted"\n' },
  data: { a: '1' },
  integrations: [
    {
      id: '019a9f41-6c58-7d20-b1c4-3e9a70f5d612',
      type: 'WEBHOOK',
      name: 'ops',
      url: 'https://ops.example/',
      includeScheduleUrlInCallback: true,
      callOnSuccess: false,
    },
  ],
  label: 'Müll 🚚',
  policy: { maxRetries: 0, success: { json: { pointer: '/ok', equals: true } } },
  timing: { windowSeconds: 60, offsetMs: 7_000, pausedUntil: UNTIL },
  delivery: { externalId: 'a', tags: { team: 'x' } },
  externalId: 'a',
  tags: { team: 'x' },
};

export function versionsContract(name: string, open: OpenBackend): void {
  describe(`${name}: versions of schedules`, () => {
    const it = backendOfEachTest(open);

    /** A stored schedule, and the means to change it as the API does. */
    async function world(fields: Partial<Schedule> = {}) {
      const caller = await aClient(it.store);
      const { clientRowId, keyId } = caller;
      const schedule = await stored(it.store, caller, fields);
      const byKey: ScheduleChanger = { kind: 'key', keyId };
      const change = async (
        fields: Partial<Schedule>,
        at: number,
        requeue: Requeue = 'keep',
        changer: ScheduleChanger = byKey,
      ) => {
        const { schedule: was, version } = (await it.store.schedules.find(
          clientRowId,
          schedule.id,
        ))!;
        const next = { ...was, ...fields, updatedAt: at };
        return it.store.schedules.update(clientRowId, next, version, requeue, changer);
      };
      const listed = (limit = 100, before = Number.MAX_SAFE_INTEGER) =>
        it.store.versions.list(clientRowId, schedule.id, limit, Math.min(before, 2 ** 31 - 1));
      const at = async (instant: number) =>
        (await it.store.versions.at(clientRowId, schedule.id, instant))!;
      return { caller, schedule, byKey, change, listed, at };
    }
    const requeued = (changedAt: number): Requeue => ({
      changedAt,
      start: { first: UNTIL, second: UNTIL + MINUTE },
    });

    test('a schedule that never changed has none', async () => {
      const { schedule, listed, at } = await world(FULL);
      assert.deepEqual(await listed(), []);
      assert.deepEqual((await at(NOON)).held, { schedule, version: 1 });
    });

    test('each change keeps what the schedule was, until when, and who changed it', async () => {
      const { schedule, byKey, change, listed } = await world(FULL);
      assert.ok(await change({ label: 'b', headers: {} }, NOON + 10));
      assert.ok(await change({ interval: '5 * * * *' }, NOON + 20, requeued(NOON + 20)));
      assert.ok(
        await change(
          { status: 'disabled' },
          NOON + 30,
          { changedAt: NOON + 30, start: null },
          {
            kind: 'cli',
          },
        ),
      );
      const second = { ...schedule, label: 'b', headers: {}, updatedAt: NOON + 10 };
      const third = { ...second, interval: '5 * * * *', updatedAt: NOON + 20 };
      assert.deepEqual(await listed(), [
        { schedule: third, version: 3, until: NOON + 30, changedBy: { kind: 'cli' } },
        { schedule: second, version: 2, until: NOON + 20, changedBy: byKey },
        { schedule, version: 1, until: NOON + 10, changedBy: byKey },
      ]);
    });

    test('they name the key that made the change, also when it is revoked', async () => {
      const { caller, change, listed } = await world();
      const { clientId } = caller;
      const keyId = anId();
      await it.store.keys.insertKey({
        id: keyId,
        clientId,
        hash: 'h',
        name: 'ci',
        createdAt: NOON,
      });
      await change({ label: 'b' }, NOON + 10, 'keep', { kind: 'key', keyId });
      await it.store.keys.revokeKey(clientId, keyId, { revokedAt: NOON, withDescendants: false });
      assert.equal((await listed())[0]!.keyName, 'ci');
    });

    test('a change that moves nothing but what is derived keeps none', async () => {
      const { schedule, change, listed, at } = await world();
      await change({ label: 'b' }, NOON + 10);
      const timing = { maxRuns: 3, lastAt: UNTIL };
      assert.ok(await change({ timing }, NOON + 10, requeued(NOON + 20)));
      assert.deepEqual(
        (await listed()).map(({ version }) => version),
        [1],
      );
      const present = { ...schedule, label: 'b', timing, updatedAt: NOON + 10 };
      assert.deepEqual((await at(NOON + 15)).held, { schedule: present, version: 3 });
    });

    test('a change that lost its race keeps none', async () => {
      const { caller, schedule, change, listed } = await world();
      await change({ label: 'b' }, NOON + 10);
      const late = { ...schedule, label: 'late', updatedAt: NOON + 11 };
      for (const requeue of ['keep', requeued(NOON + 11)] as const) {
        const { clientRowId } = caller;
        assert.equal(await it.store.schedules.update(clientRowId, late, 1, requeue), false);
      }
      const races = Array.from({ length: 20 }, (_, n) => change({ label: `${n}` }, NOON + 20 + n));
      const won = (await Promise.all(races)).filter(Boolean).length;
      const versions = (await listed()).map(({ version }) => version);
      assert.deepEqual(
        versions,
        Array.from({ length: won + 1 }, (_, n) => won + 1 - n),
      );
    });

    test('a change of many keeps one of each, or of none', async () => {
      const caller = await aClient(it.store);
      const { clientRowId } = caller;
      const [a, b] = [await stored(it.store, caller), await stored(it.store, caller)];
      const { keyId } = caller;
      const changes = (version: number) =>
        [a, b].map((schedule, index) => ({
          schedule: { ...schedule, label: 'x', updatedAt: NOON + 10 },
          version: index === 0 ? 1 : version,
          requeue: index === 0 ? ('keep' as const) : requeued(NOON + 10),
        }));
      const changer: ScheduleChanger = { kind: 'key', keyId };
      const listed = async () => {
        const both = [a, b].map(({ id }) => it.store.versions.list(clientRowId, id, 9, 99));
        return (await Promise.all(both)).flat();
      };
      assert.equal(await it.store.schedules.updateAll(clientRowId, changes(7), changer), false);
      assert.deepEqual(await listed(), []);
      assert.ok(await it.store.schedules.updateAll(clientRowId, changes(1), changer));
      assert.deepEqual(
        await listed(),
        [a, b].map(schedule => ({ schedule, version: 1, until: NOON + 10, changedBy: changer })),
      );
    });

    test('a change by the service keeps one, and says whether the target asked for it', async () => {
      const at = NOON + 30;
      const cases: [ServiceChange, 'service' | 'target'][] = [
        [{ at, status: 'disabled', statusReason: 'completed' }, 'service'],
        [{ at, status: 'deleted', statusReason: 'completed' }, 'service'],
        [{ at, status: 'disabled', statusReason: 'tooManyFailures' }, 'service'],
        [{ at, status: 'disabled', statusReason: 'targetGone' }, 'target'],
        [{ at, status: 'disabled', statusReason: 'targetDisabled' }, 'target'],
        [{ at, pausedUntil: UNTIL }, 'target'],
      ];
      for (const [change, kind] of cases) {
        const { schedule, listed } = await world({ label: kind });
        const row = change.pausedUntil === undefined ? null : waiting(UNTIL, UNTIL + MINUTE);
        await settled(it.store, await claimOne(it.store), row, { change });
        assert.deepEqual(await listed(), [
          { schedule, version: 1, until: at, changedBy: { kind } },
        ]);
      }
    });

    test('a change by the service of a schedule that somebody disabled keeps none', async () => {
      const { change, listed } = await world();
      const claim = await claimOne(it.store);
      const off = { changedAt: NOON + 10, start: null };
      await change({ status: 'disabled' }, NOON + 10, off);
      const fence = { ...fenceOf(claim), changedAt: NOON + 10 };
      const pause = { at: NOON + 30, pausedUntil: UNTIL };
      await settled(it.store, claim, null, { fence, change: pause });
      assert.equal((await listed()).length, 1);
    });

    test('a change by the service is later than the one before it, as updatedAt is', async () => {
      const { change, listed, at } = await world();
      const claim = await claimOne(it.store);
      await change({ label: 'b' }, NOON + 90);
      await settled(it.store, claim, waiting(UNTIL, UNTIL + MINUTE), {
        change: { at: NOON + 30, pausedUntil: UNTIL },
      });
      assert.deepEqual(
        (await listed()).map(({ until }) => until),
        [NOON + 91, NOON + 90],
      );
      assert.equal((await at(NOON + 91)).present.schedule.updatedAt, NOON + 91);
    });

    test('they are told in pages, newest first', async () => {
      const { change, listed } = await world();
      for (let n = 1; n <= 5; n += 1) await change({ label: `${n}` }, NOON + n);
      const numbers = async (limit: number, before?: number) =>
        (await listed(limit, before)).map(({ version }) => version);
      assert.deepEqual(await numbers(2), [5, 4]);
      assert.deepEqual(await numbers(2, 4), [3, 2]);
      assert.deepEqual(await numbers(2, 2), [1]);
      assert.deepEqual(await numbers(2, 1), []);
    });

    test('the version of an instant is the one that held then; a change counts at its instant', async () => {
      const { schedule, change, at } = await world();
      await change({ label: 'b' }, NOON + 10);
      await change({ label: 'c' }, NOON + 20);
      const held = async (instant: number) => {
        const { held, present } = await at(instant);
        assert.equal(present.version, 3);
        return held && `${held.version} ${held.schedule.label}`;
      };
      assert.equal(await held(NOON - 1), null, 'before it was made');
      assert.equal(await held(NOON), '1 ');
      assert.equal(await held(NOON + 9), '1 ');
      assert.equal(await held(NOON + 10), '2 b');
      assert.equal(await held(NOON + 19), '2 b');
      assert.equal(await held(NOON + 20), '3 c');
      assert.equal(await held(NOON + 99), '3 c');
      const { scheduleRowId } = await at(NOON);
      const claim = await claimOne(it.store);
      assert.deepEqual([claim.scheduleRowId, claim.schedule.id], [scheduleRowId, schedule.id]);
    });

    test('an instant before the versions that are kept has none', async () => {
      const { change, listed, at } = await world();
      const day = 24 * 60 * MINUTE;
      await change({ label: 'b' }, NOON + 10);
      await change({ label: 'c' }, NOON + 3 * day);
      const failedBefore = NOON + day;
      while ((await it.store.runs.prune({ succeededBefore: 0, failedBefore })) > 0);
      assert.deepEqual(
        (await listed()).map(({ version }) => version),
        [2],
      );
      assert.equal((await at(NOON + 5)).held, null);
      assert.equal((await at(NOON + 10)).held!.version, 2);
    });

    test(`the last ${MOST_VERSIONS} are kept, whoever makes the change`, async () => {
      const { change, listed } = await world();
      const claim = await claimOne(it.store);
      for (let n = 1; n <= MOST_VERSIONS; n += 1) await change({ label: `${n}` }, NOON + n);
      const ends = async () => {
        const kept = await listed(2 * MOST_VERSIONS);
        return [kept.length, kept.at(-1)!.version];
      };
      assert.deepEqual(await ends(), [MOST_VERSIONS, 1]);
      await change({ label: 'x' }, NOON + 2 * MINUTE);
      assert.deepEqual(await ends(), [MOST_VERSIONS, 2]);
      const pause = { at: NOON + 3 * MINUTE, pausedUntil: UNTIL };
      await settled(it.store, claim, waiting(UNTIL, UNTIL + MINUTE), { change: pause });
      assert.deepEqual(await ends(), [MOST_VERSIONS, 3]);
    });

    test("another client's schedule has none, and is none", async () => {
      const { schedule, change } = await world();
      await change({ label: 'b' }, NOON + 10);
      const other: Caller = await aClient(it.store, 'other');
      const { versions } = it.store;
      assert.deepEqual(await versions.list(other.clientRowId, schedule.id, 9, 99), []);
      assert.equal(await versions.at(other.clientRowId, schedule.id, NOON), null);
    });
  });
}
