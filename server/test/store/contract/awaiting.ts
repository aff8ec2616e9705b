import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CompletionTicket } from '../../../src/domain/access/completion-ticket.ts';
import { runId } from '../../../src/domain/id.ts';
import type { QueueRow } from '../../../src/domain/run/queue-row.ts';
import type { Attempt } from '../../../src/domain/run/run.ts';
import { fenceOf } from '../../../src/engine/delivery/settlement.ts';
import type { Claim, ManualClaim } from '../../../src/store/contract/queue.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anAttempt,
  aRecord,
  backendOfEachTest,
  changed,
  claimManual,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  outboxSettlementOf,
  retrying,
  SECOND,
  settled,
  settlementOf,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const UNTIL = NOON + 10 * MINUTE;
const accepted = (number = 1): Attempt => {
  const { error: _, ...attempt } = anAttempt(number, { responseStatus: 202 });
  return { ...attempt, completion: { until: UNTIL } };
};
const awaiting = ({ scheduledFor, nextFor, attempt }: Claim): QueueRow => ({
  state: 'awaiting',
  dueAt: UNTIL,
  scheduledFor,
  nextFor,
  attempt,
  attempts: [accepted(attempt)],
});
const ticketOf = ({ schedule, attempt, ...claim }: Claim | ManualClaim): CompletionTicket => ({
  runId: 'kind' in claim ? claim.id : runId(schedule.id, claim.scheduledFor),
  scheduleId: schedule.id,
  clientId: schedule.clientId,
  attempt,
});
const asked = ({ runId: id, attempt }: CompletionTicket) => [{ runId: id, attempt }];

