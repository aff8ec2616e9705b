import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { ScheduleFilter } from '../../../src/store/contract/schedules.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { fold } from '../../../src/store/rows/row.ts';
import { LOOKED_AT, ROWS_APART } from '../../../src/store/search-index.ts';
import { casesOf } from '../../support/long.ts';
import { aClient, anId, aSchedule, type OpenBackend } from '../../support/store/backend.ts';

/**
 * A search among more schedules than are looked through one by one answers what looking through all of
 * them would.
 */
export function searchContract(name: string, open: OpenBackend): void {
  describe(`${name}: schedules, searched`, () => {
    test('any search of any page finds what a look at each schedule finds', async () => {
      const backend = await open();
      try {
        const searched = await filled(backend.store);
        // One hit in each of forty rows that reach over one another.
        await finds(searched, { filter: { label: 'woven' }, limit: 101, behind: null });
        await fc.assert(
          fc.asyncProperty(searches, search => finds(searched, search)),
          { numRuns: casesOf(400), seed: 5 },
        );
      } finally {
        await backend.close();
      }
    });

    test('a search that has taken much apart stops, and goes on where it stopped', async () => {
      const backend = await open();
      try {
        const { store } = backend;
        const caller = await aClient(store);
        // A row of texts each, that is taken apart in vain: they are deleted.
        const apart: Schedule[] = [];
        // Those that are wanted, in one row that reaches over all others.
        const wanted: Schedule[] = [];
        for (let at = 0; at < ROWS_APART + 100; at += 1) {
          apart.push(aSchedule({ id: anId(), label: '', status: 'deleted' }));
          if (at % 4 === 0) wanted.push(aSchedule({ id: anId(), label: 'again' }));
        }
        const newer = Array.from({ length: LOOKED_AT }, () => aSchedule({ id: anId() }));
        for (const made of [apart, wanted, newer]) {
          await store.schedules.insert(caller.clientRowId, made.map(unstarted));
        }
        for (const at of apart.keys()) await relabel(store, caller, apart, at, 'again');
        const expected = wanted.toReversed();
        for (const limit of [expected.length + 1, expected.length, expected.length - 1]) {
          const [found, asked] = await search(store, caller, { label: 'again' }, limit);
          assert.deepEqual(found.map(shown), expected.slice(0, limit).map(shown));
          assert.equal(asked, 2);
        }
        const [few, once] = await search(store, caller, { label: 'again' }, 3);
        assert.deepEqual([few.length, once], [3, 1]);
        // Ids alone go on over a stop.
        const { ids, next } = await store.schedules.ids(
          caller.clientRowId,
          { label: 'again' },
          1_000,
        );
        assert.deepEqual([ids, next], [expected.map(({ id }) => id), null]);
      } finally {
        await backend.close();
      }
    });
  });
}

/** Case, what SQL, JSON and arrays know, the separator, and letters that fold to others. */
const PARTS = [
  ...['nightly', 'Backup', 'größe', 'STRAẞE', 'straße', 'ΟΔΟΣ', 'οδος', '\u212a', 'k', 'İ', 'ﬁ'],
  ...['100%', 'a_b', '\\', '"', "'", ',', '{', 'NULL', ' ', '\u0001', '\u0002', '日本', '🦊', '𐐨𐐀'],
];
/** Of so many schedules, one has it. */
const RARE = 40;
const URLS = ['https://A.example/One?x=%20', 'http://b.example:81/two#', 'https://c.example/日本'];
const STATUSES = ['enabled', 'enabled', 'disabled', 'deleted'] as const;

interface Searched {
  store: Store;
  caller: Caller;
  /** Newest first. */
  all: Schedule[];
}

interface Search {
  filter: ScheduleFilter;
  limit: number;
  /** Behind which share of all, or null: the first page. Behind half of them, all are looked at. */
  behind: number | null;
}

const some = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 3 });
const text = fc.oneof(
  some.map(parts => parts.join('')),
  fc.constantFrom(
    'rare',
    'RARE 7',
    'rare 67',
    'rare 2',
    'fair',
    'woven',
    'was',
    'is now',
    'is now rare',
    'nowhere',
    '',
  ),
);
const searches: fc.Arbitrary<Search> = fc.record({
  filter: fc.record(
    {
      label: text,
      url: fc.constantFrom('example', 'ONE', '%20', 'b.example:81/t', '?s=12', '本?s', 'x=%20?s=9'),
      status: fc.constantFrom('enabled', 'disabled', 'deleted'),
    },
    { requiredKeys: [] },
  ),
  limit: fc.constantFrom(1, 3, 20, 101),
  behind: fc.option(fc.double({ min: 0, max: 0.5, noNaN: true })),
});

