import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { ScheduleFilter } from '../../../src/store/contract/schedules.ts';
import {
  aClient,
  backendOfEachTest,
  type OpenBackend,
  stored,
} from '../../support/store/backend.ts';

export function scheduleListContract(name: string, open: OpenBackend): void {
  describe(`${name}: schedules, listed`, () => {
    const backend = backendOfEachTest(open);
    const listed = async (caller: Caller, filter: ScheduleFilter, limit = 100, before?: string) =>
      (await backend.store.schedules.list(caller.clientRowId, filter, limit, before)).schedules.map(
        ({ label }) => label,
      );
    const filled = async (...fields: Partial<Schedule>[]) => {
      const caller = await aClient(backend.store);
      for (const [index, one] of fields.entries()) {
        await stored(backend.store, caller, { label: `${index}`, ...one }, null);
      }
      return caller;
    };

    test('newest first, up to the limit, below the id that ended the page before', async () => {
      const caller = await filled({}, {}, {}, {}, {});
      const { schedules } = backend.store;
      const pages: string[][] = [];
      let before: string | undefined;
      while (pages.length < 9) {
        const { schedules: page } = await schedules.list(caller.clientRowId, {}, 2, before);
        if (page.length === 0) break;
        pages.push(page.map(({ label }) => label));
        before = page.at(-1)!.id;
      }
      assert.deepEqual(pages, [['4', '3'], ['2', '1'], ['0']]);
    });

    test("another client's schedules are never listed", async () => {
      const mine = await filled({});
      await filled({ label: 'theirs' });
      assert.deepEqual(await listed(mine, {}), ['0']);
      assert.deepEqual(await listed(mine, { label: 'theirs' }), []);
    });

    test('deleted ones are left out unless they are asked for', async () => {
      const caller = await filled({}, { status: 'disabled' }, { status: 'deleted' });
      assert.deepEqual(await listed(caller, {}), ['1', '0']);
      assert.deepEqual(await listed(caller, { status: 'enabled' }), ['0']);
      assert.deepEqual(await listed(caller, { status: 'disabled' }), ['1']);
      assert.deepEqual(await listed(caller, { status: 'deleted' }), ['2']);
    });

    const contained: [string, string, string][] = [
      ['ASCII', 'Nightly Backup', 'y bAc'],
      ['umlauts', 'ÜBERSICHT', 'über'],
      ['umlauts the other way', 'größe', 'GRÖ'],
      ['Cyrillic', 'Отчёт', 'ОТЧЁ'],
      ['Greek, where the end of a word has a sigma of its own', 'ΟΔΟΣΑ', 'οδος'],
      ['sharp s and its capital', 'STRAẞE', 'straße'],
      ['astral letters', '𐐀𐐁', '𐐨𐐩'],
      ['no letters at all', '日本語 🦊', '語 🦊'],
    ];
    for (const [what, label, part] of contained) {
      test(`a label contains a text in any case: ${what}`, async () => {
        const caller = await filled({ label }, { label: 'another' });
        assert.deepEqual(await listed(caller, { label: part }), [label]);
        assert.deepEqual(await listed(caller, { label }), [label]);
      });
    }

    test('nothing in the text is a pattern', async () => {
      const labels = ['100%', '1000', 'a_b', 'axb', 'c\\d', 'c\\\\d', "o'x", '*', '['];
      const caller = await filled(...labels.map(label => ({ label })));
      assert.deepEqual(await listed(caller, { label: '0%' }), ['100%']);
      assert.deepEqual(await listed(caller, { label: '_' }), ['a_b']);
      assert.deepEqual(await listed(caller, { label: 'c\\d' }), ['c\\d']);
      assert.deepEqual(await listed(caller, { label: "'" }), ["o'x"]);
      assert.deepEqual(await listed(caller, { label: '*' }), ['*']);
      assert.deepEqual(await listed(caller, { label: '[' }), ['[']);
    });

    test('a url contains a text in any case, and all filters must match', async () => {
      const url = 'https://Target.example/Path?x=%20y';
      const caller = await filled({ url }, { url, status: 'disabled' }, { label: 'path' });
      assert.deepEqual(await listed(caller, { url: 'EXAMPLE/path' }), ['1', '0']);
      assert.deepEqual(await listed(caller, { url: '%20Y' }), ['1', '0']);
      assert.deepEqual(await listed(caller, { url: 'path', status: 'disabled' }), ['1']);
      assert.deepEqual(await listed(caller, { url: 'path', label: '0' }), ['0']);
    });
  });
}
