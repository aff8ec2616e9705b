import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId, runId } from '../../../src/domain/id.ts';
import type { RunRecord } from '../../../src/domain/run/run.ts';
import {
  aClient,
  aRecord,
  backendOfEachTest,
  changed,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  settled,
  stored,
} from '../../support/store/backend.ts';

/** A record of each letter, a minute after the other: failed, succeeded, skipped, missed; `m` is a manual run that failed. */
function history(scheduleId: string, letters: string): RunRecord[] {
  const STATUSES = { f: 'failed', s: 'succeeded', k: 'skipped', x: 'missed' } as const;
  return [...letters].map((letter, index) => {
    const at = NOON + index * MINUTE;
    const status = STATUSES[letter.toLowerCase() as keyof typeof STATUSES] ?? 'failed';
    // A capital is a run that the target asked for.
    const trigger = letter === 'm' ? 'manual' : letter === letter.toLowerCase() ? null : 'target';
    if (trigger === null) return aRecord(scheduleId, at, { status });
    return aRecord(scheduleId, at, { status, trigger, id: runId(newId(at), at) });
  });
}

export function failuresContract(name: string, open: OpenBackend): void {
  describe(`${name}: failures in a row`, () => {
    const backend = backendOfEachTest(open);
    const written = async (letters: string) => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const claim = await claimOne(store);
      await settled(store, claim, null, { records: history(schedule.id, letters) });
      const { clientRowId, scheduleRowId } = claim;
      const count = async (from = 0, most = 1_000) =>
        (await store.runs.failuresInRow([{ clientRowId, scheduleRowId, from, most }]))[0]!;
      return { store, caller, schedule, count, scheduleRowId };
    };

    for (const [letters, count] of [
      ['', 0],
      ['s', 0],
      ['f', 1],
      ['fsff', 2],
      ['ffs', 0],
      ['sfkfxf', 3],
      ['sfmfm', 2],
      ['sfmkx', 1],
      ['sFfF', 3],
      ['ffSf', 1],
    ] as const) {
      test(`of ${letters || 'none'} there are ${count}`, async () => {
        assert.equal(await (await written(letters)).count(), count);
      });
    }

    test('no more than are asked for, and none before an instant', async () => {
      const { count } = await written('ffff');
      assert.equal(await count(0, 2), 2);
      assert.equal(await count(NOON + 2 * MINUTE), 2);
      assert.equal(await count(NOON + 2 * MINUTE + 1), 1);
    });

    test('those before it was enabled again do not count', async () => {
      const { store, caller, schedule, count } = await written('ffff');
      await changed(store, caller, schedule, { status: 'disabled' }, NOON + MINUTE, null);
      assert.equal(await count(), 4);
      await changed(store, caller, schedule, { status: 'enabled' }, NOON + 2 * MINUTE, null);
      assert.equal(await count(), 2);
      await changed(store, caller, schedule, { interval: '1 * * * *' }, NOON + 9 * MINUTE, null);
      assert.equal(await count(), 2, 'another change of times');
    });

    test('several schedules are told in their order, each its own', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const keys: number[] = [];
      for (const letters of ['ff', 's', 'f']) {
        const schedule = await stored(store, caller);
        const claim = await claimOne(store);
        await settled(store, claim, null, { records: history(schedule.id, letters) });
        keys.push(claim.scheduleRowId);
      }
      const { clientRowId } = caller;
      const asked = [...keys, 999].map(scheduleRowId => ({
        clientRowId,
        scheduleRowId,
        from: 0,
        most: 9,
      }));
      assert.deepEqual(await store.runs.failuresInRow(asked.toReversed()), [0, 1, 0, 2]);
    });
  });
}
