import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ODDS, profileOf } from '../../sim/profile.ts';
import { isLongRun } from '../support/long.ts';
import { Player, player } from '../support/sim/player.ts';

const SEED = 4_711;
const SOCKET_SEED = 75;
const OTHERS = isLongRun ? 50 : 3;

const elsewhere = new Player();

test('a seed is one world: alone, after others, and in another process', async () => {
  const { hash } = await elsewhere.play(SEED);
  for (let seed = SEED + 1; seed <= SEED + OTHERS; seed += 1) {
    assert.notEqual((await player.play(seed)).hash, hash);
  }
  assert.equal((await player.play(SEED)).hash, hash);
});

test('so it is where requests go through sockets', async () => {
  const faults = ['socket'];
  const { hash, sent } = await elsewhere.play(SOCKET_SEED, faults);
  assert.ok(sent > 0);
  await player.play(SOCKET_SEED + 1, faults);
  assert.equal((await player.play(SOCKET_SEED, faults)).hash, hash);
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
