import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { timesBetween } from '../../domain/calendar/calendar.ts';
import { type ClockNote, clockNotes } from '../../domain/calendar/clock-change.ts';
import { iso } from '../../domain/iso.ts';
import { draftNew } from '../../domain/schedule/draft.ts';
import { problemsOf } from '../../domain/schedule/problems.ts';
import { callerOf } from '../access/authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { operation } from '../openapi/operation.ts';
import { CheckResult, TryResult } from '../openapi/schemas/check.ts';
import { ScheduleInput } from '../openapi/schemas/schedule.ts';

const SHOWN_TIMES = 10;
const YEAR_MS = 366 * 86_400_000;

/** What would come of a schedule, before it is stored. */
export function checkAndTry(app: FastifyInstance, deps: ApiDeps): void {
  const { clock, allow, tryOut } = deps;
  const checkSchema = operation({
    operationId: 'checkSchedule',
    summary: 'What a create would refuse, and when it would fire; nothing is stored',
    description:
      'All problems at once, not only the first. It also answers the next ten times and the changes of ' +
      'the clock within a year.',
    tag: 'times',
    body: ScheduleInput,
    answer: CheckResult,
  });
  app.post<{ Body: Wire.ScheduleInput }>('/check', { schema: checkSchema }, async ({ body }) => {
    const problems = problemsOf(body, allow);
    const isTimed = !problems.some(({ where }) => where === 'interval' || where === 'timezone');
    return { problems, ...(isTimed ? timesOf(body, clock.now()) : { times: [], clockNotes: [] }) };
  });

  const trySchema = operation({
    operationId: 'trySchedule',
    summary: 'Send the request of a schedule once, without storing anything',
    description:
      'Not retried; it has 30 seconds at most. Signed and guarded as a firing is. Of a client, 10 are in ' +
      'flight at most, and 100 of all clients: one more is a 400.',
    tag: 'runs',
    body: ScheduleInput,
    answer: TryResult,
  });
  app.post<{ Body: Wire.ScheduleInput }>('/try', { schema: trySchema }, async request => {
    const draft = draftNew(request.body, clock.now(), allow);
    const attempt = await tryOut(draft, callerOf(request));
    return { attempt: { ...attempt, startedAt: iso(attempt.startedAt) } };
  });
}

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
