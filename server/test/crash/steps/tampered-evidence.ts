import type { Run } from '@punctual/client';
import type { Arrival } from '../../../sim/model/evidence.ts';
import type { StepEvidence } from '../../../sim/model/steps/checker.ts';
import type { StepRule } from '../../../sim/model/steps/rules.ts';

/** A made-up world, in which the clock was 20 s ahead for four seconds, and what is done to it. */

const START = Date.parse('2026-03-01T12:00:00Z');
export const ID = '019cc000-0000-7000-8000-000000000001';

/** The instant `seconds` after the start. */
export function at(seconds: number): number {
  return START + seconds * 1_000;
}

/**
 * Up from second 0 to 60, with a kill at 50. Ahead by 20 s from 10 to 14: the times 30 to 33 are sent then,
 * those between are missed at first, fire when they come, and 30 to 33 are silent.
 */
export function cleanWorld(): StepEvidence {
  const world: StepEvidence = {
    schedules: [
      {
        id: ID,
        interval: '* * * * * *',
        timezone: 'UTC',
        createdAt: at(0),
        integrations: [{ id: 'integration', callOnSuccess: false }],
        acknowledged: true,
        listed: true,
      },
    ],
    lives: [
      { spawnedAt: at(-2), readyAt: at(-1), end: { how: 'killed', from: at(50.5), to: at(50.6) } },
      { spawnedAt: at(50.6), readyAt: at(51.5), end: null },
    ],
    steps: [
      { at: at(-2), offsetMs: 0 },
      { at: at(10), offsetMs: 20_000 },
      { at: at(14), offsetMs: 0 },
    ],
    stalls: [],
    arrivals: [],
    callbacks: [],
    said: [],
    runs: [],
    taken: new Map(),
    explained: [{ at: at(40), verdict: 'upcoming' }],
    counted: [{ told: 2, made: 2 }],
    prompt: new Map([[ID, at(0)]]),
    since: at(0),
    until: at(60),
  };
  for (let second = 1; second <= 60; second++) {
    const isSentAhead = second >= 30 && second <= 33;
    send(world, second, at(isSentAhead ? second - 20 : second) + 4);
  }
  return world;
}

export function send(world: StepEvidence, second: number, arrivedAt: number): void {
  const scheduledFor = new Date(at(second)).toISOString();
  const id = `run-${second}`;
  world.arrivals.push({
    scheduleId: ID,
    webhookId: id,
    scheduledFor: at(second),
    attempt: 1,
    at: arrivedAt,
    endedAt: arrivedAt + 1,
    status: 200,
  });
  world.runs.push({
    id,
    scheduleId: ID,
    scheduledFor,
    trigger: 'schedule',
    status: 'succeeded',
    startedAt: scheduledFor,
    finishedAt: scheduledFor,
    attempts: [{ number: 1, startedAt: scheduledFor, outcome: 'response', responseStatus: 200 }],
  });
}

function arrivalOf(world: StepEvidence, second: number): Arrival {
  return world.arrivals.find(({ scheduledFor }) => scheduledFor === at(second))!;
}

function runOf(world: StepEvidence, second: number): Run {
  return world.runs.find(({ id }) => id === `run-${second}`)!;
}

/** Never sent, and recorded as missed. */
export function miss(world: StepEvidence, second: number): void {
  world.arrivals = world.arrivals.filter(({ scheduledFor }) => scheduledFor !== at(second));
  Object.assign(runOf(world, second), { status: 'missed', attempts: [] });
}

/** Retention took its record away in second 45. In second 46 the clock showed the start, until `backUntil`. */
export function takeAway(world: StepEvidence, second: number, backUntil: number): void {
  world.taken.set(runOf(world, second), at(45));
  world.steps.push({ at: at(46), offsetMs: -46_000 }, { at: at(backUntil), offsetMs: 0 });
}

/** Recorded as missed once more. */
export function missAgain(world: StepEvidence, second: number): void {
  world.runs.push({ ...runOf(world, second), status: 'missed', attempts: [] });
}

/** Skipped, as the retry of the time before it was in flight. */
export function retryInto(world: StepEvidence, second: number): void {
  arrivalOf(world, second - 1).status = 500;
  sendAgain(world, second - 1, 995);
  miss(world, second);
  Object.assign(runOf(world, second), { status: 'skipped' });
}

function sendAgain(world: StepEvidence, second: number, afterMs: number, attempt = 2): void {
  const first = arrivalOf(world, second);
  const again = { ...first, attempt, at: first.at + afterMs, endedAt: first.at + afterMs + 1 };
  world.arrivals.push(again);
  const { attempts } = runOf(world, second);
  if (attempt > 1) attempts.push({ ...attempts[0]!, number: attempt });
}

