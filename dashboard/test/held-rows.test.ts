import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { heldRows, withCurrent } from '../src/live/held-rows.ts';

const row = (order: number, word = '') => ({ id: `id ${order}`, order: String(order), word });
const orderOf = ({ order }: { order: string }) => order;
const orders = (rows: { order: string }[]) => rows.map(orderOf).join(' ');

test('what is new waits, what is there stays where it is and says what it is now', () => {
  const held = [row(5), row(4), row(3)];
  const found = heldRows(held, [row(7), row(6), row(5, 'ended')], orderOf, false);
  assert.equal(orders(found.rows), '5 4 3');
  assert.equal(found.rows[0]!.word, 'ended');
  assert.deepEqual([found.fresh, found.isMore], [2, false]);
  const far = heldRows(held, [row(9), row(8), row(7)], orderOf, false);
  assert.deepEqual([orders(far.rows), far.fresh, far.isMore], ['5 4 3', 3, true]);
});

test('a row keeps its newest values when newer rows have driven it off the list', () => {
  const held = withCurrent([row(5), row(4), row(3)], [row(6), row(5, 'ended'), row(4, 'ended')]);
  const { rows } = heldRows(held, [row(9), row(8), row(7)], orderOf, false);
  assert.deepEqual(
    rows.map(({ word }) => word),
    ['ended', 'ended', ''],
  );
  // A new list would be drawn again and again.
  assert.equal(withCurrent(rows, [row(9), ...rows]), rows);
  assert.equal(withCurrent(rows, []), rows);
});

test('what is gone is not shown as if it were there', () => {
  const held = [row(5), row(4), row(3)];
  assert.equal(orders(heldRows(held, [row(5), row(3), row(2)], orderOf, false).rows), '5 3');
  assert.equal(orders(heldRows(held, [row(5)], orderOf, true).rows), '5');
  assert.equal(orders(heldRows(held, [], orderOf, true).rows), '');
});

test('no row that stays ever changes its place', () => {
  const aList = fc
    .uniqueArray(fc.integer({ min: 100, max: 140 }), { maxLength: 12 })
    .map(numbers => numbers.sort((a, b) => b - a).map(number => row(number)));
  fc.assert(
    fc.property(aList, aList, fc.boolean(), (held, items, isWhole) => {
      const { rows, fresh } = heldRows(held, items, orderOf, isWhole);
      const places = rows.map(({ id }) => held.findIndex(each => each.id === id));
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
      assert.ok(places.every(place => place >= 0));
      assert.ok(fresh <= items.length);
    }),
  );
});