export function awaitingContract(name: string, open: OpenBackend): void {
  describe(`${name}: a run that awaits its completion`, () => {
    const backend = backendOfEachTest(open);
    const begun = async () => {
      const caller = await aClient(backend.store);
      const schedule = await stored(backend.store, caller);
      const claim = await claimOne(backend.store);
      return { caller, schedule, claim, ticket: ticketOf(claim) };
    };
    const awaited = async () => {
      const made = await begun();
      await settled(backend.store, made.claim, awaiting(made.claim));
      return made;
    };
    const say = (ticket: CompletionTicket, now = NOON + MINUTE, store: Store = backend.store) =>
      store.completions.say(ticket, { message: 'Done.' }, now);

    test('is claimed at its deadline, and no attempt begins with that', async () => {
      await awaited();
      const { queue, completions } = backend.store;
      assert.equal(await queue.nextDueAt(), UNTIL);
      assert.equal(await completions.awaiting(), 1);
      assert.deepEqual((await queue.claim(UNTIL - 1, 10, 0, SECOND)).claims, []);
      const claim = await claimOne(backend.store, UNTIL);
      assert.deepEqual([claim.was, claim.begun, claim.attempt], ['awaiting', false, 1]);
      assert.deepEqual(claim.attempts, [accepted()]);
    });

    test('is due at once when its target has said how it ended', async () => {
      const { ticket } = await awaited();
      const now = NOON + MINUTE;
      assert.deepEqual(await say(ticket), { dueAt: now, isManual: false });
      const { completions } = backend.store;
      assert.deepEqual(await completions.of(asked(ticket)), [
        {
          runId: ticket.runId,
          attempt: 1,
          saidAt: now,
          status: 'succeeded',
          message: 'Done.',
          deadlineAt: UNTIL,
        },
      ]);
      assert.deepEqual(await completions.of([{ runId: ticket.runId, attempt: 2 }]), []);
      assert.equal((await claimOne(backend.store, now)).was, 'awaiting');
    });

    test('is of the client of its schedule', async () => {
      const { caller, ticket } = await awaited();
      const stranger = await aClient(backend.store);
      const { completions } = backend.store;
      assert.equal(await completions.clientOf(ticket), caller.clientRowId);
      for (const change of [
        { clientId: stranger.clientId },
        { clientId: 'x' },
        { scheduleId: 'x' },
      ]) {
        assert.equal(await completions.clientOf({ ...ticket, ...change }), null);
      }
    });

    test('is due later after a heartbeat', async () => {
      const { ticket } = await awaited();
      const said = { extendSeconds: 1_200 };
      const row = await backend.store.completions.say(ticket, said, NOON + MINUTE);
      assert.equal(row!.dueAt, NOON + 21 * MINUTE);
      assert.equal(await backend.store.queue.nextDueAt(), NOON + 21 * MINUTE);
      assert.ok(await say(ticket, NOON + 20 * MINUTE));
    });

    test('a deadline that was moved under a clock ahead is as long from now on', async () => {
      const { ticket } = await awaited();
      const { completions, queue } = backend.store;
      await completions.say(ticket, { extendSeconds: 60 }, NOON + 5 * MINUTE);
      assert.equal(await completions.recount(NOON + 5 * MINUTE), 0);
      assert.equal(await completions.recount(NOON), 1);
      assert.equal(await completions.recount(NOON), 0);
      assert.equal(await queue.nextDueAt(), NOON + MINUTE);
      const [{ saidAt, deadlineAt } = {}] = await completions.of(asked(ticket));
      assert.deepEqual([saidAt, deadlineAt], [NOON, NOON + MINUTE]);
    });

    test('an end that was said under a clock ahead stays as it was said', async () => {
      const { ticket } = await awaited();
      await say(ticket, NOON + 5 * MINUTE);
      assert.equal(await backend.store.completions.recount(NOON), 0);
      assert.equal(await backend.store.queue.nextDueAt(), NOON + 5 * MINUTE);
    });

    test('ends once, however many say it at once', async () => {
      const { ticket } = await awaited();
      const rows = await Promise.all(Array.from({ length: 50 }, () => say(ticket)));
      assert.equal(rows.filter(row => row !== null).length, 1);
    });

    test('hears nothing of another attempt, run, schedule or client, or beyond its deadline', async () => {
      const { ticket, schedule } = await awaited();
      const { id: otherId } = await stored(backend.store, await aClient(backend.store, 'other'));
      for (const wrong of [
        { attempt: 2 },
        { runId: runId(schedule.id, NOON + MINUTE) },
        { scheduleId: otherId },
        { clientId: 'nobody' },
      ]) {
        assert.equal(await say({ ...ticket, ...wrong }), null, Object.keys(wrong)[0]!);
      }
      assert.equal(await say(ticket, UNTIL), null);
      assert.equal(await backend.store.queue.nextDueAt(), NOON);
    });

    test('an answer that was not 202 has ended the attempt', async () => {
      const { claim, ticket } = await begun();
      await settled(backend.store, claim, retrying(claim, NOON + MINUTE));
      assert.equal(await say(ticket), null);
      await settled(
        backend.store,
        await claimOne(backend.store, NOON + MINUTE),
        waiting(UNTIL, null),
      );
      assert.equal(await say(ticket), null);
    });

    test('said while its request is under way, it refuses the settlement once', async () => {
      const { claim, ticket } = await begun();
      const { queue } = backend.store;
      assert.ok(await say(ticket));
      const settlement = {
        scheduleRowId: claim.scheduleRowId,
        clientRowId: claim.clientRowId,
        fence: fenceOf(claim),
        records: [],
        callbacks: [],
        row: awaiting(claim),
      };
      assert.deepEqual(await queue.settle([settlement]), [claim.scheduleRowId]);
      const [standing] = await queue.reread([claim.scheduleRowId]);
      assert.equal(standing!.attempt, 1);
      settlement.fence.changedAt = standing!.changedAt;
      assert.deepEqual(await queue.settle([settlement]), []);
    });

    test('said while its deadline is decided about, it refuses that as well', async () => {
      const { ticket } = await awaited();
      // A clock that was ahead has claimed it.
      const claim = await claimOne(backend.store, UNTIL);
      assert.ok(await say(ticket));
      const lost = settlementOf(claim, waiting(claim.nextFor!, null));
      assert.deepEqual(await backend.store.queue.settle([lost]), [claim.scheduleRowId]);
    });

    test('said before its settlement is written again, it refuses that', async () => {
      const { claim, ticket } = await awaited();
      assert.ok(await say(ticket));
      const again = await claimOne(backend.store, NOON + MINUTE);
      const twice = settlementOf(claim, awaiting(claim));
      assert.deepEqual(await backend.store.queue.settle([twice]), [claim.scheduleRowId]);
      await settled(backend.store, again, waiting(UNTIL, null));
      assert.equal(await backend.store.queue.nextDueAt(), UNTIL);
    });

    test('cut off after its target has spoken, it does not begin again', async () => {
      const { ticket } = await begun();
      assert.ok(await say(ticket));
      const store = await backend.reopen();
      assert.equal(await store.queue.recover(NOON + MINUTE), 1);
      const claim = await claimOne(store, NOON + MINUTE);
      assert.deepEqual([claim.was, claim.begun, claim.attempt], ['lost', false, 1]);
      assert.equal((await store.completions.of(asked(ticket))).length, 1);
    });

    test('cut off before, its target may still speak until it is sent again', async () => {
      const { ticket } = await begun();
      const store = await backend.reopen();
      await store.queue.recover(NOON + MINUTE);
      assert.ok(await say(ticket, NOON + MINUTE, store));
      const claim = await claimOne(store, NOON + MINUTE);
      assert.deepEqual([claim.was, claim.begun], ['lost', false]);
    });

    test('is left alone by a start, and again what it was if it was being decided about', async () => {
      const { ticket } = await awaited();
      const store = await backend.reopen();
      assert.equal(await store.queue.recover(NOON + MINUTE), 0);
      await claimOne(store, UNTIL);
      const again = await backend.reopen();
      assert.equal(await again.queue.recover(UNTIL), 1);
      const claim = await claimOne(again, UNTIL);
      assert.deepEqual([claim.was, claim.begun, claim.attempt], ['awaiting', false, 1]);
      assert.deepEqual(claim.attempts, [accepted()]);
      assert.equal(ticket.attempt, 1);
    });

    test('shows as running, with its deadline', async () => {
      const { caller, claim, ticket } = await awaited();
      const { runs } = backend.store;
      const filters = [{}, { status: 'running' as const }];
      for (const filter of filters) {
        const [run] = await runs.list(caller.clientRowId, filter, 10);
        assert.deepEqual([run!.status, run!.completionUntil], ['running', UNTIL]);
      }
      assert.deepEqual(await runs.list(caller.clientRowId, { status: 'retrying' }, 10), []);
      const found = await runs.find(caller.clientRowId, ticket.runId);
      assert.deepEqual([found!.status, found!.completionUntil], ['running', UNTIL]);
      const begunAt = claim.attempts.length;
      assert.equal(begunAt, 0);
      const { stats } = backend.store;
      assert.deepEqual(await stats.upcoming(caller.clientRowId, NOON, 10), []);
    });

    test('a page of those that await goes on behind the one before', async () => {
      const caller = await aClient(backend.store);
      for (let minute = 0; minute < 4; minute += 1) {
        const first = NOON + minute * MINUTE;
        await stored(backend.store, caller, {}, { first, second: null });
      }
      const { claims } = await backend.store.queue.claim(NOON + 3 * MINUTE, 10, 0);
      for (const claim of claims) await settled(backend.store, claim, awaiting(claim));
      const { runs } = backend.store;
      const filter = { status: 'running' as const };
      const first = await runs.list(caller.clientRowId, filter, 2);
      const rest = await runs.list(caller.clientRowId, filter, 2, first[1]!.id);
      assert.deepEqual(
        [...first, ...rest].map(({ scheduledFor }) => (scheduledFor - NOON) / MINUTE),
        [3, 2, 1, 0],
      );
    });

    test('a change of its schedule does not bring it forward', async () => {
      const { caller, schedule } = await awaited();
      const times = { first: NOON + 2 * MINUTE, second: null };
      await changed(backend.store, caller, schedule, {}, NOON + 1, times);
      assert.equal(await backend.store.queue.nextDueAt(), UNTIL);
      await changed(backend.store, caller, schedule, { status: 'disabled' }, NOON + 1, null);
      assert.equal(await backend.store.queue.nextDueAt(), UNTIL);
    });

    for (const [what, state] of [
      ['changed', 'enabled'],
      ['disabled', 'disabled'],
      ['deleted', 'deleted'],
    ] as const) {
      test(`${what} meanwhile, the times that came before are skipped, with the reason`, async () => {
        const { caller, schedule } = await awaited();
        const changedAt = NOON + 2 * MINUTE + SECOND;
        const start = state === 'enabled' ? { first: UNTIL, second: null } : null;
        const fields = { status: state, interval: '10 * * * *' };
        await changed(backend.store, caller, schedule, fields, changedAt, start);
        const runs = await backend.store.runs.list(caller.clientRowId, { status: 'skipped' }, 10);
        assert.deepEqual(
          runs.map(({ scheduledFor, reason }) => [scheduledFor, reason]),
          [2, 1].map(minute => [
            NOON + minute * MINUTE,
            'The run of 2026-06-01T12:00:00.000Z was still going.',
          ]),
        );
        const [run] = await backend.store.runs.list(caller.clientRowId, { status: 'running' }, 10);
        assert.equal(run!.scheduledFor, NOON);
        // The next change counts on from this one.
        await changed(backend.store, caller, schedule, fields, changedAt + SECOND, start);
        assert.equal((await backend.store.runs.list(caller.clientRowId, {}, 10)).length, 3);
      });
    }

    test('a change that another one overtakes leaves no record', async () => {
      const { caller, schedule } = await awaited();
      const changedAt = NOON + 5 * MINUTE;
      const requeue = { changedAt, start: null };
      const { schedules, runs } = backend.store;
      assert.equal(await schedules.update(caller.clientRowId, schedule, 9, requeue), false);
      assert.deepEqual(await runs.list(caller.clientRowId, { status: 'skipped' }, 10), []);
    });

    test('a manual run that disables its schedule skips them as well', async () => {
      const { caller, schedule, claim } = await begun();
      await settled(backend.store, claim, retrying(claim, NOON + 3 * MINUTE));
      await triggered(backend.store, caller, schedule, NOON + 2 * MINUTE);
      const manual = await claimManual(backend.store, NOON + 2 * MINUTE);
      const disabled = { ...schedule, status: 'disabled' as const };
      const at = NOON + 2 * MINUTE + SECOND;
      const change = { at, status: 'disabled' as const, statusReason: 'targetDisabled' as const };
      const end = outboxSettlementOf(manual, 'succeeded', {
        record: aRecord(schedule.id, NOON + 2 * MINUTE, { id: manual.id, trigger: 'manual' }),
        change: { ...change, version: manual.version, schedule: disabled, start: null },
      });
      assert.deepEqual(await backend.store.outbox.settle([end]), []);
      const skipped = await backend.store.runs.list(caller.clientRowId, { status: 'skipped' }, 10);
      assert.deepEqual(
        skipped.map(({ scheduledFor }) => (scheduledFor - NOON) / MINUTE),
        [2, 1],
      );
    });

    for (const requeue of ['keep', { changedAt: NOON + 1, start: null }] as const) {
      const what = requeue === 'keep' ? 'its completion' : 'its times too';
      test(`a change that takes away ${what} leaves it to engines that know completions`, async () => {
        const caller = await aClient(backend.store);
        const policy = { completion: { deadlineSeconds: 600 } };
        const { id } = await stored(backend.store, caller, { policy });
        const claim = await claimOne(backend.store);
        const change = async () => {
          const { schedule, version } = (await backend.store.schedules.find(
            caller.clientRowId,
            id,
          ))!;
          const { policy: _, ...plain } = schedule;
          const { schedules } = backend.store;
          assert.ok(await schedules.update(caller.clientRowId, plain, version, requeue));
        };
        // Once while its request is in flight, once while it awaits.
        await change();
        const [standing] = await backend.store.queue.reread([claim.scheduleRowId]);
        const changedAt = standing!.changedAt;
        await settled(backend.store, { ...claim, changedAt }, awaiting(claim));
        await change();
        const older = await backend.reopen(1);
        assert.equal(await older.queue.nextDueAt(), null);
        assert.deepEqual((await older.queue.claim(UNTIL, 10, 0)).claims, []);
        const present = await backend.reopen();
        assert.equal((await claimOne(present, UNTIL)).was, 'awaiting');
      });
    }

    test('a manual run waits for it', async () => {
      const { caller, schedule, claim } = await awaited();
      await triggered(backend.store, caller, schedule, NOON + MINUTE);
      assert.deepEqual(await backend.store.outbox.claim(NOON + 2 * MINUTE, 10), []);
      const ended = await claimOne(backend.store, UNTIL);
      await settled(backend.store, ended, null, { records: [aRecord(schedule.id, NOON)] });
      assert.equal((await claimManual(backend.store, UNTIL)).awaits, undefined);
      assert.equal(claim.attempt, 1);
    });

    test('is forgotten by its age', async () => {
      const { ticket } = await awaited();
      await say(ticket);
      const { completions } = backend.store;
      assert.equal(await completions.prune(NOON + MINUTE), 0);
      assert.equal(await completions.prune(NOON + MINUTE + 1), 1);
      assert.deepEqual(await completions.of(asked(ticket)), []);
    });
  });

  describe(`${name}: a manual run that awaits its completion`, () => {
    const backend = backendOfEachTest(open);
    const begun = async () => {
      const caller = await aClient(backend.store);
      const times = { first: UNTIL, second: null };
      const schedule = await stored(backend.store, caller, {}, times);
      await triggered(backend.store, caller, schedule);
      const claim = await claimManual(backend.store);
      return { caller, schedule, claim, ticket: ticketOf(claim) };
    };
    const awaits = (claim: ManualClaim) =>
      outboxSettlementOf(claim, { dueAt: UNTIL, awaits: true }, { attempts: [accepted()] });
    const awaited = async () => {
      const made = await begun();
      assert.deepEqual(await backend.store.outbox.settle([awaits(made.claim)]), []);
      return made;
    };
    const say = (ticket: CompletionTicket, now = NOON + MINUTE, store: Store = backend.store) =>
      store.completions.say(ticket, {}, now);
    const retaken = async (store: Store, now: number) => {
      const claim = await claimManual(store, now);
      return [claim.awaits, claim.attempt, claim.attempts.length];
    };

    test('is claimed at its deadline, and no attempt begins with that', async () => {
      await awaited();
      const { outbox, completions } = backend.store;
      assert.equal(await outbox.nextDueAt(), UNTIL);
      assert.equal(await completions.awaiting(), 1);
      assert.deepEqual(await outbox.claim(UNTIL - 1, 10), []);
      assert.deepEqual(await retaken(backend.store, UNTIL), [true, 1, 1]);
    });

    test('is due at once when its target has said how it ended, and ends once', async () => {
      const { ticket } = await awaited();
      const rows = await Promise.all(Array.from({ length: 20 }, () => say(ticket)));
      assert.deepEqual(
        rows.filter(row => row !== null),
        [{ dueAt: NOON + MINUTE, isManual: true }],
      );
      assert.deepEqual(await retaken(backend.store, NOON + MINUTE), [true, 1, 1]);
      assert.equal(await say(ticket), null);
    });

    test('said while its request is under way, it is due when that is settled', async () => {
      const { claim, ticket } = await begun();
      assert.ok(await say(ticket));
      assert.deepEqual(await backend.store.outbox.settle([awaits(claim)]), []);
      assert.deepEqual(await retaken(backend.store, NOON + MINUTE), [true, 1, 1]);
    });

    test('a heartbeat counts in the same way', async () => {
      const { claim, ticket } = await begun();
      await backend.store.completions.say(ticket, { extendSeconds: 1_200 }, NOON);
      await backend.store.outbox.settle([awaits(claim)]);
      assert.equal(await backend.store.outbox.nextDueAt(), NOON + 20 * MINUTE);
    });

    test('a deadline that was moved under a clock ahead is as long from now on', async () => {
      const { ticket } = await awaited();
      const { completions, outbox } = backend.store;
      await completions.say(ticket, { extendSeconds: 60 }, NOON + 5 * MINUTE);
      assert.equal(await completions.recount(NOON), 1);
      assert.equal(await outbox.nextDueAt(), NOON + MINUTE);
    });

    test('blocks the row of its schedule until it has ended', async () => {
      const { claim } = await awaited();
      const row = await claimOne(backend.store, UNTIL);
      assert.deepEqual([row.begun, row.blockedSince], [false, NOON]);
      await settled(backend.store, row, waiting(UNTIL, null));
      const [again] = (await backend.store.outbox.claim(UNTIL, 10)) as [ManualClaim];
      assert.equal(again.id, claim.id);
      const record = aRecord(claim.schedule.id, NOON, { id: claim.id, trigger: 'manual' });
      await backend.store.outbox.settle([outboxSettlementOf(again, 'succeeded', { record })]);
      assert.equal((await claimOne(backend.store, UNTIL)).begun, true);
    });

    test('said while its deadline is decided about, it is past it', async () => {
      const { claim, ticket } = await awaited();
      // The clock of another node is ahead of the caller's.
      const again = await claimManual(backend.store, UNTIL);
      assert.equal(await say(ticket), null);
      assert.equal(await say(ticket, UNTIL - 1), null);
      assert.deepEqual(await backend.store.completions.of(asked(ticket)), []);
      const record = aRecord(claim.schedule.id, NOON, { id: claim.id, trigger: 'manual' });
      const end = outboxSettlementOf(again, 'failed', { record });
      assert.deepEqual(await backend.store.outbox.settle([end]), []);
    });

    test('said at the moment at which its deadline is decided about, one of both counts', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { claim, ticket } = await awaited();
        const [said, claims] = await Promise.all([
          say(ticket, UNTIL - 1),
          backend.store.outbox.claim(UNTIL, 10) as Promise<ManualClaim[]>,
        ]);
        const again =
          claims.find(({ id }) => id === claim.id) ?? (await claimManual(backend.store, UNTIL));
        const heard = await backend.store.completions.of(asked(ticket));
        assert.equal(heard.length, said === null ? 0 : 1);
        const record = aRecord(claim.schedule.id, NOON, { id: claim.id, trigger: 'manual' });
        await backend.store.outbox.settle([outboxSettlementOf(again, 'succeeded', { record })]);
      }
    });

    for (const what of ['time', 'retry']) {
      test(`a row that waits behind it for its ${what} is due with its end, and not before`, async () => {
        const caller = await aClient(backend.store);
        const at = UNTIL - MINUTE;
        const schedule = await stored(backend.store, caller, {}, { first: at, second: null });
        if (what === 'retry') {
          const first = await claimOne(backend.store, at);
          await settled(backend.store, first, retrying(first, at + SECOND));
        }
        await triggered(backend.store, caller, schedule, at);
        const manual = await claimManual(backend.store, at);
        const until = UNTIL + 10 * MINUTE;
        const next = { dueAt: until, awaits: true } as const;
        const attempts = [accepted()];
        await backend.store.outbox.settle([outboxSettlementOf(manual, next, { attempts })]);
        const { queue } = backend.store;
        const key = manual.scheduleRowId;
        assert.deepEqual(await queue.awaitedManuals([key]), [{ scheduleRowId: key, dueAt: until }]);
        const blocked = await claimOne(backend.store, at + SECOND);
        assert.equal(blocked.begun, false);
        const { was: state, scheduledFor, nextFor, attempt, attempts: made } = blocked;
        const back = { state, scheduledFor, nextFor, attempt, attempts: made, dueAt: until };
        await settled(backend.store, blocked, back);
        assert.equal(await queue.nextDueAt(), until);
        assert.equal(await queue.unblock([key]), 0, 'it is blocked still');
        const [again] = (await backend.store.outbox.claim(until, 10)) as [ManualClaim];
        assert.deepEqual(await queue.awaitedManuals([key]), []);
        const record = aRecord(schedule.id, at, { id: manual.id, trigger: 'manual' });
        await backend.store.outbox.settle([outboxSettlementOf(again, 'succeeded', { record })]);
        const free = await claimOne(backend.store, at + 2 * SECOND);
        assert.deepEqual([free.begun, free.was], [true, blocked.was]);
      });
    }

    test('a retry that was not due when it ended stays where it was', async () => {
      const caller = await aClient(backend.store);
      const schedule = await stored(backend.store, caller, {}, { first: NOON, second: null });
      const first = await claimOne(backend.store);
      await settled(backend.store, first, retrying(first, UNTIL));
      await triggered(backend.store, caller, schedule, NOON + 1);
      const manual = await claimManual(backend.store, NOON + 1);
      await backend.store.outbox.settle([outboxSettlementOf(manual, 'succeeded')]);
      assert.equal(await backend.store.queue.nextDueAt(), UNTIL);
    });

    test('so does one that was claimed before, although the clock was read later for that', async () => {
      const caller = await aClient(backend.store);
      const schedule = await stored(backend.store, caller, {}, { first: NOON, second: null });
      const first = await claimOne(backend.store);
      await settled(backend.store, first, retrying(first, UNTIL));
      await triggered(backend.store, caller, schedule, NOON - 1);
      const manual = await claimManual(backend.store, NOON - 1);
      await backend.store.outbox.settle([outboxSettlementOf(manual, 'succeeded')]);
      assert.equal(await backend.store.queue.nextDueAt(), UNTIL);
    });

    test('a row that was decided about while it ended is unblocked by whoever decides', async () => {
      const { claim, ticket } = await awaited();
      const { queue, outbox } = backend.store;
      const row = await claimOne(backend.store, UNTIL);
      assert.ok(await say(ticket));
      const [again] = (await outbox.claim(UNTIL, 10)) as [ManualClaim];
      const record = aRecord(claim.schedule.id, NOON, { id: claim.id, trigger: 'manual' });
      await outbox.settle([outboxSettlementOf(again, 'succeeded', { record })]);
      await settled(backend.store, row, { ...waiting(UNTIL, null), dueAt: UNTIL + MINUTE });
      assert.equal(await queue.nextDueAt(), UNTIL + MINUTE);
      assert.equal(await queue.unblock([row.scheduleRowId]), 1);
      assert.equal((await claimOne(backend.store, UNTIL)).begun, true);
    });

    test('the next entry that is due later is told beside those that are due', async () => {
      const { caller } = await awaited();
      const other = await stored(backend.store, caller);
      await triggered(backend.store, caller, other, NOON + MINUTE);
      const { outbox } = backend.store;
      assert.equal(await outbox.nextDueAt(), NOON + MINUTE);
      assert.equal(await outbox.nextDueAt(NOON + MINUTE), UNTIL);
      assert.equal(await outbox.nextDueAt(UNTIL), null);
    });

    test('a schedule that is made anew meanwhile is blocked as well', async () => {
      const { caller, schedule } = await awaited();
      await changed(backend.store, caller, schedule, { status: 'disabled' }, NOON + 1, null);
      const start = { first: UNTIL, second: null };
      await changed(backend.store, caller, schedule, { status: 'enabled' }, NOON + 2, start);
      assert.equal((await claimOne(backend.store, UNTIL)).begun, false);
    });

    test('other manual runs of its schedule wait, also where it has no row', async () => {
      const { caller, schedule } = await awaited();
      await changed(backend.store, caller, schedule, { status: 'disabled' }, NOON + 1, null);
      await triggered(backend.store, caller, schedule, NOON + 1);
      assert.deepEqual(await backend.store.outbox.claim(NOON + MINUTE, 10), []);
    });

    test('those that wait for it hold up nobody else, however few are asked for', async () => {
      const { caller, schedule } = await awaited();
      await triggered(backend.store, caller, schedule, NOON + 1);
      const other = await stored(backend.store, caller, {}, { first: UNTIL, second: null });
      const id = await triggered(backend.store, caller, other, NOON + 2);
      const claims = await backend.store.outbox.claim(NOON + MINUTE, 1);
      assert.deepEqual(
        claims.map(each => each.id),
        [id],
      );
    });

    test('deleted meanwhile, it is not brought forward', async () => {
      const { caller, schedule, claim } = await begun();
      await changed(backend.store, caller, schedule, { status: 'deleted' }, NOON + 1, null);
      await backend.store.outbox.settle([awaits(claim)]);
      assert.equal(await backend.store.outbox.nextDueAt(), UNTIL);
    });

    test('is left alone by a start, and again what it was if it was being decided about', async () => {
      await awaited();
      const store = await backend.reopen();
      assert.equal(await store.outbox.recover(NOON + MINUTE), 0);
      await store.outbox.claim(UNTIL, 10);
      const again = await backend.reopen();
      assert.equal(await again.outbox.recover(UNTIL), 1);
      assert.deepEqual(await retaken(again, UNTIL), [true, 1, 1]);
    });

    test('cut off, it awaits where its target has spoken, and else is sent again', async () => {
      const { ticket } = await begun();
      assert.ok(await say(ticket));
      const store = await backend.reopen();
      await store.outbox.recover(NOON + MINUTE);
      assert.deepEqual(await retaken(store, NOON + MINUTE), [true, 1, 1]);
      const other = await begun();
      const again = await backend.reopen();
      await again.outbox.recover(NOON + MINUTE);
      assert.ok(await say(other.ticket, NOON + MINUTE, again));
      const claims = (await again.outbox.claim(NOON + MINUTE, 10)) as ManualClaim[];
      assert.equal(claims.find(({ id }) => id === other.claim.id)!.awaits, true);
    });

    test('shows as running, with its deadline', async () => {
      const { caller, ticket } = await awaited();
      const { runs } = backend.store;
      for (const run of [
        await runs.find(caller.clientRowId, ticket.runId),
        ...(await runs.list(caller.clientRowId, { status: 'running' }, 10)),
      ]) {
        assert.deepEqual(
          [run!.id, run!.status, run!.completionUntil],
          [ticket.runId, 'running', UNTIL],
        );
      }
    });
  });
}