/** Its kill took the mark of what was sent. */
function unmarkedWorld(): StepEvidence {
  const world = cleanWorld();
  Object.assign(world.lives[0]!.end!, { isUnknown: true });
  world.lives[1]!.lookedAt = at(51.4);
  return world;
}

/** The power was cut behind second 50. The next start shows an instant before it, and knows nothing of its request. */
export function sentAgainUnknown(): StepEvidence {
  const world = unmarkedWorld();
  world.steps.push({ at: at(50.55), offsetMs: -1_800 }, { at: at(51.45), offsetMs: 0 });
  sendAgain(world, 50, 1_500, 1);
  return world;
}

/** The power was cut in the request of second 50, which a clock that was ahead had sent before it was set back to just before that. */
export function sentAgainChanged(): StepEvidence {
  const world = unmarkedWorld();
  world.steps.push({ at: at(46), offsetMs: 1_200 }, { at: at(49.6), offsetMs: 0 });
  Object.assign(arrivalOf(world, 50), { at: at(48.81), endedAt: at(50.5), status: null });
  sendAgain(world, 50, 3_000, 1);
  return world;
}

export type TamperedEvidence = [
  what: string,
  rules: StepRule[],
  tamper: (world: StepEvidence) => void,
];

export const TAMPERED: TamperedEvidence[] = [
  ['a time that was missed ahead never fires', ['silent'], w => miss(w, 20)],
  ['a schedule is silent in the end', ['silent'], w => miss(w, 58)],
  [
    'a time that came during a retry is not skipped, but missed',
    ['silent'],
    w => {
      retryInto(w, 21);
      Object.assign(runOf(w, 21), { status: 'missed' });
    },
  ],
  [
    'a time is skipped without a retry in its way',
    ['silent'],
    w => {
      retryInto(w, 21);
      miss(w, 25);
      Object.assign(runOf(w, 25), { status: 'skipped' });
    },
  ],
  ['a time sent ahead is sent again when it comes', ['sentTwice'], w => sendAgain(w, 31, 20_000)],
  ['an attempt is sent twice after a kill', ['sentTwice'], w => sendAgain(w, 50, 2_000, 1)],
  [
    'an attempt has a lower fence after the clock was set back',
    ['fence'],
    w => {
      arrivalOf(w, 5).fence = at(25);
      arrivalOf(w, 6).fence = at(6);
    },
  ],
  ['a time is sent early', ['early'], w => Object.assign(arrivalOf(w, 45), { at: at(45) - 5 })],
  [
    'a step ahead took the history with it',
    ['unrecorded', 'arrivalUnrecorded'],
    w => {
      w.runs = w.runs.filter(({ id }) => id !== 'run-5');
    },
  ],
  [
    'what was missed ahead keeps its record beside the run',
    ['recordedTwice'],
    w => {
      const range = { from: new Date(at(11)).toISOString(), to: new Date(at(29)).toISOString() };
      w.runs.push({ ...runOf(w, 11), id: 'missed', missedCount: 19, attempts: [], ...range });
    },
  ],
  [
    'a time comes again whose record retention took away after the clock was right again',
    ['recordedTwice'],
    w => {
      takeAway(w, 5, 46.5);
      w.taken.set(runOf(w, 5), at(47));
      missAgain(w, 5);
    },
  ],
  [
    'a time comes again twice, and both records stay',
    ['recordedTwice'],
    w => {
      takeAway(w, 5, 46.5);
      missAgain(w, 5);
      missAgain(w, 5);
    },
  ],
  [
    'history knows nothing of an attempt',
    ['arrivalUnrecorded'],
    w => Object.assign(runOf(w, 7), { attempts: [] }),
  ],
  [
    'an attempt that was answered never came',
    ['attemptUnseen'],
    w => Object.assign(arrivalOf(w, 7), { webhookId: 'run-8', attempt: 1 }),
  ],
  [
    'a run waits for a clock that is right again',
    ['unfinished'],
    w => Object.assign(runOf(w, 32), { status: 'retrying' }),
  ],
  [
    'a callback waits for a clock that is right again',
    ['callbackLost'],
    w => Object.assign(runOf(w, 32), { status: 'failed' }),
  ],
  [
    'explain calls an instant ahead missed',
    ['notUpcoming'],
    w => w.explained.push({ at: at(70), verdict: 'missed' }),
  ],
  ['a step is not counted', ['stepsMiscounted'], w => w.counted.push({ told: 1, made: 2 })],
];
