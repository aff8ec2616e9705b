import type * as Wire from '@punctual/client';
import { timesBetween } from '../../domain/calendar/calendar.ts';
import { type ClockNote, clockNotes } from '../../domain/calendar/clock-change.ts';
import { iso } from '../../domain/iso.ts';
import { problemsOf } from '../../domain/schedule/problems.ts';
import { EXAMPLE_INPUT } from '../openapi/examples/schedules.ts';
import { CheckResult } from '../openapi/schemas/check.ts';
import { ScheduleInput } from '../openapi/schemas/schedule.ts';
import { route } from '../route.ts';

const SHOWN_TIMES = 10;
const YEAR_MS = 366 * 86_400_000;

export const checkSchedule = route({
  method: 'POST',
  path: '/v1/check',
  operationId: 'checkSchedule',
  summary: 'Check a schedule as a create would, and show its next times; nothing is stored',
  description:
    'All problems at once, not only the first. It also answers the next ten times and the changes of ' +
    'the clock within a year.',
  tag: 'times',
  body: ScheduleInput,
  answer: CheckResult,
  example: {
    body: { ...EXAMPLE_INPUT, interval: '30 2 * * *' },
    answer: {
      problems: [],
      times: ['2026-06-01T00:30:00.000Z', '2026-06-02T00:30:00.000Z'],
      clockNotes: [
        {
          kind: 'moved',
          localTime: '2027-03-28T02:30:00',
          at: '2027-03-28T01:00:00.000Z',
          sentence:
            'On 2027-03-28, 02:30:00 does not exist: it will fire when the clock has been set forward.',
        },
      ],
    },
  },
  handle:
    ({ clock, allow }) =>
    async ({ body }) => {
      const problems = problemsOf(body, allow);
      const isTimed = !problems.some(({ where }) => where === 'interval' || where === 'timezone');
      return {
        problems,
        ...(isTimed ? timesOf(body, clock.now()) : { times: [], clockNotes: [] }),
      };
    },
});

function timesOf({ interval, timezone }: Wire.ScheduleInput, now: number) {
  const endOfTime = Number.POSITIVE_INFINITY;
  const times = timesBetween(interval, timezone, now + 1, endOfTime, SHOWN_TIMES);
  const notes = clockNotes(interval, timezone, now, now + YEAR_MS);
  return {
    times: times.map(iso),
    clockNotes: notes.map(note => ({ ...note, at: iso(note.at), sentence: sentenceOf(note) })),
  };
}

function sentenceOf({ kind, localTime }: ClockNote): string {
  const [day, time] = localTime.split('T');
  switch (kind) {
    case 'moved':
      return `On ${day}, ${time} does not exist: it will fire when the clock has been set forward.`;
    case 'dropped':
      return `On ${day}, ${time} does not exist: it will not fire then.`;
    case 'once':
      return `On ${day}, ${time} comes twice: it will fire the first time only.`;
    case 'twice':
      return `On ${day}, ${time} comes twice: it will fire both times.`;
  }
}
