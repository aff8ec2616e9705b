import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { limitReads } from '../../src/store/postgres/read-limit.ts';
import { Silence } from '../../src/store/postgres/silence.ts';

/** Calls to a PostgreSQL that may have gone silent, on a clock that is moved. */

class World {
  now = 0;
  asked = 0;
  isThere = true;
  readonly ended: string[] = [];
  readonly silence = new Silence(async () => {
    this.asked += 1;
    return this.isThere;
  });

  call(name: string, work: Promise<unknown> = new Promise(() => {})): void {
    this.silence.unless(work).then(
      () => this.ended.push(name),
      (error: Error) => this.ended.push(`${name}: ${error.message}`),
    );
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      this.now += 100;
      mock.timers.tick(100);
      await turn();
    }
  }
}

function world(t: { after(work: () => void): void }): World {
  const made = new World();
  mock.timers.enable({ apis: ['setTimeout'] });
  const clock = mock.method(performance, 'now', () => made.now);
  t.after(() => {
    mock.timers.reset();
    clock.mock.restore();
  });
  return made;
}

const SILENT = 'the server does not answer';

test('quick calls ask nobody, whether they go well or not', async t => {
  const each = world(t);
  each.call('a', Promise.resolve());
  each.call('b', Promise.reject(new Error('wrong')));
  await each.pass(5_000);
  assert.deepEqual([each.ended, each.asked], [['a', 'b: wrong'], 0]);
});

test('a slow call goes on while the server is there, and is not asked about all the time', async t => {
  const each = world(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  each.call('slow', promise);
  await each.pass(10_000);
  assert.deepEqual(each.ended, []);
  assert.ok(each.asked >= 4 && each.asked <= 7, `${each.asked}`);
  resolve();
  await turn();
  assert.deepEqual(each.ended, ['slow']);
});

test('a server that goes silent ends all calls within 2 s and one question, whenever that is', async t => {
  for (let before = 0; before <= 3_000; before += 500) {
    const each = world(t);
    each.call('old');
    await each.pass(before);
    each.isThere = false;
    each.call('young');
    await each.pass(2_000);
    assert.deepEqual(each.ended, [`old: ${SILENT}`, `young: ${SILENT}`]);
    mock.timers.reset();
    mock.restoreAll();
  }
});

test('a read that waits for its turn leaves the queue where the server is silent, and takes no place later', async t => {
  const each = world(t);
  const asked: string[] = [];
  const first = Promise.withResolvers<never[]>();
  const query = (text: unknown) => {
    asked.push(String(text));
    return text === 'first' ? first.promise : Promise.resolve([]);
  };
  const look = limitReads(query as never, 1, work => each.silence.unless(work));
  const going = look('first');
  const waiting = look('waits');
  each.isThere = false;
  const left = assert.rejects(waiting, { message: SILENT });
  await each.pass(2_000);
  await left;
  first.resolve([]);
  await going;
  await look('later');
  assert.deepEqual(asked, ['first', 'later']);
});
