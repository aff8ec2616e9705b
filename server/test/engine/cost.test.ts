import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { Store } from '../../src/store/contract/store.ts';
import { startBursts } from '../support/engine/bursts.ts';
import { MINUTE } from '../support/store/backend.ts';

/**
 * A guard against getting slower: what a burst costs the engine, in counts that do not depend on the
 * machine's mood. What one batch costs the store is counted in test/store/cost.test.ts.
 */
const FIRINGS = 2_000;
/** Everything has been called by then, and what is allocated is what is allocated all day. */
const WARM_UP_MINUTES = 6;
const MEASURED_MINUTES = 3;
/** Around the full minute: its claim ahead, its requests and its settlements. */
const BURST_MS = 4_000;

// When a function is optimised depends on the machine's load, and what it allocates on that.
setFlagsFromString('--no-opt');
setFlagsFromString('--no-maglev');

/**
 * Calls of the store for a burst, measured on 2026-11-21: claims of 100 and 1,000, settlements of 1,000.
 * Of all other methods: none.
 */
const MOST_CALLS: Record<string, number> = {
  'queue.claim': 3,
  'queue.settle': 2,
  // After each settlement: what ended may have left a callback. Nothing is claimed where nothing is due.
  'outbox.nextDueAt': 2,
};
/**
 * 15,910-16,070 on 2026-11-28, and 16,320 once on a busy machine; optimised it is less than two thirds. 700 of it are
 * slices of the flat list of a settlement, which costs 1.5 µs less than texts did. More than 16,500 is not noise.
 */
const MOST_BYTES_A_FIRING = 16_500;

test('what a burst costs: calls of the store, and memory that is allocated', async context => {
  const world = await startBursts(FIRINGS);
  const { clock } = world;
  const calls = countingCalls(context, world.store);
  await clock.advance(WARM_UP_MINUTES * MINUTE + BURST_MS / 2);
  calls.forget();
  let allocated = 0;
  for (let minute = 0; minute < MEASURED_MINUTES; minute += 1) {
    // Not the seconds in which nothing is due: they would count as the burst's.
    await clock.advance(MINUTE - BURST_MS);
    const before = getHeapStatistics().total_allocated_bytes;
    await clock.advance(BURST_MS);
    allocated += getHeapStatistics().total_allocated_bytes - before;
  }
  const { sent, store, engine } = world;
  await Promise.all([engine.stop(0), clock.advance(0)]);
  await store.close();
  assert.equal(sent(), (WARM_UP_MINUTES + MEASURED_MINUTES) * FIRINGS);
  const counts = calls.inABurst();
  const bytes = Math.round(allocated / MEASURED_MINUTES / FIRINGS);
  context.diagnostic(`a burst of ${FIRINGS}: ${JSON.stringify(counts)}; ${bytes} bytes a firing`);
  for (const [name, count] of Object.entries(counts)) {
    const most = MOST_CALLS[name] ?? 0;
    assert.ok(count <= most, `${name}: ${count} calls, at most ${most}`);
  }
  assert.ok(
    bytes <= MOST_BYTES_A_FIRING,
    `${bytes} bytes a firing, at most ${MOST_BYTES_A_FIRING}`,
  );
});

type Methods = Record<string, () => unknown>;

function countingCalls({ mock }: TestContext, store: Store) {
  const rooms = ['queue', 'outbox', 'clients', 'schedules'] as const;
  const calls = rooms.flatMap(room =>
    Object.keys(store[room]).map(method => ({
      name: `${room}.${method}`,
      counter: mock.method(store[room] as unknown as Methods, method).mock,
    })),
  );
  return {
    forget() {
      for (const { counter } of calls) counter.resetCalls();
    },
    inABurst(): Record<string, number> {
      const called = calls.filter(({ counter }) => counter.callCount() > 0);
      return Object.fromEntries(
        called.map(({ name, counter }) => [name, counter.callCount() / MEASURED_MINUTES]),
      );
    },
  };
}
