import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunRecord } from '../../../src/domain/run/run.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anAttempt,
  anId,
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
  SEEN,
  settled,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

/** A schedule with these runs in its history. */
async function withRuns(
  store: Store,
  caller: Caller,
  records: (id: string) => RunRecord[],
  fields = {},
) {
  const schedule = await stored(store, caller, fields);
  const claim = await claimOne(store);
  await settled(store, claim, waiting(NOON + MINUTE, null), { records: records(schedule.id) });
  return schedule;
}

export function statsContract(name: string, open: OpenBackend): void {
  describe(`${name}: figures`, () => {
    const backend = backendOfEachTest(open);

    test('enabled schedules are grouped by their times and by host, strangers left out', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const hook = (path: string) => ({ url: `https://Target.Example:8443${path}` });
      await stored(store, mine, hook('/a'));
      await stored(store, mine, hook('?b=/c'));
      await stored(store, mine, { ...hook('/c'), status: 'disabled' }, null);
      await stored(store, mine, { ...hook('/d'), status: 'deleted' }, null);
      await stored(store, theirs, hook('/a'));
      const group = { interval: '* * * * *', timezone: 'UTC', host: 'target.example:8443' };
      assert.deepEqual(await store.stats.groups(mine.clientRowId, 9), {
        groups: [{ ...group, count: 2 }],
        next: null,
      });
      assert.deepEqual(await store.stats.counts(mine.clientRowId), { enabled: 2, disabled: 1 });
      assert.deepEqual(await store.stats.counts(theirs.clientRowId), { enabled: 1, disabled: 0 });
    });

    test('those with other bounds are other groups, whatever the order in which they were made', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const group = { interval: '* * * * *', timezone: 'UTC', host: 'target.example' };
      const window = { windowSeconds: 60, offsetMs: 1_000 };
      for (const timing of [window, undefined, { endsAt: NOON }, window]) {
        await stored(store, caller, { ...(timing && { timing }) });
      }
      const { groups } = await store.stats.groups(caller.clientRowId, 9);
      assert.deepEqual(
        new Set(groups),
        new Set([
          { ...group, count: 1 },
          { ...group, timing: window, count: 2 },
          { ...group, timing: { endsAt: NOON }, count: 1 },
        ]),
      );
    });

    test('a herd is of one interval and host, without a window, the newest first', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const hook = { url: 'https://Target.Example:8443/x?y', interval: '0 3 * * *' };
      const of = { interval: hook.interval, host: 'target.example:8443' };
      const ids = [anId(), anId(), anId()].sort();
      const timing = { endsAt: NOON + MINUTE };
      await stored(store, mine, { ...hook, id: ids[0]!, timezone: 'Europe/Berlin' });
      await stored(store, mine, { ...hook, id: ids[1]!, timing, externalId: 'nightly' });
      await stored(store, mine, { ...hook, id: ids[2]! });
      await stored(store, mine, { ...hook, timing: { windowSeconds: 60, offsetMs: 0 } });
      await stored(store, mine, { ...hook, interval: '1 3 * * *' });
      await stored(store, mine, { ...hook, url: 'https://target.example/x' });
      await stored(store, mine, { ...hook, status: 'disabled' }, null);
      await stored(store, theirs, hook);
      const when = { interval: hook.interval, timezone: 'UTC' };
      assert.deepEqual(await store.stats.herd(mine.clientRowId, of, 9), [
        { ...when, id: ids[2] },
        { ...when, id: ids[1], timing, externalId: 'nightly' },
        { ...when, id: ids[0], timezone: 'Europe/Berlin' },
      ]);
      const newest = await store.stats.herd(mine.clientRowId, of, 1);
      assert.deepEqual(
        newest.map(({ id }) => id),
        [ids[2]],
      );
    });

    test('schedules are grouped part by part, newest first, each in one part', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const ids = [anId(), anId(), anId(), anId(), anId()].sort();
      for (const [at, id] of ids.entries()) {
        const status = at === 2 ? 'disabled' : 'enabled';
        const fields = { id, interval: `${at % 2} * * * *`, status } as const;
        await stored(store, caller, fields, at === 2 ? null : undefined);
      }
      const part = async (limit: number, before?: string) => {
        const { groups, next } = await store.stats.groups(caller.clientRowId, limit, before);
        return [groups.map(({ interval, count }) => `${count} of ${interval}`).sort(), next];
      };
      assert.deepEqual(await part(3), [['1 of 0 * * * *', '2 of 1 * * * *'], ids[1]]);
      assert.deepEqual(await part(3, ids[1]), [['1 of 0 * * * *'], null]);
      assert.deepEqual(await part(3, ids[0]), [[], null]);
      assert.deepEqual(await part(5), [['2 of 0 * * * *', '2 of 1 * * * *'], null]);
    });

    test('ended runs are counted by the minute in which they ended, with their lateness', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const end = (
        at: number,
        lateMs: number,
        status: 'succeeded' | 'failed',
        finishedAt: number,
      ) => ({ status, startedAt: at + lateMs, finishedAt }) as const;
      await withRuns(store, caller, id => [
        aRecord(id, NOON, end(NOON, 7, 'succeeded', NOON + 59_999)),
        aRecord(id, NOON + 1, end(NOON + 1, 7, 'succeeded', NOON + 20)),
        aRecord(id, NOON + 2, end(NOON + 2, 1_234, 'failed', NOON + MINUTE)),
        aRecord(id, NOON + 3, end(NOON + 3, -5, 'succeeded', NOON + MINUTE)),
        aRecord(id, NOON + 4, end(NOON + 4, 9, 'succeeded', NOON + 2 * MINUTE)),
      ]);
      assert.deepEqual(await store.stats.ended(caller.clientRowId, NOON, NOON + 2 * MINUTE), [
        { minute: NOON, succeeded: 2, failed: 0, lateness: [{ stepMs: 7, count: 2 }], passed: [] },
        {
          minute: NOON + MINUTE,
          succeeded: 1,
          failed: 1,
          lateness: [
            { stepMs: 0, count: 1 },
            { stepMs: 1_200, count: 1 },
          ],
          passed: [],
        },
      ]);
      const stranger = await aClient(store);
      assert.deepEqual(await store.stats.ended(stranger.clientRowId, 0, NOON * 2), []);
    });

    test('the times of a schedule are counted step by step, the newest first, strangers left out', async () => {
      const { store } = backend;
      const [caller, stranger] = [await aClient(store), await aClient(store)];
      const unsent = { startedAt: undefined!, finishedAt: undefined!, attempts: [] };
      const span = { count: 5_000, from: NOON - 10_000 * SECOND, to: NOON - SECOND };
      const { id } = await withRuns(store, caller, id => [
        aRecord(id, span.from, { ...unsent, status: 'missed', missed: span, decidedAt: NOON }),
        aRecord(id, NOON, { status: 'succeeded' }),
        aRecord(id, NOON + 9 * SECOND, { status: 'failed' }),
        aRecord(id, NOON + 10 * SECOND, { ...unsent, status: 'skipped', decidedAt: NOON }),
        aRecord(id, NOON + 19 * SECOND, { status: 'succeeded' }),
        aRecord(id, NOON + 20 * SECOND, { status: 'succeeded' }),
      ]);
      await withRuns(store, caller, other => [aRecord(other, NOON + SECOND)]);
      const range = { from: NOON, to: NOON + 20 * SECOND, stepMs: 10 * SECOND };
      const none = { succeeded: 0, failed: 0, skipped: 0, missed: 0 };
      const second = { ...none, at: NOON + 10 * SECOND, succeeded: 1, skipped: 1 };
      const count = (limit: number, of = caller, asked = range) =>
        store.stats.history(of.clientRowId, [id], asked, limit).then(([counted]) => counted!);
      assert.deepEqual(await count(9), {
        steps: [{ ...none, at: NOON, succeeded: 1, failed: 1 }, second],
        spans: [],
        records: 4,
      });
      assert.deepEqual(await count(2), { steps: [second], spans: [], records: 2 });
      assert.deepEqual(await count(9, stranger), { steps: [], spans: [], records: 0 });
      // A record of times that reach into the range, and one that stands in it.
      const within = { from: NOON - 20 * SECOND, to: NOON, stepMs: 10 * SECOND };
      assert.deepEqual(await count(9, caller, within), { steps: [], spans: [span], records: 0 });
      const from = NOON - 20_000 * SECOND;
      assert.deepEqual((await count(9, caller, { ...within, from })).spans, [span]);
    });

    test('days are steps as well, and many schedules are counted at once, each by itself', async () => {
      const { store } = backend;
      const [caller, stranger] = [await aClient(store), await aClient(store)];
      const day = 24 * 60 * MINUTE;
      const midnight = NOON - (NOON % day);
      const { id: busy } = await withRuns(store, caller, id => [
        aRecord(id, midnight - SECOND, { status: 'failed' }),
        aRecord(id, midnight),
        aRecord(id, NOON),
        aRecord(id, midnight + day - SECOND),
      ]);
      const { id: idle } = await withRuns(store, caller, id => [
        aRecord(id, NOON, { status: 'failed' }),
      ]);
      const { id: foreign } = await withRuns(store, stranger, id => [aRecord(id, NOON)]);
      const none = { succeeded: 0, failed: 0, skipped: 0, missed: 0 };
      const range = { from: midnight - day, to: midnight + day, stepMs: day };
      const ids = [idle, foreign, busy, anId()];
      const nothing = { steps: [], spans: [], records: 0 };
      assert.deepEqual(await store.stats.history(caller.clientRowId, ids, range, 9), [
        { ...nothing, steps: [{ ...none, at: midnight, failed: 1 }], records: 1 },
        nothing,
        {
          ...nothing,
          steps: [
            { ...none, at: midnight - day, failed: 1 },
            { ...none, at: midnight, succeeded: 3 },
          ],
          records: 4,
        },
        nothing,
      ]);
      const [, , newest] = await store.stats.history(caller.clientRowId, ids, range, 2);
      assert.deepEqual(newest!.steps, [{ ...none, at: midnight, succeeded: 2 }]);
    });

    test('the missed times of a schedule in order, the newest of too many, and the record that reaches in', async () => {
      const { store } = backend;
      const [caller, stranger] = [await aClient(store), await aClient(store)];
      const unsent = { startedAt: undefined!, finishedAt: undefined!, attempts: [] };
      const missed = { ...unsent, status: 'missed' as const, decidedAt: NOON };
      const reason = 'It passed while Punctual was not running, and catching up is turned off.';
      const span = { count: 5_000, from: NOON - 5_000 * SECOND, to: NOON };
      const { id } = await withRuns(store, caller, id => [
        aRecord(id, span.from, { ...missed, reason, missed: span }),
        aRecord(id, NOON + SECOND, { ...missed, reason }),
        aRecord(id, NOON + 2 * SECOND, { ...unsent, status: 'skipped', decidedAt: NOON }),
        aRecord(id, NOON + 3 * SECOND, { ...missed, reason }),
        aRecord(id, NOON + 4 * SECOND),
      ]);
      await withRuns(store, caller, other => [
        aRecord(other, NOON + 2 * SECOND, { ...missed, reason }),
      ]);
      const found = (from: number, to: number, limit = 9, of = caller) =>
        store.stats.missed(of.clientRowId, id, from, to, limit);
      const single = (at: number) => ({ scheduledFor: NOON + at * SECOND, reason });
      const many = { scheduledFor: span.from, reason, missed: span };
      assert.deepEqual(await found(NOON, NOON + MINUTE), [many, single(1), single(3)]);
      assert.deepEqual(await found(span.from, NOON + 2 * SECOND), [many, single(1)]);
      assert.deepEqual(await found(NOON + 2 * SECOND, NOON + MINUTE), [single(3)]);
      assert.deepEqual(await found(NOON + 2 * SECOND, NOON + MINUTE, 1), [single(3)]);
      assert.deepEqual(await found(NOON, NOON + MINUTE, 9, stranger), []);
    });

    test('a manual run is counted, and has no lateness', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const id = await triggered(store, caller, schedule);
      const claim = await claimManual(store);
      const record = aRecord(schedule.id, NOON, { id, trigger: 'manual' });
      await store.outbox.settle([outboxSettlementOf(claim, 'succeeded', { record })]);
      const [minute] = await store.stats.ended(caller.clientRowId, NOON, NOON + MINUTE);
      assert.deepEqual([minute?.succeeded, minute?.lateness], [1, []]);
    });

    test('times that do not fire are counted when that is decided, by their own minute; one record may stand for many', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const many = { count: 5_000, from: NOON + MINUTE, to: NOON + 9 * MINUTE };
      await withRuns(store, caller, id => [
        { ...pass(id, NOON), status: 'skipped', decidedAt: NOON + 9 * MINUTE },
        { ...pass(id, NOON + SECOND), status: 'missed', decidedAt: NOON + 9 * MINUTE },
        {
          ...pass(id, NOON + MINUTE),
          status: 'missed',
          missed: many,
          decidedAt: NOON + 9 * MINUTE,
        },
        {
          ...pass(id, NOON + 2 * SECOND),
          status: 'missed',
          missed: many,
          decidedAt: NOON + 10 * MINUTE,
        },
      ]);
      const minute = { succeeded: 0, failed: 0, lateness: [] };
      const { clientRowId } = caller;
      assert.deepEqual(await store.stats.ended(clientRowId, NOON, NOON + 10 * MINUTE), [
        {
          ...minute,
          minute: NOON + 9 * MINUTE,
          passed: [
            { minute: NOON, skipped: 1, missed: 1 },
            { minute: NOON + MINUTE, skipped: 0, missed: 5_000 },
          ],
        },
      ]);
      assert.deepEqual(await store.stats.ended(clientRowId, NOON + 10 * MINUTE, NOON * 2), [
        {
          ...minute,
          minute: NOON + 10 * MINUTE,
          passed: [{ minute: NOON, skipped: 0, missed: 5_000 }],
        },
      ]);
    });

    test('one record of what was skipped behind a long run may stand for many', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const endedAt = NOON + 20 * MINUTE;
      const behind = { status: 'skipped' as const, decidedAt: endedAt };
      const many = { count: 1_200, from: NOON, to: endedAt - SECOND };
      await withRuns(store, caller, id => [
        { ...pass(id, NOON), ...behind, missed: many },
        { ...pass(id, NOON + SECOND), ...behind },
        { ...pass(id, NOON + MINUTE), ...behind, missed: many, decidedAt: endedAt + MINUTE },
      ]);
      const [minute] = await store.stats.ended(caller.clientRowId, endedAt, endedAt + MINUTE);
      assert.deepEqual(minute!.passed, [{ minute: NOON, skipped: 1_201, missed: 0 }]);
    });

    test('schedules that fail, most first; deleted ones and older failures left out', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const failing = (id: string, ...times: number[]) =>
        times.map(at => aRecord(id, NOON + at, { status: 'failed' }));
      const few = await withRuns(store, caller, id => failing(id, -MINUTE, 0), { label: 'few' });
      const most = await withRuns(store, caller, id => failing(id, 0, 1, 2), { label: 'most' });
      const gone = await withRuns(store, caller, id => failing(id, 0));
      await changed(store, caller, gone, { status: 'deleted' }, NOON + SECOND, null);
      const { clientRowId } = caller;
      const found = await store.stats.failures(clientRowId, NOON, 10);
      assert.deepEqual(
        found.map(({ latest, ...failure }) => failure),
        [
          {
            scheduleId: most.id,
            label: 'most',
            url: most.url,
            failures: 3,
            lastFailedFor: NOON + 2,
          },
          { scheduleId: few.id, label: 'few', url: few.url, failures: 1, lastFailedFor: NOON },
        ],
      );
      assert.equal((await store.stats.failures(clientRowId, NOON, 1)).length, 1);
    });

    test('a schedule that failed comes with its latest 20 runs that were sent, newest first, and why they failed', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const attempts = [anAttempt(1, { error: 'First.' }), anAttempt(2, { error: 'Last.' })];
      await withRuns(store, caller, id => [
        ...Array.from({ length: 20 }, (_, at) => aRecord(id, NOON - at)),
        aRecord(id, NOON + 1, { status: 'failed', attempts }),
        { ...pass(id, NOON + 2), status: 'skipped' },
        aRecord(id, NOON + 3),
      ]);
      await withRuns(store, caller, id => [aRecord(id, NOON, { status: 'failed', attempts: [] })]);
      const [first, second] = await store.stats.failures(caller.clientRowId, NOON, 10);
      assert.deepEqual(first!.latest, [
        { status: 'succeeded' },
        { status: 'failed', error: 'Last.' },
        ...Array(18).fill({ status: 'succeeded' }),
      ]);
      assert.deepEqual(second!.latest, [{ status: 'failed' }]);
    });

    test('what is due next, earliest first, retries among them, of this client only', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      await stored(store, theirs, {}, { first: NOON + 1, second: null });
      const later = await stored(store, mine, {}, { first: NOON + 9, second: null });
      const again = await stored(store, mine);
      const claim = await claimOne(store);
      assert.equal((await store.stats.upcoming(mine.clientRowId, NOON, 5)).length, 1, 'in flight');
      await settled(store, claim, retrying(claim, NOON + 5));
      const found = await store.stats.upcoming(mine.clientRowId, NOON, 5);
      assert.deepEqual(
        found.map(({ scheduleId, dueAt, scheduledFor, isRetry }) => [
          scheduleId,
          dueAt,
          scheduledFor,
          isRetry,
        ]),
        [
          [again.id, NOON + 5, NOON, true],
          [later.id, NOON + 9, NOON + 9, false],
        ],
      );
      assert.deepEqual(await store.stats.upcoming(mine.clientRowId, NOON, 1), found.slice(0, 1));
    });

    test('what is claimed ahead is due next until its time, a retry as one, and not what was changed', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const at = (first: number) => ({ first, second: first + MINUTE });
      const soon = await stored(store, mine, {}, at(NOON + 500));
      const other = await stored(store, mine, {}, at(NOON + 600));
      await stored(store, theirs, {}, at(NOON + 100));
      const later = await stored(store, mine, {}, at(NOON + MINUTE));
      const next = async (now: number, limit = 5) =>
        (await store.stats.upcoming(mine.clientRowId, now, limit)).map(
          ({ scheduleId, dueAt, isRetry }) => [scheduleId, dueAt - NOON, isRetry],
        );
      const before = await next(NOON);
      assert.deepEqual(before, [
        [soon.id, 500, false],
        [other.id, 600, false],
        [later.id, MINUTE, false],
      ]);
      const { claims } = await store.queue.claim(NOON, 10, SEEN, SECOND);
      assert.equal(claims.length, 3);
      assert.deepEqual(await next(NOON), before);
      assert.deepEqual(await next(NOON, 1), before.slice(0, 1));
      assert.deepEqual(await next(NOON + 499), before);
      assert.deepEqual(await next(NOON + 500), before.slice(1));
      const claim = claims.find(({ schedule: claimed }) => claimed.id === soon.id)!;
      await settled(store, claim, retrying(claim, NOON + 900));
      await store.queue.claim(NOON + 550, 10, SEEN, SECOND);
      assert.deepEqual(await next(NOON + 700), [
        [soon.id, 900, true],
        [later.id, MINUTE, false],
      ]);
      await changed(store, mine, soon, { interval: '1 * * * *' }, NOON + 700, null);
      assert.deepEqual(await next(NOON + 700), [[later.id, MINUTE, false]]);
    });

    test('runs come in the order in which they ended, those that were not sent by when that was decided', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await withRuns(store, caller, id => [
        aRecord(id, NOON, { finishedAt: NOON + 30 }),
        aRecord(id, NOON + 1, { finishedAt: NOON + 20, status: 'failed' }),
        aRecord(id, NOON + 2, { finishedAt: NOON + 10 }),
        { ...pass(id, NOON + 3), status: 'skipped', decidedAt: NOON + 40 },
        { ...pass(id, NOON - MINUTE), status: 'missed', decidedAt: NOON + 25 },
        { ...pass(id, NOON - 1), status: 'missed' },
      ]);
      const since = (after: number, limit = 9) =>
        store.stats.endedSince(caller.clientRowId, after, limit);
      assert.deepEqual(
        (await since(NOON + 20)).map(run => [run.scheduleId, run.scheduledFor, run.status]),
        [
          [schedule.id, NOON + 1, 'failed'],
          [schedule.id, NOON - MINUTE, 'missed'],
          [schedule.id, NOON, 'succeeded'],
          [schedule.id, NOON + 3, 'skipped'],
        ],
      );
      assert.deepEqual(
        (await since(NOON, 1)).map(run => run.scheduledFor),
        [NOON + 2],
      );
      const skipped = (await since(NOON + 40))[0]!;
      assert.deepEqual([skipped.endedAt, 'finishedAt' in skipped], [NOON + 40, false]);
      const [minute] = await store.stats.ended(caller.clientRowId, NOON, NOON + MINUTE);
      assert.deepEqual([minute!.succeeded, minute!.failed], [2, 1]);
    });

    test('schedules come in the order in which they were made or changed', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const [a, , c] = [
        await stored(store, caller, { label: 'a' }),
        await stored(store, caller, { label: 'b', createdAt: NOON + 2 }),
        await stored(store, caller, { label: 'c', createdAt: NOON - MINUTE }),
      ];
      await changed(store, caller, a!, { label: 'a2' }, NOON + 5, null);
      await changed(store, caller, c!, { status: 'deleted' }, NOON + 3, null);
      const since = async (after: number, limit = 9) =>
        (await store.stats.changedSince(caller.clientRowId, after, limit)).map(
          ({ label }) => label,
        );
      assert.deepEqual((await since(NOON + 1)).slice(-2), ['c', 'a2']);
      assert.deepEqual(await since(NOON + 4), ['a2']);
      assert.equal((await since(0, 1)).length, 1);
    });
  });
}

function pass(scheduleId: string, scheduledFor: number): RunRecord {
  const { startedAt: _, finishedAt: __, ...record } = aRecord(scheduleId, scheduledFor);
  return { ...record, attempts: [], reason: 'Why.' };
}
