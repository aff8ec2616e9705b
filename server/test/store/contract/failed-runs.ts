import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunRecord } from '../../../src/domain/run/run.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  aRecord,
  backendOfEachTest,
  changed,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  SECOND,
  settled,
  stored,
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

function failedRecord(id: string, at: number, error: string): RunRecord {
  const [attempt] = aRecord(id, at).attempts;
  return aRecord(id, at, {
    status: 'failed',
    attempts: [{ ...attempt!, outcome: 'connectionError', error }],
  });
}

const unsent = { startedAt: undefined!, finishedAt: undefined!, attempts: [] };

export function failedRunsContract(name: string, open: OpenBackend): void {
  describe(`${name}: failed runs`, () => {
    const backend = backendOfEachTest(open);

    test('runs that failed and times that were missed are told with their causes, strangers left out', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const refused = 'The connection to Target.Example:8443 was refused.';
      const gone = { count: 5_000, from: NOON + 3, to: NOON + 9 * SECOND };
      const { id } = await withRuns(
        store,
        mine,
        id => [
          failedRecord(id, NOON, refused),
          failedRecord(id, NOON + 1, 'The name of x could not be resolved (E).'),
          aRecord(id, NOON + 2),
          aRecord(id, NOON + 3, {
            ...unsent,
            status: 'missed',
            reason: 'It passed while Punctual was not running.',
            missed: gone,
            decidedAt: NOON + MINUTE,
          }),
          aRecord(id, NOON + 4, { ...unsent, status: 'skipped', decidedAt: NOON }),
          failedRecord(id, NOON + MINUTE, refused),
        ],
        { url: 'https://Target.Example:8443/x' },
      );
      await withRuns(store, theirs, other => [failedRecord(other, NOON, refused)]);
      const found = await store.stats.failed(mine.clientRowId, NOON, NOON + MINUTE, 9);
      const host = 'target.example:8443';
      assert.deepEqual(
        found.map(({ runId: _, ...same }) => same).sort((a, b) => a.scheduledFor - b.scheduledFor),
        [
          { scheduleId: id, scheduledFor: NOON, count: 1, cause: 'connectionRefused', host },
          { scheduleId: id, scheduledFor: NOON + 1, count: 1, cause: 'dns', host },
          { scheduleId: id, scheduledFor: NOON + 3, count: 5_000, cause: 'notRunning', host: '' },
        ],
      );
      for (const { runId } of found) {
        assert.equal((await store.runs.find(mine.clientRowId, runId))?.scheduleId, id);
      }
    });

    test('of many the newest of each kind are told', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      await withRuns(store, caller, id => [
        failedRecord(id, NOON, 'x'),
        failedRecord(id, NOON + 1, 'x'),
        failedRecord(id, NOON + 2, 'x'),
        aRecord(id, NOON + 3, { ...unsent, status: 'missed', decidedAt: NOON }),
      ]);
      const found = await store.stats.failed(caller.clientRowId, NOON, NOON + MINUTE, 2);
      assert.deepEqual(found.map(({ scheduledFor }) => scheduledFor - NOON).sort(), [1, 2, 3]);
    });

    test('a schedule recovers with its next run that succeeds; each question has its answer', async () => {
      const { store } = backend;
      const [caller, stranger] = [await aClient(store), await aClient(store)];
      const well = await withRuns(store, caller, id => [
        failedRecord(id, NOON, 'x'),
        failedRecord(id, NOON + 1, 'x'),
        aRecord(id, NOON + 2),
        aRecord(id, NOON + 3),
      ]);
      const broken = await withRuns(store, caller, id => [
        aRecord(id, NOON - 1),
        failedRecord(id, NOON, 'x'),
      ]);
      const off = await withRuns(store, caller, id => [failedRecord(id, NOON, 'x')]);
      await changed(store, caller, off, { status: 'disabled' }, NOON + MINUTE, null);
      const asked = [
        { scheduleId: broken.id, lastFor: NOON },
        { scheduleId: well.id, lastFor: NOON },
        { scheduleId: well.id, lastFor: NOON + 2 },
        { scheduleId: well.id, lastFor: NOON + 3 },
        { scheduleId: off.id, lastFor: NOON },
      ];
      assert.deepEqual(await store.stats.recovered(caller.clientRowId, asked), [
        { succeededFor: null, isEnabled: true },
        { succeededFor: NOON + 2, isEnabled: true },
        { succeededFor: NOON + 3, isEnabled: true },
        { succeededFor: null, isEnabled: true },
        { succeededFor: null, isEnabled: false },
      ]);
      assert.deepEqual(await store.stats.recovered(stranger.clientRowId, asked.slice(1, 2)), [
        { succeededFor: null, isEnabled: false },
      ]);
      assert.deepEqual(await store.stats.recovered(caller.clientRowId, []), []);
    });

    test('schedules are named, deleted ones too, strangers left out', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const one = await stored(store, mine, { label: 'One', url: 'https://one.example/' });
      const gone = await stored(store, mine, { label: 'Gone', status: 'deleted' }, null);
      const other = await stored(store, theirs, { label: 'Theirs' });
      const found = await store.schedules.names(mine.clientRowId, [
        one.id,
        gone.id,
        gone.id,
        other.id,
      ]);
      assert.deepEqual(
        new Map(found.map(each => [each.id, each])),
        new Map([
          [one.id, { id: one.id, label: 'One', url: 'https://one.example/' }],
          [gone.id, { id: gone.id, label: 'Gone', url: gone.url }],
        ]),
      );
    });
  });
}