/** Made in batches of all sizes, beside another client's, and changed: some there and back again. */
async function filled(store: Store): Promise<Searched> {
  const [caller, other] = [await aClient(store), await aClient(store)];
  const all: Schedule[] = [];
  // Forty nodes, whose creates reach over the same ids.
  const woven = Array.from({ length: 5_200 }, (_, at) => {
    const schedule = scheduleOf(at);
    return at % 41 === 0 && at < 40 * 41 ? { ...schedule, label: 'woven' } : schedule;
  });
  for (let node = 0; node < 40; node += 1) {
    const made = woven.filter((_, at) => at % 40 === node);
    await store.schedules.insert(caller.clientRowId, made.map(unstarted));
  }
  all.push(...woven);
  const sizes = [...Array(14).fill(100), 1, 1, 500, 1_000, 1, LOOKED_AT];
  for (const size of sizes) {
    const made = Array.from({ length: size }, (_, at) => scheduleOf(all.length + at));
    // Ids of other nodes, and of a clock that was set back, do not come in their order.
    if (size === 500) made.reverse();
    const odd = size === 1_000 ? made.filter((_, at) => at % 2 === 1) : [];
    const rest = made.filter(schedule => !odd.includes(schedule));
    await store.schedules.insert(caller.clientRowId, rest.map(unstarted));
    if (odd.length > 0) await store.schedules.insert(caller.clientRowId, odd.map(unstarted));
    all.push(...made);
    await store.schedules.insert(other.clientRowId, [unstarted(scheduleOf(RARE))]);
  }
  // The rare ones too, which are found by their texts alone: those stand there twice.
  for (let at = 7; at < all.length; at += RARE) {
    await relabel(store, caller, all, at, 'was');
    await relabel(store, caller, all, at, scheduleOf(at).label);
  }
  for (let at = 0; at < all.length; at += 211) {
    await relabel(store, caller, all, at, `was fair ${at}`);
    await relabel(store, caller, all, at, at % 2 === 0 ? `is now rare ${at}` : '');
    if (at % 3 === 0) await relabel(store, caller, all, at, scheduleOf(at).label);
  }
  return { store, caller, all: all.toSorted((a, b) => (a.id < b.id ? 1 : -1)) };
}

function scheduleOf(index: number): Schedule {
  const parts = [PARTS[index % PARTS.length], PARTS[(index * 7 + 3) % PARTS.length]];
  const rare = index % RARE === 7 && index < 8_000 ? `Rare ${index}` : '';
  return aSchedule({
    id: anId(),
    label: `${parts.join('')}${rare}`,
    url: `${URLS[index % URLS.length]}?s=${index}`,
    status: STATUSES[(index >> 3) % STATUSES.length]!,
  });
}

const unstarted = (schedule: Schedule) => ({ schedule, start: null });

async function relabel(
  store: Store,
  { clientRowId }: Caller,
  all: Schedule[],
  at: number,
  to: string,
) {
  const { schedule, version } = (await store.schedules.find(clientRowId, all[at]!.id))!;
  const changed = { ...schedule, label: to };
  assert.ok(await store.schedules.update(clientRowId, changed, version, 'keep'));
  all[at] = changed;
}

async function finds({ store, caller, all }: Searched, { filter, limit, behind }: Search) {
  const before = behind === null ? undefined : all[Math.floor(behind * (all.length - 1))]!.id;
  const [found] = await search(store, caller, filter, limit, before);
  const expected = all
    .filter(({ id }) => before === undefined || id < before)
    .filter(schedule => matches(schedule, filter))
    .slice(0, limit);
  assert.deepEqual(found.map(shown), expected.map(shown));
}

/** Goes on where it stops, until the page is full; and how often it was asked. */
async function search(
  { schedules }: Store,
  { clientRowId }: Caller,
  filter: ScheduleFilter,
  limit: number,
  before?: string,
): Promise<[Schedule[], number]> {
  const found: Schedule[] = [];
  let from: string | null | undefined = before;
  for (let asked = 1; ; asked += 1) {
    const page = await schedules.list(clientRowId, filter, limit - found.length, from);
    found.push(...page.schedules);
    if (page.next === null) return [found, asked];
    assert.ok(found.length < limit && (from === undefined || page.next < from), 'it goes on');
    from = page.next;
  }
}

function matches({ status, label, url }: Schedule, filter: ScheduleFilter): boolean {
  return (
    (filter.status === undefined ? status !== 'deleted' : status === filter.status) &&
    fold(label).includes(fold(filter.label ?? '')) &&
    fold(url).includes(fold(filter.url ?? ''))
  );
}

function shown({ id, label, url, status }: Schedule): string {
  return `${id} ${status} ${JSON.stringify(label)} ${url}`;
}
