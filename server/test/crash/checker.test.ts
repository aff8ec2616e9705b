import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { check, OF_PROCESSES } from '../../sim/model/checker.ts';
import type { Evidence } from '../../sim/model/evidence.ts';
import { RULES, type Rule } from '../../sim/model/rules/rule.ts';
import { at, cleanWorld, iso, passed, runOf, Synthetic } from './synthetic.ts';
import { asleepWorld, awaitedWorld, refusedWorld, TAMPERED_AWAITED } from './tampered-awaiting.ts';
import {
  changedWorld,
  droppedWorld,
  explainedWorld,
  racedWorld,
  stalledWorld,
  TAMPERED_CHANGES,
  TAMPERED_STALLED,
  TAMPERED_WAITED,
  waitedWorld,
} from './tampered-changes.ts';
import {
  TAMPERED_CLIENTS,
  TAMPERED_DROPPED,
  worldOfClients,
  worldOfDropped,
  worldOfLostClaims,
} from './tampered-clients.ts';
import { countedWorld, TAMPERED_COUNTS } from './tampered-counts.ts';
import { TAMPERED } from './tampered-evidence.ts';
import { limitedWorld, TAMPERED_LIMITS } from './tampered-limits.ts';
import { frozenWorld, sharedWorld, TAMPERED_NODES } from './tampered-nodes.ts';
import { pausedWorld, startedInPause, TAMPERED_PAUSES } from './tampered-pauses.ts';
import { asleepByHand, brokenWorld, retriedWorld, TAMPERED_RETRIES } from './tampered-retries.ts';
import {
  steeredWorld,
  stoppedWorld,
  TAMPERED_STEERED,
  TAMPERED_STOPPED,
} from './tampered-steered.ts';
import { TAMPERED_WIRE, wiredWorld } from './tampered-wire.ts';

const IN_TIME = { ...OF_PROCESSES, lateMs: 500 };

