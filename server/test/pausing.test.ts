import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Logger } from 'pino';
import type { Engine } from '../src/engine/engine.ts';
import { PausableEngine } from '../src/pausing.ts';

const PAUSING = {
  installation: { pauses: async () => [] } as never,
  paused: 'paused',
  stopMs: 0,
};

test('an engine that does not start after a pause is followed by another one', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  let pausedSince: number | null = 1;
  const errors: unknown[] = [];
  const stopped: number[] = [];
  let made = 0;
  const engine = new PausableEngine({
    make() {
      made += 1;
      const number = made;
      return {
        isRunning: true,
        inFlight: 0,
        async start() {
          if (number === 1) throw new Error('the store is busy');
        },
        async stop() {
          stopped.push(number);
        },
      } as unknown as Engine;
    },
    pausedSince: async () => pausedSince,
    ...PAUSING,
    log: { warn() {}, error: (facts: unknown) => errors.push(facts) } as unknown as Logger,
  });
  await engine.start();
  pausedSince = null;
  for (let second = 0; second < 3; second += 1) {
    mock.timers.tick(1_000);
    await new Promise(setImmediate);
  }
  assert.deepEqual([made, errors.length, stopped, engine.isRunning], [2, 1, [1], true]);
  await engine.stop(0);
});

test('a process that starts in a pause hands what was before it to its first engine', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  let pausedSince: number | null = 1;
  const made: boolean[] = [];
  const warned: string[] = [];
  const engine = new PausableEngine({
    make(isFirst) {
      made.push(isFirst);
      return { start: async () => {}, stop: async () => {} } as unknown as Engine;
    },
    pausedSince: async () => pausedSince,
    ...PAUSING,
    log: { warn: (...said: unknown[]) => warned.push(String(said.at(-1))), error() {} },
  });
  await engine.start();
  const started = [engine.hasStarted];
  for (const next of [null, 2, null]) {
    pausedSince = next;
    mock.timers.tick(1_000);
    await new Promise(setImmediate);
    started.push(engine.hasStarted);
  }
  assert.deepEqual(started, [false, true, true, true]);
  assert.deepEqual(made, [true, false]);
  const resumed = 'resumed: schedules fire again';
  assert.deepEqual(warned, ['paused', resumed, 'paused', resumed]);
  await engine.stop(0);
});

test('the first engine that does not start is told of by the start alone', async () => {
  const told: unknown[] = [];
  const engine = new PausableEngine({
    make: () =>
      ({
        start: () => Promise.reject(new Error('The database is damaged.')),
        stop: async () => {},
      }) as unknown as Engine,
    pausedSince: async () => null,
    ...PAUSING,
    log: { error: (facts: unknown) => told.push(facts) } as unknown as Logger,
  });
  await assert.rejects(engine.start(), /^Error: The database is damaged\.$/);
  assert.deepEqual(told, []);
});

test('a stop during the start waits for the engine that begins, and stops it', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const told: string[] = [];
  const engine = new PausableEngine({
    make: () =>
      ({
        start() {
          ask();
          return begun;
        },
        stop: async () => void told.push('engine stopped'),
      }) as unknown as Engine,
    pausedSince: async () => null,
    ...PAUSING,
    log: {} as Logger,
  });
  const started = engine.start();
  await asked;
  const stopped = engine.stop(0).then(() => told.push('stopped'));
  await new Promise(setImmediate);
  assert.deepEqual(told, []);
  begin();
  await Promise.all([started, stopped]);
  assert.deepEqual(told, ['engine stopped', 'stopped']);
});

test('what is in flight has all the time of a pause, and the limit of a stop from the resume on', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  let pausedSince: number | null = null;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const told: unknown[] = [];
  const engine = new PausableEngine({
    make: () =>
      ({
        inFlight: 1,
        start: async () => void told.push('started'),
        stop(limitMs?: number) {
          told.push(limitMs);
          return ended;
        },
      }) as unknown as Engine,
    pausedSince: async () => pausedSince,
    ...PAUSING,
    stopMs: 30_000,
    log: { warn() {} } as unknown as Logger,
  });
  const look = async () => {
    mock.timers.tick(1_000);
    await new Promise(setImmediate);
  };
  await engine.start();
  pausedSince = 1;
  for (let second = 0; second < 100; second += 1) await look();
  assert.deepEqual(told, ['started', undefined]);
  assert.equal(engine.inFlight, 1);
  pausedSince = null;
  await look();
  assert.deepEqual(told, ['started', undefined, 30_000]);
  // Another pause begins before that is over.
  pausedSince = 2;
  end();
  await look();
  assert.deepEqual(told, ['started', undefined, 30_000]);
  pausedSince = null;
  await look();
  assert.deepEqual(told, ['started', undefined, 30_000, 'started']);
  await engine.stop(0);
});
