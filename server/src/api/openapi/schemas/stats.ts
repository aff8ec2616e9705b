import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { Instant, named, oneOf, proven, ref } from './fields.ts';
import { Run } from './run.ts';

/** Explanations, and the figures of the pages. */

const VERDICTS = [
  'succeeded',
  'failed',
  'running',
  'retrying',
  'queued',
  'skipped',
  'missed',
  'waiting',
  'upcoming',
  'moved',
  'dropped',
  'repeated',
  'paused',
  'excluded',
  'rolled',
  'beforeStart',
  'afterEnd',
  'completed',
  'deleted',
  'notCreated',
  'neverDue',
  'forgotten',
  'unrecorded',
] as const;

export const ExplainQuery = proven<Wire.ExplainQuery>()(
  Type.Object({
    at: Type.String({
      description:
        "ISO 8601. Without an offset it is a time of the schedule's own wall clock, such as " +
        '2026-03-29T02:30.',
    }),
  }),
);

export const Explanation = named<Wire.Explanation>('Explanation')(
  Type.Object(
    {
      scheduleId: Type.String({ description: 'The schedule.' }),
      at: Instant('The instant that was asked for.'),
      verdict: oneOf(VERDICTS, {
        description:
          'The status of the run where there is one. `waiting`: due and not begun yet. `upcoming`: ' +
          'to come. `moved`, `dropped`, `repeated`: by a change of the wall clock. `excluded`, ' +
          '`rolled`: a calendar takes it away, or moves it. `beforeStart`, `afterEnd`: outside the bounds. ' +
          '`completed`: no time was left to come. `paused`, ' +
          '`deleted`, `notCreated`: what the schedule was then. `neverDue`: no nominal time. ' +
          '`forgotten`: older than history. `unrecorded`: due as far as is known, without a record.',
      }),
      sentence: Type.String({ description: 'The same in words, with the reason.' }),
      interval: Type.String({ description: 'The interval at that instant.' }),
      timezone: Type.String({ description: 'The time zone at that instant.' }),
      lateMs: Type.Optional(
        Type.Number({ description: 'From the nominal time to the first attempt.' }),
      ),
      localTime: Type.Optional(
        Type.String({ description: 'The local time that does not exist, or comes twice.' }),
      ),
      movedTo: Type.Optional(Instant('When it is due instead.')),
      previous: Type.Optional(Instant('The nominal time before.')),
      next: Type.Optional(Instant('The nominal time after.')),
      run: Type.Optional(ref(Run)),
    },
    { description: 'The result of an instant, and the reason.' },
  ),
);

export const StatsQuery = proven<Wire.StatsQuery>()(
  Type.Object({
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 180, default: 60, description: 'How far back.' }),
    ),
  }),
);

const tally = {
  succeeded: Type.Integer({ description: 'Runs that succeeded.' }),
  failed: Type.Integer({ description: 'Runs that failed for good.' }),
  skipped: Type.Integer({ description: 'Times that came while a run was going on.' }),
  missed: Type.Integer({ description: 'Times that passed unseen.' }),
  p50LateMs: Type.Optional(Type.Number({ description: 'Of scheduled runs; within a tenth.' })),
  p99LateMs: Type.Optional(Type.Number({ description: 'Of scheduled runs; within a tenth.' })),
};

export const Tally = named<Wire.Tally>('Tally')(
  Type.Object(tally, { description: 'Runs that ended, and times that did not fire.' }),
);

export const StatsMinute = named<Wire.StatsMinute>('StatsMinute')(
  Type.Object(
    { at: Instant('The start of the minute.'), ...tally },
    { description: 'One minute of the figures.' },
  ),
);

export const FailingSchedule = named<Wire.FailingSchedule>('FailingSchedule')(
  Type.Object(
    {
      scheduleId: Type.String({ description: 'The schedule.' }),
      label: Type.String({ description: 'Its label.' }),
      url: Type.String({ description: 'Its target.' }),
      failures: Type.Integer({ description: 'Failed runs of the last 24 hours.' }),
      inARow: Type.Integer({
        description: 'Failed runs since the last one that succeeded; 20 at most.',
      }),
      lastFailedFor: Instant('The nominal time of the last failed run.'),
      error: Type.Optional(Type.String({ description: 'Why it failed.' })),
    },
    { description: 'A schedule whose latest runs failed.' },
  ),
);

export const UpcomingFiring = named<Wire.UpcomingFiring>('UpcomingFiring')(
  Type.Object(
    {
      scheduleId: Type.String({ description: 'The schedule.' }),
      label: Type.String({ description: 'Its label.' }),
      url: Type.String({ description: 'Its target.' }),
      scheduledFor: Instant('The nominal time.'),
      dueAt: Instant('When the request is due: later than `scheduledFor` for a retry.'),
      isRetry: Type.Boolean({ description: 'Whether an attempt was made before.' }),
    },
    { description: 'A request that is to come.' },
  ),
);

