import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/domain/id.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { type Sent, World } from '../support/engine/world.ts';

/**
 * Each call of the store that the engine makes with claims in hand fails once, one after the other, in a life with all
 * that claims can need: no row may stay in flight without a job, and no schedule may fall silent.
 */

/**
 * The calls between a claim and its job, or its settlement, that played worlds seldom make. The simulator finds what loses a
 * claim where `queue.known`, `queue.settle` or `outbox.settle` fails (`server/test/sim/planted.ts`).
 */
const CALLS = [
  ['queue', 'resend'],
  ['queue', 'awaitedManuals'],
  ['queue', 'unblock'],
  ['queue', 'forgetSkipped'],
  ['queue', 'reread'],
  ['suspensions', 'putOff'],
  ['suspensions', 'putOffEntries'],
  ['runs', 'previous'],
  ['completions', 'of'],
  ['destinations', 'present'],
] as const satisfies { [Part in keyof Store]: [Part, keyof Store[Part]] }[keyof Store][];

/** Counts the calls of one kind; the call of that number fails. @returns how many came */
function failingOnce(world: World, [part, name]: (typeof CALLS)[number], number: number) {
  const target = world.store[part] as unknown as Record<string, (...of: unknown[]) => unknown>;
  const original = target[name]!.bind(target);
  let count = 0;
  target[name] = (...parameters) => {
    count += 1;
    if (count === number) return Promise.reject(new Error('The disk is full.'));
    return original(...parameters);
  };
  return () => count;
}

async function suspended(world: World, does: 'suspend' | 'resume'): Promise<void> {
  const [client] = await world.store.clients.listClients();
  await world.store.clients[does](client!.id, world.clock.now());
}

/** Schedules that need all that a claim can need. */
async function schedulesOf(world: World): Promise<Schedule[]> {
  const owner = { clientRowId: world.clientRowId, clientId: 'ada' };
  const destination = { config: { hosts: ['example.com'] }, secrets: '{}', version: newId(1) };
  await world.store.destinations.put(owner, 'billing', null, destination, world.clock.now());
  await world.calendar('holidays', { from: '2020-01-01', to: '2020-01-02' });
  const minutely = { interval: '* * * * *' };
  const previous = { body: '{{previous.status}}', delivery: { previous: ['status' as const] } };
  return [
    await world.schedule(minutely),
    await world.schedule({ ...minutely, timing: { exclude: ['holidays'] } }),
    await world.schedule({ ...minutely, ...previous }),
    await world.schedule({ ...minutely, delivery: { destination: 'billing' } }),
    await world.schedule({ ...minutely, policy: { completion: { deadlineSeconds: 20 } } }),
  ];
}

/**
 * A stop, a clock that is set back, a request that is cut off, manual runs, a change under way, one that takes a claim back,
 * and a suspension.
 */
async function live(world: World, schedules: Schedule[]): Promise<void> {
  const { clock } = world;
  const answer = world.answer;
  const hangOf = (id: string) => {
    world.answer = sent => (sent.headers['punctual-schedule-id'] === id ? 'hang' : answer(sent));
  };
  await clock.advanceTo('2026-03-01T12:02:10Z');
  hangOf(schedules[1]!.id);
  await world.crash(3 * 60_000);
  await clock.advance(5_000);
  await clock.jump('2026-03-01T12:03:30Z');
  await clock.advance(5_000);
  world.answer = answer;
  await world.crash();
  await clock.advanceTo('2026-03-01T12:05:58Z');
  for (const { id } of schedules.slice(1)) await world.trigger(id);
  hangOf(schedules[0]!.id);
  await clock.advanceTo('2026-03-01T12:06:01Z');
  world.answer = answer;
  await world.change(schedules[0]!.id, { interval: '*/2 * * * *' });
  await world.release();
  world.congested = true;
  await clock.advanceTo('2026-03-01T12:07:01Z');
  await world.change(schedules[1]!.id, {});
  await world.decongest();
  await suspended(world, 'suspend');
  for (const { id } of schedules.slice(1)) await world.trigger(id);
  await clock.advanceTo('2026-03-01T12:09:10Z');
  await suspended(world, 'resume');
  await clock.advanceTo('2026-03-01T12:11:59Z');
}

/** A few of the calls stand for all: the first ones, and others spread over the life. */
const MOST_PLAYED = 6;

for (const call of CALLS) {
  test(`a ${call.join('.')} that fails once loses no claim`, async () => {
    for (let number = 1, count = 1; number <= count; number += Math.ceil(count / MOST_PLAYED)) {
      const world = await World.start('2026-03-01T12:00:30Z');
      const awaits = ({ headers }: Sent) => headers['punctual-completion-url'] !== undefined;
      world.answer = sent => (awaits(sent) ? 202 : 200);
      const rowsInFlight = world.store.queue.reread.bind(world.store.queue);
      const schedules = await schedulesOf(world);
      const counted = failingOnce(world, call, number);
      await live(world, schedules);
      count = counted();
      assert.ok(count > 0, 'it is never called');
      const { store, clock, clientRowId } = world;
      const before = world.sent.length;
      await clock.advanceTo('2026-03-01T12:14:30Z');
      const sent = world.sent.slice(before).map(({ headers }) => headers['punctual-schedule-id']);
      for (const [index, { id }] of schedules.entries()) {
        assert.ok(sent.includes(id), `schedule ${index} is silent, call ${number} of ${count}`);
      }
      const keys = Array.from({ length: 20 }, (_, key) => key);
      const held = await rowsInFlight(keys);
      assert.deepEqual(held, [], `in flight, call ${number} of ${count}`);
      const going = await store.runs.list(clientRowId, { now: clock.now(), status: 'running' }, 9);
      assert.ok(going.length <= 1, `still running, call ${number} of ${count}`);
    }
  });
}
