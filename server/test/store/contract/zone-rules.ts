import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredZoneRules } from '../../../src/store/contract/zone-rules.ts';
import {
  aClient,
  backendOfEachTest,
  changed,
  NOON,
  type OpenBackend,
  stored,
} from '../../support/store/backend.ts';

const HOUR = 3_600_000;

export function zoneRulesContract(name: string, open: OpenBackend): void {
  describe(`${name}: rules of time zones`, () => {
    const backend = backendOfEachTest(open);
    const berlin: StoredZoneRules = {
      zone: 'Europe/Berlin',
      release: '2026a',
      changes: [
        [NOON, 2 * HOUR],
        [NOON + 1, HOUR],
      ],
    };

    test('rules are kept, and put again they are replaced', async () => {
      const { zoneRules } = backend.store;
      assert.deepEqual(await zoneRules.list(), []);
      const moscow: StoredZoneRules = { ...berlin, zone: 'Europe/Moscow', changes: [] };
      await zoneRules.put([moscow, berlin]);
      await zoneRules.put([]);
      assert.deepEqual(await zoneRules.list(), [berlin, moscow]);
      const { release, changes } = berlin;
      const previous = { release, changes, changedAt: NOON };
      const anew = { ...berlin, release: '2026b', changes: [], previous };
      await zoneRules.put([anew]);
      assert.deepEqual(await (await backend.reopen()).zoneRules.list(), [anew, moscow]);
    });

    test('rules that have no release before them any more lose it', async () => {
      const { zoneRules } = backend.store;
      const previous = { release: '2025c', changes: [], changedAt: NOON };
      await zoneRules.put([{ ...berlin, previous }]);
      await zoneRules.put([berlin]);
      assert.deepEqual(await zoneRules.list(), [berlin]);
    });

    test('zones in use are those of schedules that are not deleted', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      await stored(store, caller, { timezone: 'UTC' });
      await stored(store, caller, { timezone: 'America/Lima', status: 'disabled' }, null);
      await stored(store, await aClient(store), { timezone: 'America/Lima' });
      const gone = await stored(store, caller, { timezone: 'Asia/Tokyo' });
      await changed(store, caller, gone, { status: 'deleted' }, NOON, null);
      assert.deepEqual(await store.zoneRules.zonesInUse(), ['America/Lima', 'UTC']);
    });

    test('the enabled schedules of a zone come page by page, whosever they are', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const timezone = 'Europe/Berlin';
      const schedules = [
        await stored(store, mine, { timezone }),
        await stored(store, theirs, { timezone }),
        await stored(store, mine, { timezone }),
      ];
      await stored(store, mine, { timezone, status: 'disabled' }, null);
      await stored(store, mine, { timezone: 'UTC' });
      const { zoneRules } = store;
      const first = await zoneRules.enabledIn(timezone, 0, 2);
      const second = await zoneRules.enabledIn(timezone, first[1]!.scheduleRowId, 2);
      assert.deepEqual(
        [...first, ...second].map(({ clientRowId, id }) => [clientRowId, id]),
        [
          [mine.clientRowId, schedules[0]!.id],
          [theirs.clientRowId, schedules[1]!.id],
          [mine.clientRowId, schedules[2]!.id],
        ],
      );
      assert.deepEqual(await zoneRules.enabledIn(timezone, second[0]!.scheduleRowId, 2), []);
    });

    test('those that count their runs are told', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      await stored(store, caller, { timing: { maxRuns: 3, countFrom: NOON, lastAt: NOON } });
      await stored(store, caller, { timing: { endsAt: NOON } });
      await stored(store, caller);
      const found = await store.zoneRules.enabledIn('UTC', 0, 9);
      assert.deepEqual(
        found.map(({ isCounted }) => isCounted),
        [true, false, false],
      );
    });

    test("a client's enabled schedules of a zone are counted, and the newest told", async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const timezone = 'Europe/Berlin';
      await stored(store, mine, { timezone });
      const timing = { windowSeconds: 60, offsetMs: 1_000 };
      const second = await stored(store, mine, { timezone, timing });
      const third = await stored(store, mine, { timezone });
      await stored(store, theirs, { timezone });
      await stored(store, mine, { timezone, status: 'disabled' }, null);
      await stored(store, mine);
      const { zoneRules } = store;
      assert.deepEqual(await zoneRules.enabledOf(mine.clientRowId, timezone, 2), {
        count: 3,
        schedules: [third, second],
      });
      const none = { count: 0, schedules: [] };
      assert.deepEqual(await zoneRules.enabledOf(mine.clientRowId, 'Asia/Tokyo', 2), none);
    });
  });
}
