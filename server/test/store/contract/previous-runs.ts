import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunRecord } from '../../../src/domain/run/run.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
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
  settled,
  stored,
} from '../../support/store/backend.ts';

export function previousRunsContract(name: string, open: OpenBackend): void {
  describe(`${name}: the run before another one`, () => {
    const backend = backendOfEachTest(open);
    /** A schedule with these runs in history, and the question for the run before `minute`. */
    const past = async (caller: Caller, of: (schedule: Schedule) => RunRecord[]) => {
      const schedule = await stored(backend.store, caller);
      const claim = await claimOne(backend.store);
      await settled(backend.store, claim, null, { records: of(schedule) });
      const { clientRowId, scheduleRowId } = claim;
      return (minute: number, isSuccessAsked = true) => ({
        clientRowId,
        scheduleRowId,
        before: NOON + minute * MINUTE,
        isSuccessAsked,
      });
    };
    const at = (minute: number) => NOON + minute * MINUTE;
    const failed = (status: number): Partial<RunRecord> => ({
      status: 'failed',
      attempts: [anAttempt(1, { responseStatus: 500 }), anAttempt(2, { responseStatus: status })],
    });

    test('there is none before the first one', async () => {
      const caller = await aClient(backend.store);
      const before = await past(caller, ({ id }) => [aRecord(id, at(1))]);
      const { runs } = backend.store;
      assert.deepEqual(await runs.previous([before(0), before(1)]), [{}, {}]);
      assert.deepEqual(await runs.previous([]), []);
    });

    test('it is the last one with an earlier nominal time, with the status of its last attempt', async () => {
      const caller = await aClient(backend.store);
      const before = await past(caller, ({ id }) => [
        aRecord(id, at(1)),
        aRecord(id, at(2), failed(503)),
        aRecord(id, at(3), failed(404)),
      ]);
      const found = await backend.store.runs.previous([2, 3, 4, 99].map(n => before(n)));
      const third = { status: 'failed', scheduledFor: at(3), responseStatus: 404 };
      assert.deepEqual(found, [
        { status: 'succeeded', scheduledFor: at(1), responseStatus: 200, succeededFor: at(1) },
        { status: 'failed', scheduledFor: at(2), responseStatus: 503, succeededFor: at(1) },
        { ...third, succeededFor: at(1) },
        { ...third, succeededFor: at(1) },
      ]);
    });

    test('a time that was skipped or missed counts, and has no status of an answer', async () => {
      const caller = await aClient(backend.store);
      const unsent = (id: string, minute: number, status: 'skipped' | 'missed'): RunRecord => ({
        id: anId(),
        scheduledFor: at(minute),
        trigger: 'schedule',
        status,
        decidedAt: at(minute),
        attempts: [],
        reason: id,
      });
      const before = await past(caller, ({ id }) => [
        aRecord(id, at(1)),
        unsent(id, 2, 'skipped'),
        unsent(id, 3, 'missed'),
      ]);
      assert.deepEqual(await backend.store.runs.previous([before(3), before(4)]), [
        { status: 'skipped', scheduledFor: at(2), succeededFor: at(1) },
        { status: 'missed', scheduledFor: at(3), succeededFor: at(1) },
      ]);
    });

    test('a manual run counts; of two at one instant it is the last', async () => {
      const caller = await aClient(backend.store);
      const before = await past(caller, ({ id }) => [
        aRecord(id, at(1), failed(503)),
        aRecord(id, at(1), { id: anId(at(1)), trigger: 'manual' }),
      ]);
      const [found] = await backend.store.runs.previous([before(2)]);
      assert.deepEqual([found!.status, found!.succeededFor], ['succeeded', at(1)]);
    });

    test('the last success is looked for among the last 100, and only where it is asked for', async () => {
      const caller = await aClient(backend.store);
      const before = await past(caller, ({ id }) => [
        aRecord(id, at(0)),
        ...Array.from({ length: 100 }, (_, n) => aRecord(id, at(1 + n), failed(503))),
      ]);
      const asked = [before(100), before(101), before(100, false)];
      const found = await backend.store.runs.previous(asked);
      assert.deepEqual(
        found.map(({ scheduledFor, succeededFor }) => [scheduledFor, succeededFor]),
        [
          [at(99), at(0)],
          [at(100), undefined],
          [at(99), undefined],
        ],
      );
    });

    test("another schedule's and another client's runs are never found", async () => {
      const [mine, theirs] = [await aClient(backend.store), await aClient(backend.store)];
      await past(mine, ({ id }) => [aRecord(id, at(1))]);
      const before = await past(mine, ({ id }) => [aRecord(id, at(2))]);
      const { runs } = backend.store;
      assert.deepEqual(await runs.previous([before(2)]), [{}]);
      const asTheirs = { ...before(3), clientRowId: theirs.clientRowId };
      assert.deepEqual(await runs.previous([asTheirs]), [{}]);
    });
  });
}
