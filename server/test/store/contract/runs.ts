import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runId } from '../../../src/domain/id.ts';
import type { RunRecord } from '../../../src/domain/run/run.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { RunView } from '../../../src/store/contract/runs.ts';
import {
  aCallback,
  aClient,
  anAttempt,
  anId,
  aRecord,
  backendOfEachTest,
  claimManual,
  claimOne,
  NOON,
  type OpenBackend,
  outboxSettlementOf,
  retrying,
  SECOND,
  settled,
  stored,
  triggered,
} from '../../support/store/backend.ts';

const LAST = Date.UTC(9999, 11, 31, 23, 59);

export function runsContract(name: string, open: OpenBackend): void {
  describe(`${name}: history tells of every run`, () => {
    const kept = backendOfEachTest(open);
    /** A schedule with these runs in history. */
    const ended = async (caller: Caller, of: (schedule: Schedule) => RunRecord[]) => {
      const schedule = await stored(kept.store, caller);
      const records = of(schedule);
      await settled(kept.store, await claimOne(kept.store), null, { records });
      return { schedule, views: records.map(record => ({ ...record, scheduleId: schedule.id })) };
    };

    test('an ended run comes back exactly as it was written', async () => {
      const caller = await aClient(kept.store);
      const { views } = await ended(caller, ({ id }) => [
        aRecord(id, NOON, {
          status: 'failed',
          reason: 'It was not tried again.',
          attempts: [
            anAttempt(1, { outcome: 'timeout', error: 'No answer.' }),
            anAttempt(2, {
              phases: { dnsMs: 0.1, connectMs: 2, tlsMs: 3.25, firstByteMs: 4 },
              responseHeaders: { 'x-a': 'ü' },
              responseBody: '{"a":"\u2028🦊"}',
            }),
          ],
        }),
      ]);
      assert.deepEqual(await kept.store.runs.find(caller.clientRowId, views[0]!.id), views[0]);
    });

    test('a time that did not fire has no attempts, starts and ends at no time, and says why', async () => {
      const caller = await aClient(kept.store);
      const { views } = await ended(caller, ({ id }) => [
        {
          id: runId(id, LAST),
          scheduledFor: LAST,
          trigger: 'schedule',
          status: 'missed',
          attempts: [],
          reason: 'Why.',
          missed: { count: 1_001, from: LAST, to: LAST + 59_999 },
        },
      ]);
      const found = await kept.store.runs.find(caller.clientRowId, views[0]!.id);
      assert.deepEqual(found, views[0]);
      assert.ok(!('startedAt' in found!), 'what is unset is left out');
    });

    test('a run in flight is running, since its attempt was claimed', async () => {
      const caller = await aClient(kept.store);
      const schedule = await stored(kept.store, caller);
      await claimOne(kept.store, NOON + 7);
      const run: RunView = {
        id: runId(schedule.id, NOON),
        scheduleId: schedule.id,
        scheduledFor: NOON,
        trigger: 'schedule',
        status: 'running',
        startedAt: NOON + 7,
        attempts: [],
      };
      assert.deepEqual(await kept.store.runs.find(caller.clientRowId, run.id), run);
      assert.deepEqual(await kept.store.runs.list(caller.clientRowId, {}, 10), [run]);
    });

    test('a run between two attempts is retrying, since its first one, and running in the second', async () => {
      const { store } = kept;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const claim = await claimOne(store);
      await settled(store, claim, retrying(claim, NOON + SECOND));
      const find = () => store.runs.find(caller.clientRowId, runId(schedule.id, NOON));
      const shown = { startedAt: NOON + 5, attempts: [anAttempt()] };
      const between = (await find())!;
      assert.deepEqual({ ...between, status: 'retrying', ...shown }, between);
      await claimOne(store, NOON + SECOND);
      assert.deepEqual(await find(), { ...between, status: 'running' });
    });

    test('a retry that is taken and not begun is still retrying', async () => {
      const { store } = kept;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const claim = await claimOne(store);
      await settled(store, claim, retrying(claim, NOON + SECOND));
      assert.equal((await claimOne(store, NOON + 60 * SECOND)).begun, false);
      const run = await store.runs.find(caller.clientRowId, runId(schedule.id, NOON));
      assert.deepEqual([run!.status, run!.startedAt], ['retrying', NOON + 5]);
    });

    test('a lost run is retrying, and its lost attempt is shown', async () => {
      const { store } = kept;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      await claimOne(store);
      await store.queue.recover(NOON + SECOND);
      const run = (await store.runs.find(caller.clientRowId, runId(schedule.id, NOON)))!;
      assert.deepEqual([run.status, run.attempts[0]!.outcome], ['retrying', 'lost']);
    });

    test('a time that waits, or that is still decided about, is no run yet', async () => {
      const { store } = kept;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const none = async () => {
        assert.deepEqual(await store.runs.list(caller.clientRowId, {}, 10), []);
        const id = runId(schedule.id, NOON);
        assert.equal(await store.runs.find(caller.clientRowId, id), null);
      };
      await none();
      await claimOne(store, NOON + 1, NOON + 1);
      await none();
    });

    test('a manual run is queued, running, retrying, ended, always under its id', async () => {
      const { store } = kept;
      const caller = await aClient(store);
      const schedule = await stored(store, caller, {}, null);
      const id = await triggered(store, caller, schedule);
      const seen: (string | number | undefined)[][] = [];
      const look = async () => {
        const run = (await store.runs.find(caller.clientRowId, id))!;
        assert.deepEqual(
          [run.scheduledFor, run.trigger, run.scheduleId],
          [NOON, 'manual', schedule.id],
        );
        assert.deepEqual(await store.runs.list(caller.clientRowId, {}, 10), [run]);
        seen.push([run.status, run.attempts.length, run.startedAt]);
      };
      await look();
      const claim = await claimManual(store, NOON + 7);
      await look();
      await store.outbox.settle([outboxSettlementOf(claim, { dueAt: NOON + SECOND })]);
      await look();
      const again = await claimManual(store, NOON + SECOND);
      await look();
      const attempts = [...again.attempts, anAttempt(2)];
      const record = aRecord(schedule.id, NOON, { id, trigger: 'manual', attempts });
      await store.outbox.settle([outboxSettlementOf(again, 'succeeded', { record })]);
      await look();
      assert.deepEqual(seen, [
        ['queued', 0, undefined],
        ['running', 0, NOON + 7],
        ['retrying', 1, NOON + 5],
        ['running', 1, NOON + 5],
        ['succeeded', 2, NOON + 5],
      ]);
    });

    test("another client's runs and callbacks are never found", async () => {
      const { store } = kept;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const { schedule, views } = await ended(mine, ({ id }) => [aRecord(id, NOON)]);
      const live = await stored(store, mine, {}, { first: NOON + 1, second: null });
      await settled(store, await claimOne(store, NOON + 1), null, {
        callbacks: [aCallback(views[0]!.id)],
      });
      await stored(store, mine);
      const begun = runId((await claimOne(store)).schedule.id, NOON);
      const manual = await triggered(store, mine, live);
      for (const id of [views[0]!.id, begun, manual]) {
        assert.ok(await store.runs.find(mine.clientRowId, id));
        assert.equal(await store.runs.find(theirs.clientRowId, id), null);
      }
      assert.equal((await store.runs.callbacks(mine.clientRowId, views[0]!.id)).length, 1);
      assert.deepEqual(await store.runs.callbacks(theirs.clientRowId, views[0]!.id), []);
      assert.deepEqual(await store.runs.list(theirs.clientRowId, {}, 10), []);
      for (const { id } of [schedule, live]) {
        assert.deepEqual(await store.runs.list(theirs.clientRowId, { scheduleId: id }, 10), []);
      }
    });

    test('what is no id of a run is not found', async () => {
      const caller = await aClient(kept.store);
      const { clientRowId } = caller;
      const { schedule } = await ended(caller, ({ id }) => [aRecord(id, NOON)]);
      const other = runId(schedule.id, NOON + 1);
      for (const id of [anId(), other, 'no id', '']) {
        assert.equal(await kept.store.runs.find(clientRowId, id), null);
        assert.deepEqual(await kept.store.runs.callbacks(clientRowId, id), []);
      }
    });

    test('the callbacks of one run are shown oldest first, each as it stands', async () => {
      const { store } = kept;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const id = runId(schedule.id, NOON);
      const callbacks = [1, 2, 3, 4].map(ms => aCallback(id, { dueAt: NOON + ms }));
      await settled(store, await claimOne(store), null, {
        callbacks: [...callbacks.toReversed(), aCallback(anId(), { dueAt: LAST })],
      });
      const [one, two] = await store.outbox.claim(NOON + 3, 10);
      const retry = outboxSettlementOf(two!, { dueAt: LAST });
      await store.outbox.settle([outboxSettlementOf(one!, 'succeeded'), retry]);
      const views = await store.runs.callbacks(caller.clientRowId, id);
      assert.deepEqual(
        views.map(({ id, status, attempts }) => [id, status, attempts.length]),
        ['succeeded', 'retrying', 'running', 'queued'].map((status, index) => [
          callbacks[index]!.id,
          status,
          index < 2 ? 1 : 0,
        ]),
      );
    });
  });
}
