import type * as Wire from '@punctual/client';
import { clockNotes } from '../../domain/calendar/clock-change.ts';
import { type ExcludedTime, excludedTimes } from '../../domain/calendar/excluded-times.ts';
import { nextTime, timesBetween } from '../../domain/calendar/times.ts';
import type { When } from '../../domain/calendar/timing.ts';
import { newId, runId } from '../../domain/id.ts';
import { iso } from '../../domain/iso.ts';
import type { ScheduleBody } from '../../domain/schedule/body.ts';
import { isRendered, isTimed, problemsOf } from '../../domain/schedule/problems.ts';
import { renderedParts } from '../../domain/schedule/request-parts.ts';
import { unstoredWhen } from '../../domain/schedule/timing-draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { clockNoteAnswer } from '../clock-notes.ts';
import type { ApiDeps } from '../deps.ts';
import { SCHEDULE_ID } from '../openapi/examples/ids.ts';
import { EXAMPLE_INPUT } from '../openapi/examples/schedules.ts';
import { CheckResult } from '../openapi/schemas/check.ts';
import { ScheduleInput } from '../openapi/schemas/schedule.ts';
import { referencesFor } from '../references.ts';
import { route } from '../route.ts';

const SHOWN_TIMES = 10;
const SHOWN_EXCLUDED = 5;
const YEAR_MS = 366 * 86_400_000;

export const checkSchedule = route({
  method: 'POST',
  path: '/v1/check',
  operationId: 'checkSchedule',
  summary: 'Check a schedule as a create would, and show its next times; nothing is stored',
  description:
    'All problems at once, not only the first; whether its external id is free is not looked up. It also answers the ' +
    'next ten times, the changes of the clock within a year, and the next five times that calendars take away or move. ' +
    'With `policy.template`, it answers the request of the next time too.',
  tag: 'times',
  body: ScheduleInput,
  answer: CheckResult,
  example: {
    body: {
      ...EXAMPLE_INPUT,
      interval: '30 2 * * *',
      data: { day: '{{run.localDate}}' },
      policy: { template: true },
    },
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
      request: {
        method: 'POST',
        url: EXAMPLE_INPUT.url,
        headers: {
          'Content-Type': 'application/json',
          'Punctual-Schedule-Id': SCHEDULE_ID,
          'Punctual-Scheduled-For': '2026-06-01T00:30:00.000Z',
        },
        body: '{"day":"2026-06-01"}',
      },
    },
  },
  handle:
    ({ store, clock, allow, showRequest }) =>
    async request => {
      const { body } = request;
      const { clientRowId } = callerOf(request);
      const references = await referencesFor(store, clientRowId, [body]);
      const now = clock.now();
      const problems = problemsOf(body, { allow, now, references });
      const when = isTimed(problems) ? unstoredWhen(body, now, references.calendars) : null;
      const times = when === null ? { times: [], clockNotes: [] } : timesOf(when, now);
      if (body.policy?.template !== true || !isRendered(problems)) return { problems, ...times };
      const next = when === null ? null : nextTime(when, now);
      return { problems, ...times, request: requestAt(body, next ?? now, now, showRequest) };
    },
});

/** As its first attempt would be, of a schedule that has no run before. */
function requestAt(
  body: ScheduleBody,
  scheduledFor: number,
  now: number,
  showRequest: ApiDeps['showRequest'],
): Wire.RenderedRequest {
  const id = newId(now);
  const run = { runId: runId(id, scheduledFor), scheduledFor, attempt: 1, trigger: 'schedule' };
  return showRequest(renderedParts(body, id, run), { scheduleId: id, scheduledFor });
}

function timesOf(when: When, now: number): Omit<Wire.CheckResult, 'problems'> {
  const times = timesBetween(when, now + 1, Number.POSITIVE_INFINITY, SHOWN_TIMES);
  const notes = clockNotes(when, now, now + YEAR_MS);
  const excluded = excludedTimes(when, now, SHOWN_EXCLUDED);
  return {
    times: times.map(iso),
    clockNotes: notes.map(clockNoteAnswer),
    ...(excluded.length > 0 && { excluded: excluded.map(excludedAnswer) }),
  };
}

function excludedAnswer({ at, movedTo, by }: ExcludedTime): Wire.ExcludedTime {
  const { calendar, summary } = by;
  return {
    at: iso(at),
    ...(movedTo !== undefined && { movedTo: iso(movedTo) }),
    calendar,
    summary,
  };
}
