import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSteps, type StepEvidence, steadySpans } from '../../sim/model/steps/checker.ts';
import { RULES, type StepRule } from '../../sim/model/steps/rules.ts';
import {
  changedWorld,
  extendedWorld,
  refusedWorld,
  TAMPERED_CHANGES,
} from './steps/tampered-changes.ts';
import {
  at,
  cleanWorld,
  ID,
  miss,
  missAgain,
  retryInto,
  send,
  sentAgainChanged,
  sentAgainUnknown,
  TAMPERED,
  takeAway,
} from './steps/tampered-evidence.ts';

/** Of the run of second 49. */
const ENDED_LATE = { finishedAt: new Date(at(50.1)).toISOString() };

function toldOf(world: StepEvidence, wanted: StepRule): StepRule[] {
  return checkSteps(world)
    .map(({ rule }) => rule)
    .filter(rule => rule === wanted);
}

describe('checker of stepped clocks', () => {
  test('a world in which everything went right has no violation', () => {
    for (const world of [cleanWorld(), changedWorld()]) assert.deepEqual(checkSteps(world), []);
  });

  test('a time that a target refused is sent, but not where that target answers', () => {
    const rulesOf = (url?: string) => checkSteps(refusedWorld(url)).map(({ rule }) => rule);
    assert.deepEqual(rulesOf(), []);
    assert.deepEqual(rulesOf('https://target.example/ok'), ['silent']);
  });

  test('a time that is refused after its target was changed is silent', () => {
    const world = refusedWorld();
    const [attempt] = world.runs.find(({ id }) => id === 'run-58')!.attempts;
    attempt!.startedAt = new Date(at(52)).toISOString();
    assert.deepEqual(
      checkSteps(world).map(({ rule }) => rule),
      ['silent'],
    );
  });

  test('a target that asked for more time holds up its schedule, unless it ended before that', () => {
    const rulesOf = (world: StepEvidence) => checkSteps(world).map(({ rule }) => rule);
    const world = extendedWorld();
    assert.deepEqual(rulesOf(world), []);
    const [asked, ended] = world.said;
    assert.deepEqual(rulesOf({ ...world, said: [ended!] }), ['silent']);
    assert.deepEqual(rulesOf({ ...world, said: [asked!, { ...ended!, endedAt: at(54) }] }), [
      'silent',
    ]);
  });

  test('a request that was cut off by a kill may be sent again under its id', () => {
    const world = cleanWorld();
    const first = world.arrivals.find(({ scheduledFor }) => scheduledFor === at(50))!;
    world.arrivals.push({ ...first, attempt: 2, at: at(52), endedAt: at(52) + 1 });
    const run = world.runs.find(({ scheduleId, id }) => scheduleId === ID && id === 'run-50')!;
    run.attempts.push({ ...run.attempts[0]!, number: 2 });
    assert.deepEqual(checkSteps(world), []);
  });

  for (const [where, tamper, rules] of [
    ['it shows an instant just before the time', () => {}, []],
    ['it shows an earlier one', w => (w.steps[3]!.offsetMs = -3_000), ['sentTwice']],
    ['it shows a later one', w => (w.steps[3]!.offsetMs = -1_000), ['sentTwice']],
    [
      'the mark of what was sent is there',
      w => (w.lives[0]!.end!.isUnknown = false),
      ['sentTwice'],
    ],
    ['a later instant is on record', w => Object.assign(w.runs[48]!, ENDED_LATE), ['sentTwice']],
  ] as [string, (world: StepEvidence) => void, string[]][]) {
    test(`after a power cut, a request may come as the same attempt where the clock was set back, and ${where}`, () => {
      const world = sentAgainUnknown();
      tamper(world);
      assert.deepEqual(toldOf(world, 'sentTwice'), rules);
    });
  }

  for (const [where, tamper, rules] of [
    ['nobody knows what was sent', () => {}, []],
    [
      'the mark of what was sent is there',
      w => (w.lives[0]!.end!.isUnknown = false),
      ['sentTwice'],
    ],
    [
      'the clock of the start says that the machine was started after it',
      w => {
        w.lives[0]!.end!.isUnknown = false;
        w.steps.push({ at: at(51), offsetMs: 3_600_000 });
      },
      [],
    ],
    ['it was set further ahead', w => (w.steps[4]!.offsetMs = 1_300), ['sentTwice']],
    [
      'it showed such an instant before the request was sent, and not since',
      w => {
        Object.assign(w.steps[3]!, { at: at(48.2), offsetMs: 1_800 });
        w.steps[4]!.at = at(50.55);
      },
      ['sentTwice'],
    ],
    ['it was not sent yet', w => (w.steps[4]!.at = at(48.3)), ['sentTwice']],
    ['the clock shows an instant long before', w => (w.steps[4]!.offsetMs = -5_000), ['sentTwice']],
    [
      'the clock shows a later instant',
      w => Object.assign(w.steps[4]!, { at: at(50.2), offsetMs: 1_150 }),
      ['sentTwice'],
    ],
  ] as [string, (world: StepEvidence) => void, string[]][]) {
    test(`a request may come as the same attempt where the clock was set in it, and ${where}`, () => {
      const world = sentAgainChanged();
      tamper(world);
      assert.deepEqual(toldOf(world, 'sentTwice'), rules);
    });
  }

  test('so its time may be missed, and its request is in no record', () => {
    const world = sentAgainUnknown();
    world.arrivals.pop();
    Object.assign(world.runs.find(({ id }) => id === 'run-50')!, { attempts: [] });
    assert.deepEqual(toldOf(world, 'arrivalUnrecorded'), []);
    world.lives[0]!.end!.isUnknown = false;
    assert.equal(toldOf(world, 'arrivalUnrecorded').length, 1);
  });

  test('a time that passed while the machine stood still may be missed', () => {
    const world = cleanWorld();
    miss(world, 20);
    world.stalls.push({ from: at(19.9), to: at(21.1) });
    assert.deepEqual(checkSteps(world), []);
  });

  for (const [what, standsTo, rules] of [
    ['stood still until its process was killed', 50.6, []],
    ['went on before its process was killed', 46, ['unrecorded']],
  ] as const) {
    test(`what a clock showed that was set back comes again, unless the store ${what}`, () => {
      const world = changedWorld();
      world.steps.push({ at: at(45.8), offsetMs: -10_000 }, { at: at(50.6), offsetMs: 0 });
      world.stalls.push({ from: at(45.7), to: at(standsTo) });
      const named = checkSteps(world).map(({ rule }) => rule);
      assert.deepEqual(
        [...new Set(named)].filter(rule => rule === 'unrecorded'),
        rules,
      );
    });
  }

  test('a time may come again whose record retention took away before the clock was set back', () => {
    const world = cleanWorld();
    takeAway(world, 5, 46.5);
    assert.deepEqual(checkSteps(world), []);
    missAgain(world, 5);
    assert.deepEqual(checkSteps(world), []);
  });

  for (const [how, backUntil, rules] of [
    ['for too short to be seen', 46.5, []],
    ['for longer', 50.4, ['unrecorded']],
  ] as const) {
    test(`a time that was missed comes again where the clock was set back ${how}`, () => {
      const world = cleanWorld();
      miss(world, 20);
      world.stalls.push({ from: at(19.9), to: at(21.1) });
      takeAway(world, 20, backUntil);
      const named = checkSteps(world).map(({ rule }) => rule);
      assert.deepEqual(
        named.filter(rule => rule === 'unrecorded'),
        rules,
      );
    });
  }

  test('a time that came during a retry may be skipped', () => {
    const world = cleanWorld();
    retryInto(world, 21);
    assert.deepEqual(checkSteps(world), []);
  });

  test('one of a clock that was ahead has no record then: it is to come again', () => {
    const world = cleanWorld();
    world.steps = [world.steps[0]!, { at: at(10), offsetMs: 100_000 }, { at: at(20), offsetMs: 0 }];
    for (let second = 110; second < 120; second += 1) send(world, second, at(second - 100) + 4);
    retryInto(world, 116);
    world.runs = world.runs.filter(({ id }) => id !== 'run-116');
    assert.deepEqual(checkSteps(world), []);
  });

  test('its spans begin when the service has looked, and end at a step and a kill', () => {
    assert.deepEqual(steadySpans(cleanWorld()), [
      { from: at(2), to: at(10), offsetMs: 0 },
      { from: at(13), to: at(14), offsetMs: 20_000 },
      { from: at(17), to: at(50.5), offsetMs: 0 },
      { from: at(54.5), to: at(60), offsetMs: 0 },
    ]);
  });

  const tampered = [
    ...TAMPERED.map(each => [cleanWorld, ...each] as const),
    ...TAMPERED_CHANGES.map(each => [changedWorld, ...each] as const),
  ];
  for (const [worldOf, what, rules, tamper] of tampered) {
    test(`${what}: ${rules.join(', ')}`, () => {
      const world = worldOf();
      tamper(world);
      const named = new Set(checkSteps(world).map(({ rule }) => rule));
      assert.deepEqual([...named].sort(), [...rules].sort());
    });
  }

  test('every rule has a world that breaks it', () => {
    const broken = new Set(tampered.flatMap(([, , rules]) => rules));
    assert.deepEqual([...broken].sort(), Object.keys(RULES).sort());
  });
});
