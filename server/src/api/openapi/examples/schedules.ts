import type * as Wire from '@punctual/client';
import { type Example, SCHEDULE_ID, TARGET } from './example.ts';

const CREATED_AT = '2026-05-31T14:20:11.864Z';

const input = {
  label: 'Daily report',
  url: TARGET,
  verb: 'POST',
  interval: '30 8 * * *',
  timezone: 'Europe/Berlin',
  data: { format: 'pdf' },
} satisfies Wire.ScheduleInput;

const schedule = {
  id: SCHEDULE_ID,
  status: 'enabled',
  ...input,
  createdAt: CREATED_AT,
} satisfies Wire.Schedule;

const changed = {
  ...schedule,
  label: 'Daily report, with patience',
  policy: { timeoutSeconds: 120 },
  updatedAt: '2026-05-31T14:25:40.102Z',
} satisfies Wire.Schedule;

const times = {
  times: ['2026-06-01T06:30:00.000Z', '2026-06-02T06:30:00.000Z', '2026-06-03T06:30:00.000Z'],
} satisfies Wire.Times;

export const SCHEDULE_EXAMPLES: Record<string, Example> = {
  createSchedule: { body: input, answer: schedule },
  createSchedules: {
    body: { items: [input, { ...input, label: 'Hourly', interval: '0 * * * *' }] },
    answer: {
      items: [
        schedule,
        {
          ...schedule,
          id: '019a9f41-6c58-7f91-a2e0-91b4c07d5a38',
          label: 'Hourly',
          interval: '0 * * * *',
        },
      ],
    } satisfies Wire.BatchResult,
  },
  listSchedules: {
    query: { limit: 20, status: 'enabled', label: 'report', url: 'http' },
    answer: { items: [schedule] } satisfies Wire.SchedulePage,
  },
  getSchedule: { params: { scheduleId: SCHEDULE_ID }, answer: schedule },
  replaceSchedule: {
    params: { scheduleId: SCHEDULE_ID },
    body: { ...input, label: changed.label, policy: changed.policy },
    answer: changed,
  },
  patchSchedule: {
    params: { scheduleId: SCHEDULE_ID },
    body: { label: changed.label, policy: changed.policy } satisfies Wire.SchedulePatch,
    answer: changed,
  },
  deleteSchedule: {
    params: { scheduleId: SCHEDULE_ID },
    answer: { success: true } satisfies Wire.DeleteResult,
  },
  nextTimes: { params: { scheduleId: SCHEDULE_ID }, query: { count: 3 }, answer: times },
  previewTimes: {
    body: {
      interval: input.interval,
      timezone: input.timezone,
      from: '2026-05-31T14:20:00Z',
      count: 3,
    } satisfies Wire.PreviewInput,
    answer: times,
  },
  zoneOffsets: {
    query: { timezone: input.timezone },
    answer: {
      timezone: input.timezone,
      tzdata: '2026f',
      until: '2100-01-01T00:00:00.000Z',
      offsets: [
        { from: '2026-03-29T01:00:00.000Z', offsetSeconds: 7_200 },
        { from: '2026-10-25T01:00:00.000Z', offsetSeconds: 3_600 },
      ],
    } satisfies Wire.ZoneOffsets,
  },
  checkSchedule: {
    body: { ...input, interval: '30 2 * * *' },
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
    } satisfies Wire.CheckResult,
  },
  trySchedule: {
    body: input,
    answer: {
      attempt: {
        number: 1,
        startedAt: '2026-05-31T14:19:50.007Z',
        durationMs: 84.2,
        outcome: 'response',
        phases: { dnsMs: 3.1, connectMs: 11.8, tlsMs: 22.4, firstByteMs: 45.9 },
        responseStatus: 200,
        responseHeaders: { 'content-type': 'application/json' },
        responseBody: '{"ok":true}',
      },
    } satisfies Wire.TryResult,
  },
};
