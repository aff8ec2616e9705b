import type * as Wire from '@punctual/client';
import { PunctualError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import { iso } from '../../domain/iso.ts';
import type { StepRange } from '../../store/contract/stats.ts';
import { callerOf } from '../access/authenticate.ts';
import { readSteps } from '../http/step-range.ts';
import { SCHEDULE_ID } from '../openapi/examples/ids.ts';
import { Timeline, TimelineQuery } from '../openapi/schemas/history.ts';
import { route } from '../route.ts';
import { dueBySteps } from '../stats/due.ts';
import type { StepHistory } from '../stats/history.ts';

const MOST_STEPS = 20_000;

export const getTimeline = route({
  method: 'GET',
  path: '/v1/timeline',
  operationId: 'getTimeline',
  summary: 'Count the times of several schedules, past and to come, step by step',
  description:
    'Ended runs and times that did not fire, by their nominal times; and the nominal times after now.',
  tag: 'figures',
  query: TimelineQuery,
  answer: Timeline,
  example: {
    query: {
      scheduleId: [SCHEDULE_ID],
      from: '2026-06-01T00:00:00Z',
      to: '2026-06-03T00:00:00Z',
      stepSeconds: 3_600,
    },
    answer: {
      from: '2026-06-01T00:00:00.000Z',
      to: '2026-06-03T00:00:00.000Z',
      stepSeconds: 3_600,
      now: '2026-06-01T12:00:00.000Z',
      items: [
        {
          scheduleId: SCHEDULE_ID,
          from: '2026-06-01T00:00:00.000Z',
          steps: [6, 30],
          succeeded: [1, 0],
          failed: [0, 0],
          skipped: [0, 0],
          missed: [0, 0],
          due: [0, 1],
        },
      ],
    },
  },
  handle:
    ({ store, clock, history }) =>
    async request => {
      const { query } = request;
      const { clientRowId } = callerOf(request);
      const range = readSteps(query);
      const asked = [...new Set(query.scheduleId)].filter(isId);
      refuseMany(asked.length, range);
      const found = await store.schedules.findAll(clientRowId, asked);
      const schedules = found.map(({ schedule }) => schedule);
      const known = new Set(schedules.map(({ id }) => id));
      const ids = asked.filter(id => known.has(id));
      const now = clock.now();
      const around = { clientRowId, calendars: store.calendars };
      const [counted, due] = await Promise.all([
        history.of(clientRowId, ids, range),
        dueBySteps(schedules, range, now, around),
      ]);
      return {
        from: iso(range.from),
        to: iso(range.to),
        stepSeconds: range.stepMs / 1_000,
        now: iso(now),
        items: counted.map(each => laneOf(each, due.get(each.scheduleId) ?? NONE, range)),
      };
    },
});

const NONE: ReadonlyMap<number, number> = new Map();

function refuseMany(schedules: number, { from, to, stepMs }: StepRange): void {
  const steps = (schedules * (to - from)) / stepMs;
  if (steps <= MOST_STEPS) return;
  throw new PunctualError(
    'request_invalid',
    `These schedules have ${steps} steps together, above the limit of ${MOST_STEPS}.`,
  );
}

function laneOf(
  { scheduleId, from, steps }: StepHistory,
  due: ReadonlyMap<number, number>,
  range: StepRange,
): Wire.TimelineLane {
  const results = new Map(steps.map(step => [(step.at - range.from) / range.stepMs, step]));
  const numbers = [...new Set([...results.keys(), ...due.keys()])].sort((a, b) => a - b);
  const countsOf = (outcome: 'succeeded' | 'failed' | 'skipped' | 'missed') =>
    numbers.map(number => results.get(number)?.[outcome] ?? 0);
  return {
    scheduleId,
    from: iso(from),
    steps: numbers,
    succeeded: countsOf('succeeded'),
    failed: countsOf('failed'),
    skipped: countsOf('skipped'),
    missed: countsOf('missed'),
    due: numbers.map(number => due.get(number) ?? 0),
    ...(from > range.from && { isPartial: true }),
  };
}
