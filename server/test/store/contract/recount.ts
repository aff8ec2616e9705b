import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
  waiting,
} from '../../support/store/backend.ts';

const HOUR = 60 * MINUTE;
const ALL = 0;

/** What a clock leaves behind that was an hour ahead, and is right again at noon. */
export function recountContract(name: string, open: OpenBackend): void {
  describe(`${name}: a clock that was set back`, () => {
    const backend = backendOfEachTest(open);

    /** Fired for 13:00 by a clock that was ahead; the times before were missed. */
    async function ahead(status: 'succeeded' | 'failed' = 'succeeded') {
      const { store } = backend;
      const client = await aClient(store);
      const schedule = await stored(store, client);
      const claim = await claimOne(store);
      const missed = [0, 1, 2].map(minute =>
        aRecord(schedule.id, NOON + minute * MINUTE, {
          status: minute === 2 ? 'skipped' : 'missed',
          attempts: [],
          decidedAt: NOON + HOUR,
        }),
      );
      const sent = aRecord(schedule.id, NOON + HOUR, { status, finishedAt: NOON + HOUR + 5 });
      await settled(store, claim, waiting(NOON + HOUR + MINUTE, NOON + HOUR + 2 * MINUTE), {
        records: [...missed, sent],
      });
      return { store, client, schedule, scheduleRowId: claim.scheduleRowId };
    }

    test('the latest instant on record tells of it', async () => {
      assert.equal(await backend.store.queue.latest(), null);
      const { store } = await ahead();
      assert.equal(await store.queue.latest(), NOON + HOUR + 5);
    });

    test('a row goes back to its next time, and what was never sent is forgotten from then on', async () => {
      const { store, client, schedule } = await ahead();
      const bite = await store.queue.recount(NOON, ALL);
      assert.equal(bite!.dueAt, NOON + MINUTE);
      assert.equal(await store.queue.recount(NOON, bite!.last), null);
      const { scheduledFor, nextFor, was } = await claimOne(store, NOON + MINUTE);
      assert.deepEqual([was, scheduledFor, nextFor], ['waiting', NOON + MINUTE, NOON + 2 * MINUTE]);
      const runs = await store.runs.list(client.clientRowId, { scheduleId: schedule.id }, 9);
      assert.deepEqual(
        runs.map(run => [run.scheduledFor, run.status]).filter(([at]) => at !== NOON + MINUTE),
        [
          [NOON + HOUR, 'succeeded'],
          [NOON, 'missed'],
        ],
      );
    });

    test('again it changes nothing', async () => {
      const { store } = await ahead();
      await store.queue.recount(NOON, ALL);
      assert.equal((await store.queue.recount(NOON, ALL))!.dueAt, null);
      assert.equal(await store.queue.nextDueAt(), NOON + MINUTE);
    });

    for (const status of ['succeeded', 'failed'] as const) {
      test(`what has ${status} is known, and nothing else is`, async () => {
        const { store, scheduleRowId } = await ahead(status);
        assert.equal(await store.queue.knownAfter(NOON), NOON + HOUR);
        assert.equal(await store.queue.knownAfter(NOON + HOUR), null);
        const span = { scheduleRowId, from: NOON, until: NOON + 2 * HOUR };
        const known = await store.queue.known([
          span,
          { ...span, scheduleRowId: scheduleRowId + 1 },
        ]);
        assert.deepEqual(
          known.map(({ scheduledFor, sent }) => [scheduledFor, sent]),
          [[NOON + HOUR, true]],
        );
        assert.deepEqual(await store.queue.known([]), []);
      });
    }

    test('what was cut off is known with its attempts, until it is sent again', async () => {
      const { store } = backend;
      const client = await aClient(store);
      const schedule = await stored(store, client);
      const claim = await claimOne(store);
      const lost = anAttempt(1, { outcome: 'lost' });
      const record = aRecord(schedule.id, NOON + HOUR, { status: 'missed', attempts: [lost] });
      await settled(store, claim, waiting(NOON + MINUTE, null), { records: [record] });
      const { scheduleRowId } = claim;
      await store.queue.recount(NOON, ALL);
      const span = { scheduleRowId, from: NOON + HOUR, until: NOON + HOUR };
      const [known] = await store.queue.known([span]);
      assert.deepEqual([known!.sent, known!.attempts], [false, [lost]]);
      await store.queue.resend([{ scheduleRowId, scheduledFor: NOON + HOUR }]);
      assert.deepEqual(await store.queue.known([span]), []);
    });

    test('a request in flight is marked, so that its schedule goes on with the next time', async () => {
      const { store } = backend;
      const client = await aClient(store);
      await stored(store, client, {}, { first: NOON + HOUR, second: NOON + HOUR + MINUTE });
      const claim = await claimOne(store, NOON + HOUR);
      await store.queue.recount(NOON, ALL);
      const [standing] = await store.queue.reread([claim.scheduleRowId]);
      assert.deepEqual([standing!.nextFor, standing!.changedAt], [NOON + MINUTE, NOON]);
      assert.equal(await store.queue.knownAfter(NOON), NOON + HOUR, 'it was sent');
    });

    test('a record of many missed times ends where they are yet to come', async () => {
      const { store } = backend;
      const client = await aClient(store);
      const schedule = await stored(store, client);
      const claim = await claimOne(store);
      const record = aRecord(schedule.id, NOON, {
        status: 'missed',
        attempts: [],
        decidedAt: NOON + 2 * HOUR,
        missed: { count: 120, from: NOON, to: NOON + 119 * MINUTE },
      });
      delete record.finishedAt;
      await settled(store, claim, waiting(NOON + 2 * HOUR, null), { records: [record] });
      assert.equal(await store.queue.cutMissed(NOON + 10 * MINUTE + 1), 1);
      assert.equal(await store.queue.cutMissed(NOON + 10 * MINUTE + 1), 0);
      const [run] = await store.runs.list(client.clientRowId, { scheduleId: schedule.id }, 9);
      assert.deepEqual(run!.missed, { count: 11, from: NOON, to: NOON + 10 * MINUTE });
    });

    test('a manual run that was asked for ahead is due at once', async () => {
      const { store } = backend;
      const client = await aClient(store);
      const schedule = await stored(store, client);
      await store.outbox.insertManual(client.clientRowId, schedule.id, {
        id: anId(NOON + HOUR),
        scheduledFor: NOON + HOUR,
      });
      const place = await store.outbox.recount(NOON, null);
      assert.equal(await store.outbox.recount(NOON, place), null);
      assert.equal(await store.outbox.nextDueAt(), NOON);
    });
  });
}