describe('checker', () => {
  test('a world in which everything went right has no violation', () => {
    const { violations, figures } = check(cleanWorld(), IN_TIME);
    assert.deepEqual(violations, []);
    assert.deepEqual(figures, {
      kills: 1,
      schedules: 8,
      due: 19 + 19 + 4 + 2 + 3 + 1 + 2 + 2,
      requests: 18 + 10 + 4 + 4 + 3 + 1 + 1 + 2 + 2,
      duplicates: 1,
      lost: 1,
      retries: 2,
      missed: 2,
      skipped: 9,
      overrun: 0,
      callbacks: 18 + 4 + 1,
      completed: 2,
      longestDownMs: 2_200,
      longestGapMs: 2_300,
    });
  });

  test('an unacknowledged create may be there or not', () => {
    const world = cleanWorld();
    world.schedules[0]!.acknowledged = false;
    assert.deepEqual(check(world).violations, []);
  });

  test('a time that is late by a whole interval counts as overrun, not as lost', () => {
    const world = cleanWorld();
    passed(world, 'fast', 17, 'missed');
    const { violations, figures } = check(world);
    assert.deepEqual(violations, []);
    assert.equal(figures.overrun, 1);
  });

  test('a time that came while the store stood still counts as overrun, though others departed', () => {
    const world = cleanWorld();
    passed(world, 'fast', 5, 'missed');
    world.stalls.push({ from: at(4.6), to: at(6.2) });
    const { violations, figures } = check(world);
    assert.deepEqual(violations, []);
    assert.equal(figures.overrun, 1);
  });

  test('so does the last one of history, where no later one has begun', () => {
    const rules = (standsTo: number) => {
      const world = cleanWorld();
      passed(world, 'fast', 20, 'missed');
      world.stalls.push({ from: at(19.6), to: at(standsTo) });
      return check(world).violations.map(({ rule }) => rule);
    };
    assert.deepEqual(rules(21.2), []);
    assert.deepEqual(rules(19.8), ['missedWhileUp']);
  });

  test('an engine cannot look while its store or its machine stands still: a later time may be the latest', () => {
    const rules = (from: number, to: number) => {
      const world = cleanWorld();
      passed(world, 'late', 11, 'missed');
      world.stalls.push({ from: at(from), to: at(to) });
      return check(world).violations.map(({ rule }) => rule);
    };
    assert.deepEqual(rules(13, 13.5), []);
    assert.deepEqual(rules(13, 13.1), ['latestMissed']);
    assert.deepEqual(rules(12, 12.5), ['latestMissed']);
  });

  test('where a start is cut off before it has looked, the next one decides what was the latest', () => {
    const rules = (killedAt: number) => check(killedTwice(killedAt)).violations.map(v => v.rule);
    assert.deepEqual(rules(13), []);
    assert.deepEqual(rules(15.9), ['latestMissed']);
  });

  test('where a stop gives back what waits for a connection, the next start decides as well', () => {
    const rules = (connectMs: number) =>
      check(killedTwice(15.63), { ...OF_PROCESSES, connectMs }).violations.map(v => v.rule);
    assert.deepEqual(rules(80), []);
    assert.deepEqual(rules(20), ['latestMissed']);
  });

  test('a change drops what has just come, and is otherwise as its callers asked', () => {
    for (const world of [
      changedWorld(),
      droppedWorld(),
      explainedWorld(),
      racedWorld(),
      stalledWorld(),
      waitedWorld(),
    ])
      assert.deepEqual(check(world, IN_TIME).violations, []);
  });

  test('what a suspended client misses says so, and its requests are signed as its secrets are rotated', () => {
    assert.deepEqual(check(worldOfClients(), IN_TIME).violations, []);
  });

  test('the retry of a callback that nobody could send is dropped with its client', () => {
    assert.deepEqual(check(worldOfDropped(), IN_TIME).violations, []);
  });

  test('a run that awaits ends as its target says, or at its deadline', () => {
    assert.deepEqual(check(awaitedWorld(), IN_TIME).violations, []);
    assert.deepEqual(check(steeredWorld(), IN_TIME).violations, []);
    assert.deepEqual(check(retriedWorld(), IN_TIME).violations, []);
  });

  test('a run that was cut off goes first, and its answer may stop the latest of the times that passed', () => {
    assert.deepEqual(check(stoppedWorld(), IN_TIME).violations, []);
    const world = stoppedWorld();
    const [, stop] = world.schedules[0]!.versions!;
    stop!.is = { ...stop!.is, status: 'enabled', pausedUntil: at(22.7) };
    const asked = { pauseSeconds: 10 };
    world.arrivals.at(-1)!.asked = asked;
    runOf(world, 'stopped', 10).attempts[1]!.control = asked;
    runOf(world, 'stopped', 12).reason =
      `The run before it paused the schedule until ${iso(22.7)}.`;
    assert.deepEqual(check(world, IN_TIME).violations, []);
  });

  test('an answer that broke off is tried again by its status', () => {
    const rulesOf = (status: number) => {
      const { violations } = check(brokenWorld(status), IN_TIME);
      return [...new Set(violations.map(({ rule }) => rule))];
    };
    assert.deepEqual([301, 404, 410].map(rulesOf), [[], [], []]);
    assert.deepEqual([408, 429, 503].map(rulesOf), [['retryLost'], ['retryLost'], ['retryLost']]);
  });

  test('a retry of a manual run gives way to the next time after a suspension in which its answer was read', () => {
    const rulesOf = (delay: number, second: number) =>
      check(asleepByHand(delay, second), IN_TIME).violations.map(({ rule }) => rule);
    assert.deepEqual(rulesOf(4, 14.6), []);
    assert.deepEqual(rulesOf(6, 16.6), ['retryAtNext']);
  });

  test('a retry that an answer asked for as it broke off gives way to the next time', () => {
    const world = brokenWorld(429);
    for (const arrival of world.arrivals) arrival.retryAt = arrival.scheduledFor + 5_001;
    assert.deepEqual(check(world, IN_TIME).violations, []);
  });

  test('a deadline counts from when a machine that was suspended reads the answer, and from no other instant', () => {
    assert.deepEqual(check(asleepWorld(14.511), IN_TIME).violations, []);
    const { violations } = check(asleepWorld(14.3), IN_TIME);
    assert.deepEqual(
      violations.map(({ rule }) => rule),
      ['deadlineWrong'],
    );
  });

  test('what is said ends a run with its answer while that waits behind a batch that the store has refused', () => {
    const rules = (saidAt: number) =>
      check(refusedWorld(saidAt), { ...IN_TIME, graceMs: 0 }).violations.map(({ rule }) => rule);
    assert.deepEqual(rules(5.2), []);
    assert.deepEqual(rules(5.4), ['completionUnasked']);
  });

  test('limits let through what they say, and a calendar takes its times away', () => {
    assert.deepEqual(check(limitedWorld(), IN_TIME).violations, []);
  });

  test('requests that follow each other on one connection break no rule', () => {
    assert.deepEqual(check(wiredWorld(), IN_TIME).violations, []);
  });

  test('a time is missed while a node that is dead holds it', () => {
    assert.deepEqual(check(sharedWorld(), IN_TIME).violations, []);
  });

  test('a time whose claims were lost until its client was resumed says something else', () => {
    const slack = { ...IN_TIME, graceMs: 0 };
    const rules = (...claims: Parameters<typeof worldOfLostClaims>) =>
      check(worldOfLostClaims(...claims), slack).violations.map(({ rule }) => rule);
    assert.deepEqual(rules([9.5, 20.3, true]), []);
    assert.deepEqual(rules([10.2, 20.3, true]), []);
    assert.deepEqual(rules([10.2, 12.9, true], [13.1, 20.3, true]), []);
    // A row that waits is claimed before that: this one was put off.
    assert.deepEqual(rules([11.2, 20.3, true]), ['suspendedUntold']);
    const untold = ['suspendedUntold', 'suspendedUntold'];
    assert.deepEqual(rules([10.2, 12.9, true], [13.1, 20.3, false]), ['notRenewed', ...untold]);
  });

  test('a retry waits from when its node has read the answer, and one that is frozen reads it as it goes on', () => {
    const rules = (...frozen: Parameters<typeof frozenWorld>) =>
      check(frozenWorld(...frozen), IN_TIME).violations.map(({ rule }) => rule);
    for (const from of [10.01, 10.011]) {
      assert.deepEqual(rules(from, 13.9, 19.2), []);
      assert.deepEqual(rules(from, 14.5, null), []);
      assert.deepEqual(rules(from, 10.5, null), ['retryLost']);
    }
    assert.deepEqual(rules(10.2, 13.9, 19.2), ['late']);
    assert.deepEqual(rules(10.2, 14.5, null), ['retryLost']);
  });

  test('what passes in a pause says so', () => {
    assert.deepEqual(check(pausedWorld(), IN_TIME).violations, []);
  });

  test('what passes before the first node looks is unseen, however short that is', () => {
    const slack = { ...IN_TIME, slackMs: 0, graceMs: 0, blindMs: 5_000 };
    const rulesOf = (world: Evidence) =>
      check(world, slack).violations.map(violation => violation.rule);
    const world = startedInPause();
    assert.deepEqual(rulesOf(world), []);
    delete world.schedules[0]!.policy;
    assert.deepEqual(rulesOf(world), ['latestMissed']);
    const fired = startedInPause();
    const [run] = fired.runs;
    const attempts = [{ ...fired.runs[1]!.attempts[0]!, startedAt: iso(2.35) }];
    Object.assign(run!, {
      status: 'succeeded',
      startedAt: iso(2.35),
      finishedAt: iso(2.36),
      attempts,
    });
    assert.ok(rulesOf(fired).includes('oldFired'));
  });

  const tampered = [
    ...TAMPERED.map(each => [cleanWorld, ...each] as const),
    ...TAMPERED_CHANGES.map(each => [changedWorld, ...each] as const),
    ...TAMPERED_STALLED.map(each => [stalledWorld, ...each] as const),
    ...TAMPERED_WAITED.map(each => [waitedWorld, ...each] as const),
    ...TAMPERED_AWAITED.map(each => [awaitedWorld, ...each] as const),
    ...TAMPERED_CLIENTS.map(each => [worldOfClients, ...each] as const),
    ...TAMPERED_DROPPED.map(each => [worldOfDropped, ...each] as const),
    ...TAMPERED_PAUSES.map(each => [pausedWorld, ...each] as const),
    ...TAMPERED_STEERED.map(each => [steeredWorld, ...each] as const),
    ...TAMPERED_STOPPED.map(each => [stoppedWorld, ...each] as const),
    ...TAMPERED_COUNTS.map(each => [countedWorld, ...each] as const),
    ...TAMPERED_RETRIES.map(each => [retriedWorld, ...each] as const),
    ...TAMPERED_LIMITS.map(each => [limitedWorld, ...each] as const),
    ...TAMPERED_NODES.map(each => [sharedWorld, ...each] as const),
    ...TAMPERED_WIRE.map(each => [wiredWorld, ...each] as const),
  ];
  for (const [worldOf, what, rules, tamper] of tampered) {
    test(`${what}: ${rules.join(', ')}`, () => {
      const world = worldOf();
      tamper(world);
      const { violations } = check(world, IN_TIME);
      assert.deepEqual([...new Set(violations.map(({ rule }) => rule))].sort(), [...rules].sort());
      for (const { sentence } of violations) assert.match(sentence, /^[A-Z0-9].*\.$/);
    });
  }

  test('every rule is broken by one of these worlds', () => {
    const broken = new Set(tampered.flatMap(([, , rules]) => rules));
    assert.deepEqual(
      Object.keys(RULES).filter(rule => !broken.has(rule as Rule)),
      [],
    );
  });
});

/** A time passes while the service is down; it comes up, and is killed again before the next one. */
function killedTwice(second: number) {
  const world = new Synthetic();
  world.schedule('late', '1-59/5 * * * * *');
  world.fired('late', 6, [6, 10, 200]);
  world.passed('late', 11, 'missed');
  world.fired('late', 16, [16.6, 10, 200]);
  world.evidence.lives = [
    { spawnedAt: at(0), readyAt: at(1), end: { how: 'killed', from: at(10.4), to: at(10.41) } },
    {
      spawnedAt: at(12),
      readyAt: at(12.6),
      end: { how: 'killed', from: at(second), to: at(second + 0.01) },
    },
    { spawnedAt: at(16.1), readyAt: at(16.5), end: null },
  ];
  return world.evidence;
}
