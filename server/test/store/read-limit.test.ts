import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Row } from '../../src/store/columns.ts';
import { limitReads } from '../../src/store/postgres/read-limit.ts';

test('three look at once, the others in their order as soon as one has ended, also by a fault', async () => {
  const begun: string[] = [];
  const ends = new Map<
    string,
    { resolve: (rows: Row[]) => void; reject: (error: Error) => void }
  >();
  const look = limitReads(statement => {
    begun.push(statement as string);
    const { promise, ...end } = Promise.withResolvers<Row[]>();
    ends.set(statement as string, end);
    return promise;
  }, 3);
  const asked = ['a', 'b', 'c', 'd', 'e'].map(name => look(name).catch(error => error.message));
  assert.deepEqual(begun, ['a', 'b', 'c']);
  ends.get('b')!.reject(new Error('away'));
  await setImmediate();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  ends.get('a')!.resolve([]);
  await setImmediate();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e']);
  for (const name of ['c', 'd', 'e']) ends.get(name)!.resolve([]);
  assert.deepEqual(await Promise.all(asked), [[], 'away', [], [], []]);
  for (const name of ['f', 'g', 'h', 'i']) void look(name);
  assert.deepEqual(begun.slice(5), ['f', 'g', 'h']);
});