export const Breaker = named<Wire.Breaker>('Breaker')(
  Type.Object(
    {
      origin: Type.String({ description: 'Scheme, name and port of the host.' }),
      since: Instant('The first request that got no answer.'),
      openedAt: Instant('When it opened.'),
      closedAt: Type.Optional(Instant('Absent while it is open.')),
    },
    { description: "The breaker of a host, for this client's requests." },
  ),
);

export const Stats = named<Wire.Stats>('Stats')(
  Type.Object(
    {
      from: Instant('Start of the first minute that is counted; it may still go back.'),
      to: Instant('Until when it is counted.'),
      total: ref(Tally),
      minutes: Type.Array(ref(StatsMinute), {
        description: 'Minutes in which something ended, oldest first.',
      }),
      failing: Type.Array(ref(FailingSchedule), {
        description: 'Schedules whose latest runs failed, most failures first; 10 at most.',
      }),
      next: Type.Array(ref(UpcomingFiring), {
        description: 'The next firings, earliest first; 10 at most.',
      }),
      openBreakers: Type.Array(ref(Breaker), {
        description:
          'Hosts that do not answer: one request every 5 s is sent to them, the others fail unsent. ' +
          'Those first that answer nothing for longest; 20 at most.',
      }),
      enabledSchedules: Type.Integer({ description: 'Of this client, now.' }),
      disabledSchedules: Type.Integer({ description: 'Of this client, now.' }),
    },
    { description: 'The runs that ended lately, and the next firings.' },
  ),
);

export const ForecastQuery = proven<Wire.ForecastQuery>()(
  Type.Object({
    span: Type.Optional(
      oneOf(['day', 'week'] as const, {
        description: '`day`: 24 hours by minute, the default. `week`: 7 days by hour.',
      }),
    ),
    host: Type.Optional(
      Type.String({ description: 'Only urls with this host (and port), in lower case.' }),
    ),
  }),
);

export const ForecastHost = named<Wire.ForecastHost>('ForecastHost')(
  Type.Object(
    {
      host: Type.String({ description: 'Name, and port where it is not the usual one.' }),
      firings: Type.Integer({ description: 'Firings to come there.' }),
    },
    { description: 'A host and its share.' },
  ),
);

export const Forecast = named<Wire.Forecast>('Forecast')(
  Type.Object(
    {
      from: Instant('The start of the first step.'),
      stepSeconds: Type.Integer({ description: '60 or 3,600.' }),
      counts: Type.Array(Type.Integer({ description: 'Of one step.' }), {
        description: 'Firings to come, without retries, step by step.',
      }),
      firings: Type.Integer({ description: 'Of all steps.' }),
      schedules: Type.Integer({ description: 'Enabled schedules that are counted.' }),
      uncounted: Type.Integer({
        description: 'Enabled schedules that are not: beyond 50,000 groups, the rarest.',
      }),
      hosts: Type.Array(ref(ForecastHost), {
        description: "All hosts' firings, most first; 100 at most.",
      }),
      countedAt: Instant('When the schedules were counted.'),
      isPartial: Type.Optional(
        Type.Boolean({
          description:
            'True while schedules are still being counted, as after a start: what is told is of the ' +
            'newest so far. Ask again in a second.',
        }),
      ),
    },
    { description: 'Firings to come, step by step.' },
  ),
);

export const Herd = named<Wire.Herd>('Herd')(
  Type.Object(
    {
      host: Type.String({ description: 'Name, and port where it is not the usual one.' }),
      interval: Type.String({ description: 'The interval of all of these schedules.' }),
      at: Instant('The second of the next 24 hours with the most of these firings.'),
      firings: Type.Integer({ description: 'Firings of these schedules at that second.' }),
      schedules: Type.Integer({ description: 'Schedules that fire then, without a window.' }),
      peakAfter: Type.Integer({
        description: 'Firings at the busiest second when all of them have the window.',
      }),
      windowSeconds: Type.Integer({
        description: 'The least of 60, 300, 900 and 1,800 that leaves a fifth of them at most.',
      }),
      scheduleIds: Type.Array(Type.String({ description: 'The id of a schedule.' }), {
        description: 'Of the newest 1,000 of the schedules: for `POST /v1/schedule/patch`.',
      }),
    },
    { description: 'Schedules of one interval that call a host at the same second.' },
  ),
);

export const Advice = named<Wire.Advice>('Advice')(
  Type.Object(
    {
      items: Type.Array(ref(Herd), { description: 'Most firings first; 20 at most.' }),
      countedAt: Instant('When the schedules were counted.'),
      isPartial: Type.Optional(
        Type.Boolean({
          description:
            'True while schedules are still being counted: what is told is of the newest so far.',
        }),
      ),
    },
    { description: 'Windows that spread firings.' },
  ),
);
