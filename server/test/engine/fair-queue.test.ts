import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from '../../src/engine/fairness/fair-queue.ts';
import type { LinkedItem } from '../../src/engine/fairness/linked-list.ts';
import type { JobKind } from '../../src/engine/observer.ts';

interface Item extends LinkedItem<Item> {
  kind: JobKind;
  clientRowId: number;
  origin: string;
  n: number;
}

const itemOf = (
  clientRowId: number,
  origin: string,
  n: number,
  kind: JobKind = 'schedule',
): Item => ({ kind, clientRowId, origin, n, list: null, previous: null, next: null });

const anyRoom = () => Number.POSITIVE_INFINITY;

const items = fc.array(
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('a', 'b', 'c'), fc.nat())
    .map(bound => itemOf(...bound)),
  { maxLength: 60 },
);

function turnsOf(all: Item[]): FairQueue<Item> {
  const queue = new FairQueue<Item>();
  for (const item of all) queue.add(item);
  return queue;
}

test('all are taken, each once, those of one client to one host in their order', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 7 }), (all, limit) => {
      const queue = turnsOf(all);
      const taken: Item[] = [];
      while (queue.size > 0) taken.push(...queue.take(limit, anyRoom, () => true));
      assert.equal(taken.length, all.length);
      assert.equal(new Set(taken).size, all.length);
      const lane = ({ clientRowId, origin }: Item) => `${clientRowId} ${origin}`;
      for (const name of new Set(all.map(lane))) {
        const isOf = (item: Item) => lane(item) === name;
        assert.deepEqual(taken.filter(isOf), all.filter(isOf));
      }
    }),
  );
});

test('of two clients that both wait, none has two queue before the other has one', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 7 }), (all, limit) => {
      const queue = turnsOf(all);
      const taken: number[] = [];
      while (queue.size > 0)
        taken.push(...queue.take(limit, anyRoom, () => true).map(i => i.clientRowId));
      for (const [index, clientRowId] of taken.entries()) {
        const again = taken.indexOf(clientRowId, index + 1);
        if (again === -1) continue;
        for (const other of new Set(taken.slice(again))) {
          if (other === clientRowId) continue;
          assert.ok(
            taken.slice(index, again).includes(other),
            `${clientRowId} had two queue while ${other} waited`,
          );
        }
      }
    }),
  );
});

test('what is not admitted stays, and holds up no other', () => {
  fc.assert(
    fc.property(items, all => {
      const queue = turnsOf(all);
      const isShut = ({ clientRowId, origin }: Item) => clientRowId === 1 || origin === 'a';
      const taken = queue.take(Number.POSITIVE_INFINITY, anyRoom, item => !isShut(item));
      assert.equal(taken.length, all.filter(item => !isShut(item)).length);
      assert.equal(queue.size, all.filter(isShut).length);
      const counted = [...queue.counts('schedule')].reduce((sum, [, count]) => sum + count, 0);
      assert.equal(counted, queue.size);
      const rest = queue.takeLast((_bound, waiting) => waiting);
      assert.deepEqual(new Set(rest), new Set(all.filter(isShut)));
      assert.equal(queue.size, 0);
    }),
  );
});

test('what was removed is not taken', () => {
  fc.assert(
    fc.property(items, all => {
      const queue = turnsOf(all);
      const gone = all.filter(({ n }) => n % 2 === 0);
      for (const item of gone) assert.equal(queue.remove(item), true);
      for (const item of gone) assert.equal(queue.remove(item), false);
      assert.equal(queue.size, all.length - gone.length);
      const taken = queue.take(Number.POSITIVE_INFINITY, anyRoom, () => true);
      assert.equal(taken.length, all.length - gone.length);
    }),
  );
});

test('the last of a host are taken out, the first keep their turn', () => {
  const all = [1, 2, 3, 4].map(n => itemOf(1, n === 2 ? 'b' : 'a', n));
  const queue = turnsOf(all);
  const last = queue.takeLast(({ origin }, waiting) => (origin === 'a' ? waiting - 1 : 0));
  assert.deepEqual(
    last.map(({ n }) => n),
    [3, 4],
  );
  assert.deepEqual(
    queue.take(9, anyRoom, () => true).map(({ n }) => n),
    [1, 2],
  );
});

test('what is added, removed and taken in between keeps its order, as in a plain list', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ add: fc.nat(20) }),
      fc.record({ remove: fc.nat(20) }),
      fc.record({ take: fc.integer({ min: 1, max: 3 }), refused: fc.boolean() }),
    ),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(steps, all => {
      const pool = Array.from({ length: 21 }, (_, n) => itemOf(1, 'a', n));
      const queue = new FairQueue<Item>();
      let list: Item[] = [];
      for (const step of all) {
        if ('add' in step) {
          const item = pool[step.add]!;
          if (list.includes(item)) continue;
          queue.add(item);
          list.push(item);
        } else if ('remove' in step) {
          const item = pool[step.remove]!;
          assert.equal(queue.remove(item), list.includes(item));
          list = list.filter(other => other !== item);
        } else {
          const taken = queue.take(step.take, anyRoom, () => !step.refused);
          assert.deepEqual(taken, step.refused ? [] : list.splice(0, step.take));
        }
        assert.deepEqual([queue.size, [...queue]], [list.length, list]);
      }
    }),
  );
});

const jobs = fc.array(
  fc
    .tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom('a', 'b'),
      fc.nat(),
      fc.constantFrom<JobKind[]>('schedule', 'manual', 'callback'),
    )
    .map(bound => itemOf(...bound)),
  { maxLength: 60 },
);

test('all kinds are taken, each in its order, and counted apart', () => {
  fc.assert(
    fc.property(jobs, fc.integer({ min: 1, max: 7 }), (all, limit) => {
      const queue = turnsOf(all);
      for (const kind of ['schedule', 'manual', 'callback'] as const) {
        const ofKind = all.filter(item => item.kind === kind);
        assert.equal(queue.sizeOf(kind), ofKind.length);
        const counted = [...queue.counts(kind)].reduce((sum, [, count]) => sum + count, 0);
        assert.equal(counted, ofKind.length);
      }
      const taken: Item[] = [];
      while (queue.size > 0) taken.push(...queue.take(limit, anyRoom, () => true));
      assert.deepEqual(new Set(taken), new Set(all));
      const lane = ({ kind, clientRowId, origin }: Item) => `${kind} ${clientRowId} ${origin}`;
      for (const name of new Set(all.map(lane))) {
        const isOf = (item: Item) => lane(item) === name;
        assert.deepEqual(taken.filter(isOf), all.filter(isOf));
      }
    }),
  );
});

test('no kind waits for more than a batch of each other kind', () => {
  const flood = Array.from({ length: 1_000 }, (_, n) => itemOf(1, 'a', n));
  const queue = turnsOf([...flood, itemOf(2, 'b', 1, 'manual'), itemOf(3, 'c', 2, 'callback')]);
  const batches = [1, 2, 3].map(() => queue.take(20, anyRoom, () => true).map(({ kind }) => kind));
  assert.ok(batches.flat().includes('manual'));
  assert.ok(batches.flat().includes('callback'));
});

test('a kind without room holds up no other', () => {
  const all = [1, 2, 3].flatMap(n => [itemOf(1, 'a', n), itemOf(1, 'a', n, 'callback')]);
  const queue = turnsOf(all);
  const room = (kind: JobKind) => (kind === 'schedule' ? 0 : 2);
  const taken = queue.take(10, room, () => true);
  assert.deepEqual(
    taken.map(({ kind }) => kind),
    ['callback', 'callback'],
  );
  assert.equal(queue.size, 4);
});
