import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { QueueRow } from '../../../src/domain/run/queue-row.ts';
import type { Claim } from '../../../src/store/contract/queue.ts';
import {
  aClient,
  anAttempt,
  anId,
  aRecord,
  backendOfEachTest,
  changed,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  outboxSettlementOf,
  retrying,
  SECOND,
  SEEN,
  settled,
  stored,
  waiting,
} from '../../support/store/backend.ts';

const HOUR = 60 * MINUTE;
const ALL = 0;

function retriedOf(claim: Claim): [Claim, QueueRow] {
  return [claim, retrying(claim, claim.scheduledFor + MINUTE)];
}

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
      test(`what is on record is known, and what has ${status} is to be looked for`, async () => {
        const { store, scheduleRowId } = await ahead(status);
        assert.equal(await store.queue.nextKnown(NOON), NOON + HOUR);
        assert.equal(await store.queue.nextKnown(NOON + HOUR + 1), null);
        const span = { scheduleRowId, from: NOON, until: NOON + 2 * HOUR };
        const known = await store.queue.known([
          span,
          { ...span, scheduleRowId: scheduleRowId + 1 },
        ]);
        assert.deepEqual(known.map(({ scheduledFor, sent }) => [scheduledFor, sent]).toSorted(), [
          ...[0, 1, 2].map(minute => [NOON + minute * MINUTE, false]),
          [NOON + HOUR, true],
        ]);
        assert.deepEqual(await store.queue.known([]), []);
      });
    }

    test('a run that goes on keeps known what was sent from its next time on', async () => {
      const { store } = await ahead();
      await store.queue.recount(NOON, ALL);
      const claim = await claimOne(store, NOON + MINUTE);
      const later = NOON + HOUR + 1;
      assert.equal(await store.queue.nextKnown(later), NOON + HOUR);
      await settled(store, claim, waiting(later, null));
      assert.equal(await store.queue.nextKnown(later), null);
    });

    test('a run that waits for its retry ahead of the clock is known, and none that waits behind it', async () => {
      const { store } = backend;
      const client = await aClient(store);
      await stored(store, client);
      await settled(store, ...retriedOf(await claimOne(store)));
      assert.equal(await store.queue.nextKnown(NOON), null);
      await stored(store, client, {}, { first: NOON + HOUR, second: NOON + 2 * HOUR });
      const ahead = (await store.queue.claim(NOON + HOUR, 9, SEEN)).claims.at(-1)!;
      await settled(store, ...retriedOf(ahead));
      assert.equal(await store.queue.nextKnown(NOON), NOON + HOUR);
    });

    for (const [name, next] of [
      ['the last one', null],
      ['one with a next time', NOON + 2 * HOUR],
    ] as const)
      test(`so is a run that is in flight ahead of the clock, and none that was claimed ahead: ${name}`, async () => {
        const { store } = backend;
        const client = await aClient(store);
        const claim = async (first: number) => {
          await stored(store, client, {}, { first, second: next });
          return (await store.queue.claim(first, 9, SEEN)).claims.at(-1)!;
        };
        await claim(NOON + SECOND);
        assert.equal(await store.queue.nextKnown(NOON), null);
        const ahead = await claim(NOON + HOUR);
        assert.equal(await store.queue.nextKnown(NOON), NOON + HOUR);
        await settled(store, ahead, { ...retrying(ahead, NOON + HOUR), state: 'awaiting' });
        assert.equal(await store.queue.nextKnown(NOON), NOON + HOUR, 'it awaits its completion');
      });

    test('a claim that has not begun keeps known what was sent from its own time on', async () => {
      const { store } = await ahead();
      await store.queue.recount(NOON, ALL);
      const later = NOON + HOUR + 1;
      const moved = await claimOne(store, NOON + MINUTE);
      await settled(store, moved, waiting(NOON + HOUR, later));
      const { begun, nextFor } = await claimOne(store, later);
      assert.deepEqual([begun, nextFor], [false, later]);
      assert.equal(await store.queue.nextKnown(later + 1), NOON + HOUR);
    });

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
      assert.equal(await store.queue.nextKnown(NOON), NOON + HOUR, 'it was sent');
    });

    test('a claim that was given up after it was marked goes on with the times that passed since', async () => {
      const client = await aClient(backend.store);
      await stored(backend.store, client, {}, { first: NOON + HOUR, second: NOON + HOUR + MINUTE });
      const toLookUp = Number.MAX_SAFE_INTEGER;
      assert.equal((await claimOne(backend.store, NOON + HOUR, toLookUp)).begun, false);
      await backend.store.queue.recount(NOON, ALL);
      const store = await backend.reopen();
      const now = NOON + 5 * MINUTE;
      await store.queue.recover(now);
      await store.queue.recount(now, ALL);
      const { was, scheduledFor, nextFor, changedAt } = await claimOne(store, now);
      assert.deepEqual([was, scheduledFor, nextFor], ['waiting', NOON + MINUTE, NOON + 2 * MINUTE]);
      assert.equal(changedAt, null, 'its own time is to be decided about');
    });

    test('a claim whose own time has come is marked as well, where its next time was counted ahead: it is next again if it was not sent', async () => {
      const { store } = backend;
      const client = await aClient(store);
      await stored(store, client, {}, { first: NOON, second: NOON + HOUR });
      const { scheduleRowId } = await claimOne(store, NOON);
      await store.queue.recount(NOON + 1_000, ALL);
      const [standing] = await store.queue.reread([scheduleRowId]);
      assert.deepEqual([standing!.nextFor, standing!.changedAt], [NOON, NOON + 1_000]);
    });

    test('a claim whose schedule was changed meanwhile keeps the times of that change', async () => {
      const { store } = backend;
      const client = await aClient(store);
      const schedule = await stored(store, client);
      const { scheduleRowId } = await claimOne(store, NOON + HOUR, NOON + HOUR);
      const start = { first: NOON + 2_000, second: NOON + 3_000 };
      await changed(store, client, schedule, {}, NOON + 500, start);
      await store.queue.recount(NOON + 1_000, ALL);
      const [standing] = await store.queue.reread([scheduleRowId]);
      assert.equal(standing!.nextFor, NOON + 2_000);
    });

    test('a row that waits behind a manual run goes on with the times after its own', async () => {
      const { store } = backend;
      const client = await aClient(store);
      await stored(store, client, {}, { first: NOON + MINUTE, second: NOON + 2 * MINUTE });
      const claim = await claimOne(store, NOON + MINUTE);
      const row = { ...waiting(NOON + MINUTE, NOON + 4 * MINUTE), dueAt: NOON + 5 * MINUTE };
      await settled(store, claim, row);
      await store.queue.recount(NOON, ALL);
      const { scheduledFor, nextFor } = await claimOne(store, NOON + 5 * MINUTE);
      assert.deepEqual([scheduledFor, nextFor], [NOON + MINUTE, NOON + 2 * MINUTE]);
    });

    /** By a clock two hours ahead. @param nextFor of its row: null leaves it without one */
    const missedAhead = async (nextFor: number | null) => {
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
      const row = nextFor === null ? null : waiting(nextFor, null);
      await settled(store, claim, row, { records: [record] });
      const missed = async () => {
        const [run] = await store.runs.list(client.clientRowId, { scheduleId: schedule.id }, 9);
        return run!.missed;
      };
      return { missed, client, schedule };
    };
    const CUT = { count: 11, from: NOON, to: NOON + 10 * MINUTE };

    test('a record of many missed times ends where they are yet to come', async () => {
      const { missed } = await missedAhead(null);
      const { queue } = backend.store;
      assert.equal(await queue.recount(NOON + 10 * MINUTE + 1, ALL), null);
      assert.equal(await queue.cutMissed(NOON + 10 * MINUTE + 1), 1);
      assert.equal(await queue.cutMissed(NOON + 10 * MINUTE + 1), 0);
      assert.deepEqual(await missed(), CUT);
    });

    test('such a record ends with the move of the row: a process that dies then leaves nothing to cut', async () => {
      const { missed } = await missedAhead(NOON + 2 * HOUR);
      const { queue } = backend.store;
      await queue.recount(NOON + 10 * MINUTE + 1, ALL);
      assert.deepEqual(await missed(), CUT);
      assert.equal(await queue.cutMissed(NOON + 20 * MINUTE), 0);
      assert.deepEqual(await missed(), CUT);
    });

    for (const [what, nextFor] of [
      ['counted anew', NOON + 2 * HOUR],
      ['of a schedule without a row', null],
    ] as const) {
      test(`such a record, ${what}, is cut by the times under which it was made, whatever has changed since`, async () => {
        const { missed, client, schedule } = await missedAhead(nextFor);
        const { store } = backend;
        const now = NOON + 10 * MINUTE + 1;
        const start = nextFor === null ? null : { first: NOON + HOUR, second: NOON + 2 * HOUR };
        const status = nextFor === null ? 'disabled' : 'enabled';
        for (const interval of ['*/3 * * * *', '0 * * * *']) {
          const { schedule: found } = (await store.schedules.find(
            client.clientRowId,
            schedule.id,
          ))!;
          await changed(store, client, found, { interval, status }, now, start);
        }
        await store.queue.recount(now, ALL);
        await store.queue.cutMissed(now);
        assert.deepEqual(await missed(), CUT);
      });
    }

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

    test('a run that a target asked for is due within a day, and otherwise as it was asked for', async () => {
      const { store } = backend;
      const client = await aClient(store);
      for (const [dueAt, due] of [
        [NOON + HOUR, NOON + HOUR],
        [NOON + 48 * HOUR, NOON + 24 * HOUR],
      ] as const) {
        await stored(store, client, {}, { first: NOON, second: null });
        const again = { id: anId(dueAt), dueAt, at: dueAt };
        await settled(store, await claimOne(store), null, { again });
        await store.outbox.recount(NOON, null);
        assert.equal(await store.outbox.nextDueAt(), due);
        const [run] = await store.outbox.claim(due, 9);
        await store.outbox.settle([outboxSettlementOf(run!, 'succeeded')]);
      }
    });

    describe('other rules of a time zone', () => {
      const HOURLY = { interval: '0 * * * *' };
      const stands = async (key: number) => {
        const [row] = await backend.store.queue.reread([key]);
        return row && [row.scheduledFor, row.nextFor, row.changedAt];
      };

      test('a row that waits for a time to come waits for the one by the rules in use', async () => {
        const { store } = backend;
        const client = await aClient(store);
        // The rules before had these times at the half hour.
        await stored(store, client, HOURLY, { first: NOON + HOUR / 2, second: NOON + 1.5 * HOUR });
        const [zoned] = await store.zoneRules.enabledIn('UTC', 0, 9);
        const { scheduleRowId } = zoned!;
        const moved = await store.queue.rezone([scheduleRowId, scheduleRowId + 1], NOON);
        assert.deepEqual(moved, { count: 1, dueAt: NOON + HOUR });
        const none = await store.queue.rezone([scheduleRowId], NOON);
        assert.deepEqual(none, { count: 0, dueAt: null });
        const claim = await claimOne(store, NOON + HOUR);
        assert.deepEqual([claim.scheduledFor, claim.nextFor], [NOON + HOUR, NOON + 2 * HOUR]);
      });

      test('a time that is due stays, and the next one is counted anew', async () => {
        const { store } = backend;
        const client = await aClient(store);
        await stored(store, client, HOURLY, { first: NOON - MINUTE, second: NOON + HOUR / 2 });
        const [zoned] = await store.zoneRules.enabledIn('UTC', 0, 9);
        await store.queue.rezone([zoned!.scheduleRowId], NOON);
        const claim = await claimOne(store, NOON);
        assert.deepEqual([claim.scheduledFor, claim.nextFor], [NOON - MINUTE, NOON + HOUR]);
      });

      test('a run that has begun is marked, and goes on with the time by the rules in use', async () => {
        const { store } = backend;
        const client = await aClient(store);
        await stored(store, client, HOURLY, { first: NOON, second: NOON + HOUR / 2 });
        const { scheduleRowId } = await claimOne(store);
        await store.queue.rezone([scheduleRowId], NOON);
        assert.deepEqual(await stands(scheduleRowId), [NOON, NOON + HOUR, NOON]);
      });

      test('what has no other time stays as it is, and so does a schedule that is not enabled', async () => {
        const { store } = backend;
        const client = await aClient(store);
        const over = { timing: { endsAt: NOON } };
        await stored(store, client, over, { first: NOON + MINUTE, second: null });
        const [zoned] = await store.zoneRules.enabledIn('UTC', 0, 9);
        const none = { count: 0, dueAt: null };
        assert.deepEqual(await store.queue.rezone([zoned!.scheduleRowId], NOON), none);
        assert.deepEqual(await store.queue.rezone([], NOON), none);
        assert.equal(await store.queue.nextDueAt(), NOON + MINUTE);
      });
    });
  });
}
