import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Arrival, Evidence } from '../../sim/model/evidence.ts';
import { storyOf, type Told, withNames } from '../../sim/story.ts';

const [S1, S2, RUN] = ['1', '2', '3'].map(end => `019ca945-0f17-7000-8016-00000000000${end}`);
const STARTED_AT = Date.parse('2026-03-01T12:00:00.500Z');

test('a sentence names schedules as the trace does', () => {
  const sentence = `2026-03-01T12:00:01.000Z of schedule ${S2} has no record, ${RUN} has.`;
  const told = `2026-03-01T12:00:01.000Z of schedule s2 has no record, ${RUN} has.`;
  assert.equal(withNames(sentence, world().names), told);
});

test('the story of a failure tells what concerns its schedule, until its last instant', () => {
  assert.deepEqual(storyOf(world(), `2026-03-01T12:00:03.000Z of schedule ${S2} has no record.`), [
    '   0.000  start n1',
    '   0.100  create s2: * * * * * * https://target.example/ok',
    '   0.600  n1: attempt 1 of 2026-03-01T12:00:01.000Z: 500',
    '   0.700  n1: claims it, until another node takes it over at 2026-03-01T12:00:14.000Z',
    '   0.800  callback of 2026-03-01T12:00:01.000Z, attempt 2: no answer',
    '   1.000  schedule run of 2026-03-01T12:00:01.000Z is failed: It was late.',
    '   3.400  kill n1',
  ]);
});

test('what was not sent is told when that was decided', () => {
  const evidence = { ...world().evidence, arrivals: [], callbackArrivals: [] };
  const decided = { ...evidence, decidedAt: { [RUN!]: STARTED_AT + 2_000 } };
  const story = storyOf({ ...world(), evidence: decided }, `Schedule ${S2} is silent.`);
  assert.match(story[3]!, /^ {3}2\.000 {2}schedule run of /);
});

test('a clock that was set dates neither the story nor its end', () => {
  const stepped = { ...world(), profile: { faults: ['step'] } as Told['profile'] };
  const end = '2026-03-01T12:00:01.000Z of schedule';
  const lines = (sentence: string) => storyOf(stepped, sentence).map(line => line.slice(0, 12));
  const until = ['   0.000  st', '   0.100  cr', '   0.600  n1', '   0.700  n1', '   0.800  ca'];
  assert.deepEqual(lines(`${end} ${S2} was early.`), until);
  const all = [...until, '   3.400  ki', '   9.000  st'];
  assert.deepEqual(lines(`2031-03-01T12:00:01.000Z of schedule ${S2} was early.`), all);
});

test('a run stands for its schedule', () => {
  assert.equal(storyOf(world(), `The callback of ${RUN} came twice.`).length, 8);
});

test('of many events the last are told, and none where nobody is named', () => {
  const trace = Array.from({ length: 30 }, (_, index) => `   0.0${10 + index}  trigger s2`);
  const story = storyOf({ ...world(), trace, evidence: NONE }, `Schedule ${S2} is silent.`);
  assert.deepEqual([story.length, story.at(-1)], [20, '   0.039  trigger s2']);
  assert.deepEqual(storyOf(world(), 'The store stands still.'), []);
});

const NONE = { arrivals: [], callbackArrivals: [], runs: [] } as unknown as Evidence;

function world(): Told {
  const scheduledFor = Date.parse('2026-03-01T12:00:01.000Z');
  const of = (scheduleId: string, ms: number, attempt: number, status: number | null) => {
    return { scheduleId, scheduledFor, at: STARTED_AT + ms, attempt, status } as Arrival;
  };
  return {
    startedAt: STARTED_AT,
    profile: { faults: [] } as unknown as Told['profile'],
    names: new Map([
      [S1!, 's1'],
      [S2!, 's2'],
    ]),
    trace: [
      '   0.000  start n1',
      '   0.050  create s1: * * * * * * https://target.example/ok',
      '   0.100  create s2: * * * * * * https://target.example/ok',
      '   0.200  trigger s20',
      '   3.400  kill n1',
      '   9.000  start n2',
    ],
    evidence: {
      arrivals: [{ ...of(S2!, 600, 1, 500), node: 'n1' }, of(S1!, 5_000, 1, 200)],
      callbackArrivals: [of(S2!, 800, 2, null)],
      runs: [
        {
          ...{ id: RUN!, scheduleId: S2!, trigger: 'schedule', status: 'failed' },
          scheduledFor: new Date(scheduledFor).toISOString(),
          finishedAt: new Date(STARTED_AT + 1_000).toISOString(),
          reason: 'It was late.',
        },
      ],
      shared: {
        holds: [
          {
            ...{ scheduleId: S2!, node: 'n1', isTakenBack: true },
            from: STARTED_AT + 700,
            to: STARTED_AT + 13_500,
          },
          { scheduleId: S2!, node: 'n2', from: STARTED_AT, isTakenBack: false },
        ],
      },
    } as unknown as Evidence,
  };
}
