import '../../sim/globals.ts';
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { ODDS, profileOf } from '../../sim/profile.ts';
import { cutTo } from '../../sim/shrink.ts';
import { isLongRun } from '../support/long.ts';

const { play } = await import('../../sim/world.ts');

const SEED = 4_711;
const SOCKET_SEED = 75;
const OTHERS = isLongRun ? 50 : 10;
const ANOTHER_PROCESS = join(import.meta.dirname, '../support/another-world.ts');

test('a seed is one world: alone, after others, and in another process', async () => {
  const another = once(fork(ANOTHER_PROCESS, [String(SEED)]), 'message');
  const alone = await play(SEED);
  for (let seed = SEED + 1; seed <= SEED + OTHERS; seed += 1) {
    assert.notEqual((await play(seed)).hash, alone.hash);
  }
  const again = await play(SEED);
  assert.equal(again.hash, alone.hash);
  assert.deepEqual(again.trace, alone.trace);
  assert.deepEqual(await another, [alone.hash, undefined]);
});

test('so it is where requests go through sockets', async () => {
  const faults = ['socket'];
  const another = once(fork(ANOTHER_PROCESS, [String(SOCKET_SEED), ...faults]), 'message');
  const { hash, evidence } = await play(SOCKET_SEED, cutTo(SOCKET_SEED, { faults }));
  assert.ok(evidence.wire!.sends.some(({ written }) => written.length > 1));
  await play(SOCKET_SEED + 1, cutTo(SOCKET_SEED + 1, { faults }));
  assert.equal((await play(SOCKET_SEED, cutTo(SOCKET_SEED, { faults }))).hash, hash);
  assert.deepEqual(await another, [hash, undefined]);
});

test('a fault that comes more or less often changes no other', () => {
  const faults = Object.keys(ODDS) as (keyof typeof ODDS)[];
  for (const changed of faults) {
    const without = profileOf(SEED, { ...ODDS, [changed]: 0 });
    const always = profileOf(SEED, { ...ODDS, [changed]: 1 });
    assert.ok(always.faults.includes(changed) && !without.faults.includes(changed));
    const own = profileOf(SEED, {
      ...(Object.fromEntries(faults.map(fault => [fault, 0])) as typeof ODDS),
      [changed]: 1,
    }).actions;
    const ofOwn = new Set(own.map(action => JSON.stringify(action)));
    const others = always.actions.filter(action => !ofOwn.has(JSON.stringify(action)));
    assert.deepEqual(others, without.actions);
    assert.deepEqual(
      { ...always, actions: [], faults: [] },
      { ...without, actions: [], faults: [] },
    );
  }
});
