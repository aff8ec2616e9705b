import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Key, Run, Schedule } from '@punctual/client';
import {
  areStepsHidden,
  areStepsOpen,
  askAgainMs,
  firstSteps,
  hideSteps,
  type StepFacts,
} from '../src/start/first-steps.ts';
import { showMeInputs, shownSamples } from '../src/start/show-me.ts';

const NEW: StepFacts = {
  schedules: [],
  isMore: false,
  succeeded: [],
  failed: [],
  keys: [{ id: 'mine' } as Key],
  keyId: 'mine',
};
const A_RUN = [{ id: 'r' } as Run];
const scheduleOf = (more: Partial<Schedule> = {}) =>
  ({ id: 's', status: 'enabled', ...more }) as Schedule;
const WEBHOOK = { integrations: [{ id: 'w' }] } as Partial<Schedule>;
const ticksOf = (more: Partial<StepFacts>) =>
  firstSteps({ ...NEW, ...more }).flatMap(({ isDone }, index) => (isDone ? [index] : []));

describe('a first step is ticked by what the service has', () => {
  test('on an empty installation none is', () => assert.deepEqual(ticksOf({}), []));
  test('a schedule', () => assert.deepEqual(ticksOf({ schedules: [scheduleOf()] }), [0]));
  test('a deleted schedule is none', () =>
    assert.deepEqual(ticksOf({ schedules: [scheduleOf({ status: 'deleted', ...WEBHOOK })] }), []));
  test('a success', () => assert.deepEqual(ticksOf({ succeeded: A_RUN }), [1]));
  test('a failure', () => assert.deepEqual(ticksOf({ failed: A_RUN }), [2]));
  test('a webhook', () => assert.deepEqual(ticksOf({ schedules: [scheduleOf(WEBHOOK)] }), [0, 3]));
  test('a second key, unless it is revoked', () => {
    const revoked = { id: 'old', revokedAt: '2026-11-24T00:00:00Z' } as Key;
    assert.deepEqual(ticksOf({ keys: [...NEW.keys, revoked] }), []);
    assert.deepEqual(ticksOf({ keys: [...NEW.keys, { id: 'other' } as Key] }), [4]);
  });
});

test('the step of the webhook leads to the form of a schedule, if there is one', () => {
  const href = (schedules: Schedule[]) => firstSteps({ ...NEW, schedules })[3]!.href;
  assert.equal(href([]), '/schedules/new');
  assert.equal(href([scheduleOf({ id: 'x' })]), '/schedules/x/edit');
});

describe('the check list', () => {
  const isOpen = (facts: StepFacts) => areStepsOpen(firstSteps(facts), facts);
  const done: StepFacts = {
    ...NEW,
    schedules: [scheduleOf(WEBHOOK)],
    succeeded: A_RUN,
    failed: A_RUN,
    keys: [...NEW.keys, { id: 'other' } as Key],
  };

  test('is gone when all is done', () => {
    assert.equal(isOpen({ ...done, failed: [] }), true);
    assert.equal(isOpen(done), false);
  });

  test('is not for somebody with more than ten schedules', () => {
    const many = Array.from({ length: 10 }, () => scheduleOf());
    assert.equal(isOpen({ ...NEW, schedules: many }), true);
    assert.equal(isOpen({ ...NEW, schedules: [...many, scheduleOf()] }), false);
    assert.equal(isOpen({ ...NEW, isMore: true }), false);
  });

  test('asks often for two minutes, and seldom from then on', () => {
    const often = [0, 1, 39].map(askAgainMs);
    assert.deepEqual(often, [3_000, 3_000, 3_000]);
    assert.equal(askAgainMs(40), 15_000);
  });

  test('stays hidden for the client that hid it', () => {
    const kept = new Map<string, string>();
    const shelf = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
    };
    assert.equal(areStepsHidden('a', shelf), false);
    hideSteps('a', shelf);
    assert.deepEqual([areStepsHidden('a', shelf), areStepsHidden('b', shelf)], [true, false]);
  });
});

test('the samples are those that Show me made, and not others with its tag', () => {
  const made = showMeInputs('http://127.0.0.1:8080/sample');
  assert.deepEqual(
    made.map(({ url }) => url),
    ['healthy', 'flaky', 'hanging'].map(name => `http://127.0.0.1:8080/sample/${name}`),
  );
  const schedules = made.map(input => scheduleOf(input as Partial<Schedule>));
  const others = [
    scheduleOf({ tags: { sample: 'show-me' } }),
    scheduleOf({ externalId: 'show-me-too' }),
    { ...schedules[0]!, status: 'deleted' as const },
  ];
  assert.deepEqual(shownSamples([...others, ...schedules]), schedules);
});
