import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { Instant, named, oneOf, proven, ref } from './fields.ts';
import { HostFilter, page, Schedule, tagFilter } from './schedule.ts';

/** Schedules with their health. */

const SORTS = ['newest', 'worst', 'next', 'slowest'] as const;
const OUTCOMES = ['succeeded', 'failed', 'skipped', 'missed'] as const;

export const HealthQuery = proven<Wire.HealthQuery>()(
  Type.Object({
    ...page,
    status: Type.Optional(
      oneOf(['enabled', 'disabled', 'deleted'] as const, {
        description: 'Deleted ones are left out unless asked for.',
      }),
    ),
    label: Type.Optional(Type.String({ description: 'Contained, any case.' })),
    url: Type.Optional(Type.String({ description: 'Contained, any case.' })),
    host: Type.Optional(HostFilter()),
    tag: Type.Optional(tagFilter()),
    sort: Type.Optional(
      oneOf(SORTS, {
        description:
          '`newest` by default. `worst`: by the latest outcomes that failed or were missed in a row, then by their ' +
          'share. `slowest`: by `p95DurationMs`. `next`: by `nextAt`. Of more than 1,000 schedules, 1,000 at most are ' +
          'ranked, and the others follow, newest first.',
      }),
    ),
    groupBy: Type.Optional(
      oneOf(['host', 'tag'] as const, { description: 'Counts the schedules by it too.' }),
    ),
  }),
);

const outcome = {
  id: Type.String({ description: 'Of the run, or of the record of a time that did not fire.' }),
  status: oneOf(OUTCOMES, { description: 'The outcome of the time.' }),
  scheduledFor: Instant('The nominal time.'),
};

export const RecentOutcome = named<Wire.RecentOutcome>('RecentOutcome')(
  Type.Object(outcome, { description: 'The outcome of one nominal time.' }),
);

export const LastOutcome = named<Wire.LastOutcome>('LastOutcome')(
  Type.Object(
    {
      ...outcome,
      endedAt: Type.Optional(Instant('When it ended, or it was decided that it is not sent.')),
      responseStatus: Type.Optional(Type.Integer({ description: 'Of the last answer.' })),
      error: Type.Optional(Type.String({ description: 'Why it is not a success.' })),
    },
    { description: 'The latest outcome of a schedule.' },
  ),
);

export const ScheduleHealth = named<Wire.ScheduleHealth>('ScheduleHealth')(
  Type.Object(
    {
      schedule: ref(Schedule),
      recent: Type.Array(ref(RecentOutcome), { description: 'The latest 30, newest first.' }),
      last: Type.Optional(ref(LastOutcome)),
      nextAt: Type.Optional(
        Instant('When it fires next; a retry counts. Absent where nothing is to come.'),
      ),
      p95DurationMs: Type.Optional(
        Type.Number({
          description:
            'Of `recent`, from the first request to the end, in ms: 95 of 100 took no longer.',
        }),
      ),
      p95LateMs: Type.Optional(
        Type.Number({
          description: 'Of `recent`, from the nominal time to the first request, in ms.',
        }),
      ),
      succeeded24h: Type.Integer({
        description:
          'Runs of the last 24 hours, and of the hour that began before them, that succeeded.',
      }),
      ended24h: Type.Integer({ description: 'The same, that succeeded or failed.' }),
      countedFrom: Type.Optional(
        Instant(
          'Since when the two are counted, where not all of that time is counted yet: ask again in a second.',
        ),
      ),
    },
    { description: 'A schedule with its latest outcomes.' },
  ),
);

export const Total = named<Wire.Total>('Total')(
  Type.Object(
    {
      count: Type.Integer({ description: 'How many there are.' }),
      isExact: Type.Boolean({ description: 'False: there are as many at least.' }),
    },
    { description: 'The number of items on all pages.' },
  ),
);

export const GroupCount = named<Wire.GroupCount>('GroupCount')(
  Type.Object(
    {
      name: Type.String({ description: 'A host, or a tag such as `team:billing`.' }),
      count: Type.Integer({ description: 'Of schedules; by host only enabled ones are counted.' }),
    },
    { description: 'Schedules with the same host, or the same tag.' },
  ),
);

export const HealthPage = named<Wire.HealthPage>('HealthPage')(
  Type.Object(
    {
      items: Type.Array(ref(ScheduleHealth), { description: 'In the order that was asked for.' }),
      total: ref(Total),
      groups: Type.Optional(
        Type.Array(ref(GroupCount), {
          description: 'The 100 with most schedules, whatever else is asked for.',
        }),
      ),
      nextCursor: Type.Optional(
        Type.String({
          description:
            'Absent on the last page. A search among very many schedules may answer fewer than were ' +
            'asked for, or none, and go on here.',
        }),
      ),
    },
    { description: 'A page of schedules with their health.' },
  ),
);
