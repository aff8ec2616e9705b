import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from '../../src/engine/fairness/fair-queue.ts';
import { type LinkedItem, unlinked } from '../../src/engine/fairness/linked-list.ts';

interface Item extends LinkedItem<Item> {
  clientRowId: number;
  origin: string;
  n: number;
}

const itemOf = (clientRowId: number, origin: string, n: number): Item => ({
  clientRowId,
  origin,
  n,
  ...unlinked<Item>(),
});

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
      while (queue.size > 0) taken.push(...queue.take(limit, () => true));
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
      while (queue.size > 0) taken.push(...queue.take(limit, () => true).map(i => i.clientRowId));
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
      const taken = queue.take(Number.POSITIVE_INFINITY, item => !isShut(item));
      assert.equal(taken.length, all.filter(item => !isShut(item)).length);
      assert.equal(queue.size, all.filter(isShut).length);
      const counted = [...queue.counts()].reduce((sum, [, count]) => sum + count, 0);
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
      const taken = queue.take(Number.POSITIVE_INFINITY, () => true);
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
    queue.take(9, () => true).map(({ n }) => n),
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
          const taken = queue.take(step.take, () => !step.refused);
          assert.deepEqual(taken, step.refused ? [] : list.splice(0, step.take));
        }
        assert.deepEqual([queue.size, [...queue]], [list.length, list]);
      }
    }),
  );
});
