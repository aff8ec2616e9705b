import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import type { Run } from '@punctual/client';
import {
  progressText,
  type ResendPorts,
  type ResendProgress,
  resend,
} from '../src/incident/resend.ts';

/** A world in which time passes only when somebody waits, and runs end when the test says so. */
function aWorld() {
  const sent: [scheduleId: string, at: number][] = [];
  const ends = new Map<string, (status: Run['status']) => void>();
  let now = 0;
  const ports: ResendPorts = {
    async trigger(scheduleId) {
      if (scheduleId === 'gone') throw new Error('There is no schedule with this id.');
      sent.push([scheduleId, now]);
      return { id: `${scheduleId}-${sent.length}` } as Run;
    },
    ended: runId => new Promise(resolve => ends.set(runId, resolve)),
    async wait(ms) {
      now += ms;
    },
    sentenceOf: error => (error as Error).message,
  };
  return { sent, ends, ports };
}

/** Until all that can happen by itself has happened. */
const settled = () => new Promise(resolve => setImmediate(resolve));

test('so many a minute are sent, and none of the same schedule before its last run has ended', async () => {
  const { sent, ends, ports } = aWorld();
  const steps: ResendProgress[] = [];
  const signal = new AbortController().signal;
  const all = resend(['a', 'a', 'b', 'c'], 30, ports, signal, step => steps.push(step));
  await settled();
  assert.deepEqual(sent, [
    ['a', 0],
    ['b', 2_000],
    ['c', 4_000],
  ]);
  ends.get('b-2')!('failed');
  await settled();
  assert.equal(sent.length, 3, 'b was sent once: the second of a waits for the first one');
  ends.get('a-1')!('succeeded');
  await settled();
  assert.deepEqual(sent[3]![0], 'a');
  ends.get('c-3')!('succeeded');
  ends.get('a-4')!('succeeded');
  const end = await all;
  assert.deepEqual(end, {
    state: 'done',
    total: 4,
    sent: 4,
    succeeded: 3,
    failed: 1,
    refused: new Map(),
  });
  assert.deepEqual(steps.at(-1), end);
  assert.equal(progressText(end), 'Sent again: 4 of 4 sent, 3 succeeded, 1 failed.');
});

test('however long it waits, one listener alone is told of a cancellation', async () => {
  const { ends, ports } = aWorld();
  const abort = new AbortController();
  const all = resend(Array(20).fill('a'), 600, ports, abort.signal, () => {});
  for (let run = 1; run <= 20; run += 1) {
    await settled();
    assert.ok(getEventListeners(abort.signal, 'abort').length <= 1);
    ends.get(`a-${run}`)!('succeeded');
  }
  assert.equal((await all).succeeded, 20);
});

test('what the service refuses is told by its sentence, and the others go on', async () => {
  const { ends, ports } = aWorld();
  const all = resend(['gone', 'a', 'gone'], 60, ports, new AbortController().signal, () => {});
  await settled();
  ends.get('a-1')!('succeeded');
  const { sent, refused } = await all;
  assert.deepEqual([sent, refused], [1, new Map([['There is no schedule with this id.', 2]])]);
});

test('once cancelled nothing more is sent, and what is under way is not waited for', async () => {
  const { sent, ports } = aWorld();
  const abort = new AbortController();
  const all = resend(['a', 'b', 'c'], 60, ports, abort.signal, ({ sent }) => {
    if (sent === 2) abort.abort();
  });
  const end = await all;
  assert.deepEqual([end.state, end.sent, sent.length], ['cancelled', 2, 2]);
  assert.equal(progressText(end), 'Cancelled: 2 of 3 sent, 2 not ended yet.');
});
