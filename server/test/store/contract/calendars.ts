import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CalendarSource } from '../../../src/domain/calendar/exclusion/calendar-source.ts';
import { type CalendarVersion, MOST_CALENDARS } from '../../../src/store/contract/calendars.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Requeue } from '../../../src/store/contract/schedules.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anId,
  backendOfEachTest,
  changed,
  MINUTE,
  NOON,
  type OpenBackend,
  stored,
} from '../../support/store/backend.ts';

const DAY = 86_400_000;
const DUE = NOON + DAY;
const URL_SOURCE = { kind: 'url', url: 'https://a.example/x.ics', ics: 'BEGIN' } as const;

const aVersion = (
  name = 'de',
  fields: Partial<CalendarVersion & { source: CalendarSource }> = {},
): CalendarVersion & { source: CalendarSource } => ({
  version: anId(),
  name,
  periods: [{ from: NOON, to: NOON + DAY, isLocal: true, summary: 'Feiertag – „frei“' }],
  source: { kind: 'periods', periods: [{ from: '2026-06-01', to: '2026-06-02' }] },
  ...fields,
});

export function calendarsContract(name: string, open: OpenBackend): void {
  describe(`${name}: calendars`, () => {
    const backend = backendOfEachTest(open);

    /** A schedule that names these calendars. */
    const naming = (store: Store, caller: Caller, ...exclude: string[]) =>
      stored(store, caller, { timing: { exclude, calendars: exclude } });
    /** All counts are done. */
    const settleCounts = async ({ calendars }: Store) => {
      for (;;) {
        const recount = await calendars.nextRecount();
        if (recount === null) return;
        await calendars.recounted(recount, null);
      }
    };

    test('one that is put is found, by its own client', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const { calendars } = store;
      const made = aVersion('de', { source: URL_SOURCE });
      const { version } = made;
      const expected = {
        ...{ name: 'de', kind: 'url', url: URL_SOURCE.url, version, createdAt: NOON },
      };
      assert.deepEqual(await calendars.put(mine.clientRowId, made, NOON, DUE), expected);
      assert.deepEqual(await calendars.find(mine.clientRowId, 'de'), expected);
      assert.equal(await calendars.find(mine.clientRowId, 'fr'), null);
      assert.equal(await calendars.find(theirs.clientRowId, 'de'), null);
      const { clientRowId } = mine;
      const sourced = { ...expected, clientRowId, source: URL_SOURCE };
      assert.deepEqual(await calendars.findSourced(clientRowId, 'de'), sourced);
      assert.equal(await calendars.findSourced(theirs.clientRowId, 'de'), null);
      const { periods } = made;
      const reopened = (await backend.reopen()).calendars;
      assert.deepEqual(await reopened.versions([version]), [{ version, name: 'de', periods }]);
      assert.deepEqual(await reopened.find(mine.clientRowId, 'de'), expected);
    });

    test('one that is put again is replaced, and both versions are there', async () => {
      const { calendars } = backend.store;
      const { clientRowId } = await aClient(backend.store);
      const [was, made] = [aVersion('de', { source: URL_SOURCE }), aVersion('de')];
      await calendars.put(clientRowId, was, NOON, DUE);
      await calendars.refreshed(clientRowId, 'de', was.version, { fault: 'x' }, NOON + 1, DUE);
      const { version } = made;
      assert.deepEqual(await calendars.put(clientRowId, made, NOON + MINUTE, DUE), {
        ...{ name: 'de', kind: 'periods', version, createdAt: NOON, updatedAt: NOON + MINUTE },
      });
      const versions = await calendars.versions([was.version, anId(), made.version]);
      assert.deepEqual(
        new Set(versions.map(each => each.version)),
        new Set([was.version, made.version]),
      );
    });

    test('they are listed by name, page by page', async () => {
      const { calendars } = backend.store;
      const { clientRowId } = await aClient(backend.store);
      for (const each of ['fr', 'de-by', 'a1', 'de']) {
        await calendars.put(clientRowId, aVersion(each), NOON, DUE);
      }
      const namesOf = async (...page: [number, string?]) =>
        (await calendars.list(clientRowId, ...page)).map(each => each.name);
      assert.deepEqual(await namesOf(3), ['a1', 'de', 'de-by']);
      assert.deepEqual(await namesOf(3, 'de-by'), ['fr']);
      assert.deepEqual(await namesOf(3, 'de-a'), ['de-by', 'fr']);
    });

    test(`a client has ${MOST_CALENDARS} at most, and may replace each of them`, async () => {
      const { calendars } = backend.store;
      const [{ clientRowId }, other] = [await aClient(backend.store), await aClient(backend.store)];
      for (let made = 0; made < MOST_CALENDARS; made += 50) {
        const batch = Array.from({ length: 50 }, (_, index) => aVersion(`c${made + index}`));
        await Promise.all(batch.map(each => calendars.put(clientRowId, each, NOON, DUE)));
      }
      const oneMore = () => calendars.put(clientRowId, aVersion('more'), NOON, DUE);
      await assert.rejects(oneMore, { code: 'quota_exceeded' });
      await calendars.put(clientRowId, aVersion('c7'), NOON, DUE);
      await calendars.put(other.clientRowId, aVersion('more'), NOON, DUE);
      assert.equal(await calendars.delete(clientRowId, 'c7', NOON), 'deleted');
      await oneMore();
    });

    test('the present versions of those that are there', async () => {
      const { calendars } = backend.store;
      const { clientRowId } = await aClient(backend.store);
      const [de, fr] = [aVersion('de'), aVersion('fr')];
      await calendars.put(clientRowId, aVersion('de'), NOON, DUE);
      await calendars.put(clientRowId, de, NOON, DUE);
      await calendars.put(clientRowId, fr, NOON, DUE);
      const present = await calendars.present(clientRowId, ['fr', 'it', 'de']);
      assert.deepEqual(Object.fromEntries(present), { de: de.version, fr: fr.version });
    });

    test('schedules that are not deleted use one, and it is not deleted meanwhile', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const { calendars } = store;
      for (const { clientRowId } of [mine, theirs]) {
        await calendars.put(clientRowId, aVersion('de'), NOON, DUE);
      }
      const [first, second] = [
        await naming(store, mine, 'de', 'fr'),
        await naming(store, mine, 'de'),
      ];
      const usedBy = async (caller: Caller) =>
        Object.fromEntries(await calendars.usedBy(caller.clientRowId, ['de', 'fr', 'it']));
      assert.deepEqual(await usedBy(mine), { de: 2, fr: 1, it: 0 });
      assert.deepEqual(await usedBy(theirs), { de: 0, fr: 0, it: 0 });
      assert.equal(await calendars.delete(mine.clientRowId, 'de', NOON), 'inUse');
      assert.equal(await calendars.delete(theirs.clientRowId, 'de', NOON), 'deleted');
      assert.equal(await calendars.delete(theirs.clientRowId, 'de', NOON), 'unknown');
      await changed(store, mine, first, { status: 'deleted' }, NOON, null);
      assert.deepEqual(await usedBy(mine), { de: 1, fr: 0, it: 0 });
      await changed(store, mine, second, { timing: { endsAt: NOON } }, NOON, null);
      assert.equal(await calendars.delete(mine.clientRowId, 'de', NOON), 'deleted');
      assert.equal(await calendars.find(mine.clientRowId, 'de'), null);
    });

    test('those that are due are taken once, earliest first, and again where nobody ends it', async () => {
      const { calendars } = backend.store;
      const { clientRowId } = await aClient(backend.store);
      assert.equal(await calendars.nextDueAt(), null);
      const made = aVersion('late', { source: URL_SOURCE });
      const stored = await calendars.put(clientRowId, made, NOON, NOON + 2 * MINUTE);
      await calendars.put(clientRowId, aVersion('soon'), NOON, NOON + MINUTE);
      await calendars.put(clientRowId, aVersion('then'), NOON, NOON + 9 * MINUTE);
      assert.equal(await calendars.nextDueAt(), NOON + MINUTE);
      const take = async (now: number, limit = 10) =>
        (await calendars.takeDue(now, limit, now + 5 * MINUTE)).map(each => each.name);
      assert.deepEqual(await take(NOON), []);
      assert.deepEqual(await take(NOON + 2 * MINUTE, 1), ['soon']);
      const [taken] = await calendars.takeDue(NOON + 2 * MINUTE, 10, NOON + 7 * MINUTE);
      assert.deepEqual(taken, { ...stored, clientRowId, source: URL_SOURCE });
      assert.deepEqual(await take(NOON + 2 * MINUTE), []);
      assert.equal(await calendars.nextDueAt(), NOON + 7 * MINUTE);
      assert.deepEqual((await take(NOON + 9 * MINUTE)).sort(), ['late', 'soon', 'then']);
    });

    test('those who take at the same moment share what is due', async () => {
      const { calendars } = backend.store;
      const { clientRowId } = await aClient(backend.store);
      for (let at = 0; at < 30; at += 1) {
        await calendars.put(clientRowId, aVersion(`c${at}`), NOON, NOON);
      }
      const taken: string[] = [];
      for (let tries = 0; tries < 10; tries += 1) {
        const both = [1, 2, 3].map(() => calendars.takeDue(NOON, 10, DUE));
        taken.push(...(await Promise.all(both)).flat().map(each => each.name));
      }
      assert.deepEqual([taken.length, new Set(taken).size], [30, 30]);
    });

    test('a read that finds something new makes a version, one that does not makes none', async () => {
      const { calendars } = backend.store;
      const { clientRowId } = await aClient(backend.store);
      const [was, made] = [aVersion('de', { source: URL_SOURCE }), aVersion('de')];
      made.source = { ...URL_SOURCE, ics: 'BEGIN anew' };
      await calendars.put(clientRowId, was, NOON, DUE);
      await settleCounts(backend.store);
      const end = (result: Parameters<typeof calendars.refreshed>[3], at: number) =>
        calendars.refreshed(clientRowId, 'de', was.version, result, at, at + DAY);
      const shown = async () => {
        const { version, updatedAt, staleSince, fault } = (await calendars.find(
          clientRowId,
          'de',
        ))!;
        return { version, updatedAt, staleSince, fault };
      };
      const well = { updatedAt: undefined, staleSince: undefined, fault: undefined };
      assert.equal(await end({ unchanged: true }, NOON + 1), true);
      assert.deepEqual(await shown(), { version: was.version, ...well });
      assert.equal(await calendars.nextDueAt(), NOON + 1 + DAY);
      assert.equal(await calendars.nextRecount(), null);

      assert.equal(await calendars.stale(), 0);
      assert.equal(await end({ fault: 'It hangs.' }, NOON + 2), true);
      assert.equal(await end({ fault: 'It is gone.' }, NOON + 3), true);
      const stale = { version: was.version, ...well, staleSince: NOON + 2, fault: 'It is gone.' };
      assert.deepEqual(await shown(), stale);
      assert.equal(await calendars.stale(), 1);
      assert.equal(await calendars.nextDueAt(), NOON + 3 + DAY);

      assert.equal(await end({ version: made }, NOON + 4), true);
      assert.deepEqual(await shown(), { version: made.version, ...well, updatedAt: NOON + 4 });
      assert.equal((await calendars.nextRecount())?.version, made.version);
      const [due] = await calendars.takeDue(NOON + 4 + DAY, 1, DUE);
      assert.deepEqual(due!.source, made.source);
      assert.equal(await calendars.stale(), 0);
    });

    test('a read whose calendar was replaced or deleted meanwhile writes nothing', async () => {
      const { calendars } = backend.store;
      const { clientRowId } = await aClient(backend.store);
      const [was, present] = [aVersion('de'), aVersion('de')];
      await calendars.put(clientRowId, was, NOON, DUE);
      await calendars.put(clientRowId, present, NOON, DUE);
      const late = aVersion('de');
      const results = [{ version: late }, { unchanged: true }, { fault: 'x' }] as const;
      for (const result of results) {
        const end = () => calendars.refreshed(clientRowId, 'de', was.version, result, NOON, NOON);
        assert.equal(await end(), false);
      }
      assert.equal((await calendars.find(clientRowId, 'de'))?.version, present.version);
      assert.deepEqual(await calendars.versions([late.version]), []);
      assert.equal(await calendars.nextDueAt(), DUE);
    });

    test('its schedules are named newest first, deleted ones and those of others left out', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const made = [];
      for (let count = 0; count < 3; count += 1) made.push(await naming(store, mine, 'de'));
      const gone = await naming(store, mine, 'de');
      await changed(store, mine, gone, { status: 'deleted' }, NOON, null);
      await naming(store, mine, 'fr');
      await naming(store, theirs, 'de');
      const { calendars } = store;
      const named = (before: number, limit: number) =>
        calendars.namedBy(mine.clientRowId, 'de', before, limit);
      const first = await named(Number.MAX_SAFE_INTEGER, 2);
      const second = await named(first[1]!.scheduleRowId, 2);
      assert.deepEqual(
        [...first, ...second].map(({ id }) => id),
        made.map(({ id }) => id).reverse(),
      );
      assert.deepEqual(await named(second[0]!.scheduleRowId, 2), []);
    });

    test('a count goes on where it was, and ends', async () => {
      const { calendars } = backend.store;
      const { clientRowId } = await aClient(backend.store);
      assert.equal(await calendars.nextRecount(), null);
      const { version } = await calendars.put(clientRowId, aVersion('de'), NOON, DUE);
      const begun = (await calendars.nextRecount())!;
      assert.ok(begun.before > 2 ** 50);
      assert.deepEqual(begun, { clientRowId, name: 'de', version, before: begun.before });
      await calendars.recounted(begun, 500);
      const further = (await (await backend.reopen()).calendars.nextRecount())!;
      assert.deepEqual(further, { ...begun, before: 500 });
      await backend.store.calendars.recounted(further, null);
      assert.equal(await backend.store.calendars.nextRecount(), null);
    });

    test('is asked for by a schedule that is written with a version that was replaced meanwhile', async () => {
      const { store } = backend;
      const { calendars } = store;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const [was, made] = [aVersion('de'), aVersion('de')];
      const other = aVersion('fr');
      for (const each of [was, made, other]) await calendars.put(mine.clientRowId, each, NOON, DUE);
      await calendars.put(theirs.clientRowId, aVersion('de'), NOON, DUE);
      await settleCounts(store);
      const timing = (version: string) => {
        return { timing: { exclude: ['de', 'fr'], calendars: [version, other.version] } };
      };
      const asked = async () => {
        const { clientRowId, name } = (await calendars.nextRecount()) ?? {};
        await settleCounts(store);
        return name === undefined ? null : [clientRowId, name];
      };
      const schedule = await stored(store, mine, timing(was.version));
      assert.deepEqual(await asked(), [mine.clientRowId, 'de']);
      await stored(store, mine, timing(made.version));
      assert.equal(await asked(), null);
      const changeTo = async (calendar: string, requeue: Requeue) => {
        const { schedule: is, version } = (await store.schedules.find(
          mine.clientRowId,
          schedule.id,
        ))!;
        const next = { ...is, ...timing(calendar) };
        assert.ok(await store.schedules.update(mine.clientRowId, next, version, requeue));
      };
      for (const requeue of [{ changedAt: NOON, start: null }, 'keep'] as const) {
        await changeTo(was.version, requeue);
        assert.deepEqual(await asked(), [mine.clientRowId, 'de']);
        await changeTo(made.version, requeue);
        assert.equal(await asked(), null);
      }
    });

    test('a count that was overtaken notes nothing', async () => {
      const { calendars } = backend.store;
      const { clientRowId } = await aClient(backend.store);
      const put = () => calendars.put(clientRowId, aVersion('de'), NOON, DUE);
      await put();
      const first = (await calendars.nextRecount())!;
      await put();
      await calendars.recounted(first, null);
      const second = (await calendars.nextRecount())!;
      assert.notEqual(second.version, first.version);
      // Another node has come further.
      await calendars.recounted(second, 300);
      await calendars.recounted(second, 700);
      assert.equal((await calendars.nextRecount())?.before, 300);
    });

    test('a count that is requested while one goes on is not lost, at its begin neither', async () => {
      const { calendars } = backend.store;
      const { clientRowId } = await aClient(backend.store);
      await calendars.put(clientRowId, aVersion('de'), NOON, DUE);
      for (const before of [null, 500]) {
        const begun = (await calendars.nextRecount())!;
        await calendars.requestRecount(clientRowId, ['de', 'nowhere']);
        await calendars.recounted(begun, before);
        const anew = (await calendars.nextRecount())!;
        assert.ok(anew.before > begun.before);
      }
      await settleCounts(backend.store);
      await calendars.requestRecount(clientRowId, []);
      assert.equal(await calendars.nextRecount(), null);
      await calendars.requestRecount(clientRowId, ['de']);
      assert.equal((await calendars.nextRecount())?.name, 'de');
    });

    test('replaced versions go when they are old, and present ones stay', async () => {
      const { store } = backend;
      const { calendars } = store;
      const { clientRowId } = await aClient(store);
      const versions = ['de', 'de', 'de', 'fr'].map(each => aVersion(each));
      for (const [index, each] of versions.entries()) {
        await calendars.put(clientRowId, each, NOON + index, DUE);
      }
      await calendars.delete(clientRowId, 'fr', NOON + 5);
      const left = async () => {
        const kept = await calendars.versions(versions.map(({ version }) => version));
        return versions.flatMap(({ version }, index) =>
          kept.some(each => each.version === version) ? [index] : [],
        );
      };
      // Schedules may still count with the old ones.
      assert.equal(await calendars.prune(NOON + 2), 0);
      await settleCounts(store);
      assert.equal(await calendars.prune(NOON + 2), 1);
      assert.deepEqual(await left(), [1, 2, 3]);
      assert.equal(await calendars.prune(NOON + DAY), 2);
      assert.deepEqual(await left(), [2]);
    });
  });
}
