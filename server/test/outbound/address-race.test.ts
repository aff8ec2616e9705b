import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { AddressRace, type DeadAddress } from '../../src/outbound/address-race.ts';
import { coded } from '../../src/outbound/fault.ts';

class FakeSocket extends EventEmitter {
  destroyed = false;

  destroy(error?: Error): void {
    if (this.destroyed) return;
    this.destroyed = true;
    if (error !== undefined) this.emit('error', error);
    this.emit('close');
  }
}

/** A race of a, b and c with sockets that do what the test says, and with a clock that it moves. */
function race(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const dialled = new Map<string, FakeSocket>();
  const failures: string[] = [];
  let won: { address: string; dead: DeadAddress[] } | null = null;
  const addressRace = new AddressRace(['a', 'b', 'c'], 250, {
    open(address) {
      const socket = new FakeSocket();
      dialled.set(address, socket);
      return socket as unknown as Socket;
    },
    connected(socket, address, dead) {
      assert.equal(socket as unknown, dialled.get(address));
      assert.equal(won, null, 'told once');
      won = { address, dead };
    },
    failed: error => failures.push((error as NodeJS.ErrnoException).code!),
  });
  return {
    cancel: () => addressRace.cancel(),
    wait: async (ms: number) => {
      t.mock.timers.tick(ms);
      await new Promise(setImmediate);
    },
    connect: (address: string) => dialled.get(address)!.emit('connect'),
    refuse: (address: string, code = 'ECONNREFUSED') => dialled.get(address)!.destroy(coded(code)),
    dialled: () => [...dialled.keys()].join(''),
    open: () => [...dialled].filter(([, { destroyed }]) => !destroyed).map(([name]) => name),
    won: () => won,
    failures,
  };
}

type Race = ReturnType<typeof race>;

const SLOW = null;
const CASES: {
  name: string;
  steps: (race: Race) => Promise<void>;
  dialled: string;
  winner: string;
  dead: [string, string | null][];
}[] = [
  {
    name: 'the first address connects in time: no other one is dialled',
    async steps({ wait, connect }) {
      await wait(249);
      connect('a');
      await wait(10_000);
    },
    dialled: 'a',
    winner: 'a',
    dead: [],
  },
  {
    name: 'the first is silent: the second is dialled after 250 ms, and the third 250 ms later',
    async steps({ wait, connect, dialled }) {
      await wait(250);
      assert.equal(dialled(), 'ab');
      await wait(249);
      assert.equal(dialled(), 'ab');
      await wait(1);
      connect('c');
    },
    dialled: 'abc',
    winner: 'c',
    dead: [
      ['a', SLOW],
      ['b', SLOW],
    ],
  },
  {
    name: 'the first refuses: the second is dialled at once, and has its 250 ms',
    async steps({ wait, connect, refuse, dialled }) {
      await wait(240);
      refuse('a');
      assert.equal(dialled(), 'ab');
      await wait(249);
      assert.equal(dialled(), 'ab');
      connect('b');
    },
    dialled: 'ab',
    winner: 'b',
    dead: [['a', 'ECONNREFUSED']],
  },
  {
    name: 'the first is slow and the second refuses: the third is dialled at once',
    async steps({ wait, connect, refuse, dialled }) {
      await wait(250);
      refuse('b', 'ENETUNREACH');
      assert.equal(dialled(), 'abc');
      connect('c');
    },
    dialled: 'abc',
    winner: 'c',
    dead: [
      ['a', SLOW],
      ['b', 'ENETUNREACH'],
    ],
  },
  {
    name: 'the first is slow and still connects before the others: it wins, and none is dead',
    async steps({ wait, connect }) {
      await wait(250);
      await wait(250);
      connect('a');
      await wait(10_000);
    },
    dialled: 'abc',
    winner: 'a',
    dead: [],
  },
  {
    name: 'two connect in the same turn: the first of them wins',
    async steps({ wait, connect }) {
      await wait(250);
      connect('b');
      connect('a');
    },
    dialled: 'ab',
    winner: 'b',
    dead: [['a', SLOW]],
  },
];

for (const { name, steps, dialled, winner, dead } of CASES) {
  test(name, async t => {
    const run = race(t);
    await steps(run);
    assert.deepEqual(run.won(), {
      address: winner,
      dead: dead.map(([address, code]) => ({ address, code })),
    });
    assert.equal(run.dialled(), dialled);
    assert.deepEqual([run.open(), run.failures], [[winner], []]);
  });
}

test('an answer that waited to be read when the time was over counts', async t => {
  const { wait, connect, dialled, won } = race(t);
  const over = wait(250);
  connect('a');
  await over;
  assert.deepEqual([dialled(), won()?.address], ['a', 'a']);
});

test('no address connects: the fault of the last one is told, once all have failed', async t => {
  const { wait, refuse, open, won, failures } = race(t);
  await wait(250);
  await wait(250);
  refuse('c', 'ENETUNREACH');
  refuse('a', 'ETIMEDOUT');
  assert.deepEqual(failures, []);
  refuse('b');
  assert.deepEqual([failures, open(), won()], [['ECONNREFUSED'], [], null]);
});

test('a connection that ends is told of, and nothing else is dialled', async t => {
  const { connect, refuse, wait, dialled, failures } = race(t);
  connect('a');
  refuse('a', 'ECONNRESET');
  await wait(10_000);
  assert.deepEqual([failures[0], dialled()], ['ECONNRESET', 'a']);
});

test('a race that is cancelled closes everything, dials nothing more, and fails', async t => {
  const { cancel, wait, dialled, open, failures } = race(t);
  await wait(250);
  cancel();
  await wait(10_000);
  assert.deepEqual([dialled(), open(), failures], ['ab', [], ['CLOSED']]);
});
