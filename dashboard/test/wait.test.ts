import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { untilSeen } from '../src/live/seen.ts';
import { wait } from '../src/parts/wait.ts';

const countOf = (target: EventTarget, name: string) => getEventListeners(target, name).length;

test('a wait ends after its time or with its signal, and leaves no listener behind', async () => {
  const abort = new AbortController();
  await wait(1, abort.signal);
  assert.equal(countOf(abort.signal, 'abort'), 0);
  const long = wait(60_000, abort.signal);
  abort.abort(new Error('enough'));
  await assert.rejects(long, /enough/);
  assert.equal(countOf(abort.signal, 'abort'), 0);
  await assert.rejects(wait(60_000, abort.signal), /enough/);
});

test('a wait for somebody who sees the tab leaves no listener behind', async context => {
  const tab = Object.assign(new EventTarget(), { hidden: true });
  Object.assign(globalThis, { document: tab });
  context.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const abort = new AbortController();
  const seen = untilSeen(abort.signal);
  tab.dispatchEvent(new Event('visibilitychange'));
  assert.equal(countOf(abort.signal, 'abort'), 1, 'it is still hidden');
  tab.hidden = false;
  tab.dispatchEvent(new Event('visibilitychange'));
  await seen;
  assert.deepEqual([countOf(abort.signal, 'abort'), countOf(tab, 'visibilitychange')], [0, 0]);
  tab.hidden = true;
  const aborted = untilSeen(abort.signal);
  abort.abort();
  await aborted;
  assert.deepEqual([countOf(abort.signal, 'abort'), countOf(tab, 'visibilitychange')], [0, 0]);
});
