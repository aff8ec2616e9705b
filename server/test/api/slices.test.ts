import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSlice } from '../../src/api/http/slices.ts';

/** The turns of the event loop in which each slice was done, and whose it was. */
async function slicesOf(clients: number[]): Promise<{ clientRowId: number; turn: number }[]> {
  let turn = 0;
  let isCounting = true;
  const count = () => {
    turn += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const slices: { clientRowId: number; turn: number }[] = [];
  await Promise.all(
    clients.map(async clientRowId => {
      await nextSlice(clientRowId);
      slices.push({ clientRowId, turn });
    }),
  );
  isCounting = false;
  return slices;
}

test('each turn of the event loop has one slice, however many wait', async () => {
  const turns = (await slicesOf(Array(50).fill(1))).map(({ turn }) => turn);
  assert.equal(new Set(turns).size, 50, turns.join());
});

test('clients have their slices one after the other', async () => {
  const order = (await slicesOf([1, 1, 1, 1, 2, 2, 3])).map(({ clientRowId }) => clientRowId);
  assert.deepEqual(order, [1, 2, 3, 1, 2, 1, 1]);
});
