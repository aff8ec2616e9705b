import fc from 'fast-check';
import type { Said } from '../../../src/domain/run/completion.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import { type End, OneSchedule } from './one-schedule.ts';

/** Random histories of one schedule: work that goes on, and every trouble that may come between. */

type Step = (world: OneSchedule) => void;

const step = (name: string, run: Step): Step => Object.assign(run, { toString: () => name });
const always = (name: string, run: Step) => fc.constant(step(name, run));

const interval = fc.constantFrom('* * * * * *', '*/20 * * * * *', '* * * * *', '7 * * * *');

/** Spans count in times of the interval: to one of them, just before it, or after. */
const span = fc.record({
  times: fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 4 }), weight: 30 },
    // Enough for one record to stand for all.
    { arbitrary: fc.integer({ min: 1_000, max: 1_100 }), weight: 1 },
  ),
  ms: fc.oneof(fc.integer({ min: -1, max: 1 }), fc.integer({ min: 0, max: 60_000 })),
});

const moves = (name: string, move: (world: OneSchedule, ms: number) => void) =>
  span.map(({ times, ms }) =>
    step(`${name} ${times} times and ${ms} ms`, world =>
      move(world, Math.max(0, world.msTo(times) + ms)),
    ),
  );

const work = [
  moves('pass', (world, ms) => world.pass(ms)),
  always('claim', world => world.claim()),
  moves('claim ahead', (world, ms) => world.claim(ms)),
  always('depart', world => world.depart()),
  always('decide', world => world.decide()),
  always('send', world => world.send()),
  always('send what is due', world => {
    world.depart();
    world.claim();
    world.decide();
    world.send();
  }),
  fc
    .constantFrom<End[]>('ok', 'fault', 'refused', 'accepted', 'accepted', 'accepted')
    .map(outcome => step(`end ${outcome}`, world => world.end(outcome))),
  fc
    .constantFrom<Said[]>(
      {},
      { status: 'failed' },
      { extendSeconds: 1 },
      { extendSeconds: 60 },
      { extendSeconds: 604_800 },
    )
    .map(said => step(`say ${JSON.stringify(said)}`, world => world.say(said))),
];

const trouble = [
  moves('crash', (world, ms) => world.crash(ms)),
  moves('crash and claim', (world, ms) => {
    world.crash(ms);
    world.claim();
  }),
  moves('stop', (world, ms) => world.stop(ms)),
  moves('sleep', (world, ms) => world.sleep(ms)),
  fc.integer({ min: 1, max: 60_000 }).map(ms => step(`back ${ms} ms`, world => world.pass(-ms))),
  always('manual begins', world => world.beginManual()),
  always('manual ends', world => world.endManual()),
  interval.map(next => step(`change to ${next}`, world => world.change({ interval: next }))),
  interval.map(next =>
    step(`change to ${next} and crash`, world => {
      world.change({ interval: next }, false);
      world.crash(1);
    }),
  ),
  always('change to no completion', world => world.change({ policy: { maxRetries: 1 } })),
  fc
    .constantFrom<Schedule['status'][]>('enabled', 'enabled', 'disabled', 'deleted')
    .map(status => step(status, world => world.change({ status }))),
];

export const START = Date.UTC(2026, 2, 1, 12, 0, 7, 123);

/** @param most how many steps a history has, at most */
export const histories = (most: number) =>
  fc.record({
    interval,
    policy: fc.record(
      {
        maxRetries: fc.constantFrom(0, 1, 3),
        catchUpSeconds: fc.constantFrom(0, 30, 86_400),
        overlap: fc.constantFrom('skip', 'bufferOne'),
        retryForSeconds: fc.constantFrom(1, 60, 604_800),
        retryDelaysSeconds: fc.constantFrom<number[]>([1], [5, 30, 120]),
        completion: fc.constantFrom(1, 60, 7_200).map(deadlineSeconds => ({ deadlineSeconds })),
      },
      {
        requiredKeys: [
          'maxRetries',
          'catchUpSeconds',
          'overlap',
          'retryForSeconds',
          'retryDelaysSeconds',
        ],
      },
    ),
    steps: fc.array(
      fc.oneof(
        ...work.map(arbitrary => ({ arbitrary, weight: 4 })),
        ...trouble.map(arbitrary => ({ arbitrary, weight: 1 })),
      ),
      { maxLength: most, size: 'max' },
    ),
  });

export interface History {
  interval: string;
  policy: Schedule['policy'] & {};
  steps: Step[];
}

/**
 * Lives through a history and what is left of it, and asserts what must hold on the way.
 *
 * @param id of its schedule, which was made at `START`
 * @param sureMs and `writtenAt` as of `OneSchedule`
 */
export function live(
  { interval, policy, steps }: History,
  id: string,
  sureMs = 0,
  writtenAt?: number,
): OneSchedule {
  const world = new OneSchedule(
    {
      id,
      status: 'enabled',
      url: 'https://target.example/',
      verb: 'POST',
      interval,
      timezone: 'UTC',
      createdAt: START,
      label: '',
      policy,
    },
    START,
    sureMs,
    writtenAt,
  );
  for (const run of steps) run(world);
  world.finish();
  return world;
}
