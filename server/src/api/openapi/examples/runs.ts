import type * as Wire from '@punctual/client';
import { type Example, MANUAL_RUN_ID, RUN_ID, SCHEDULE_ID, TARGET } from './example.ts';

const run = {
  id: RUN_ID,
  scheduleId: SCHEDULE_ID,
  scheduledFor: '2026-06-01T06:30:00.000Z',
  trigger: 'schedule',
  status: 'succeeded',
  startedAt: '2026-06-01T06:30:00.004Z',
  finishedAt: '2026-06-01T06:30:00.091Z',
  attempts: [
    {
      number: 1,
      startedAt: '2026-06-01T06:30:00.004Z',
      durationMs: 84.2,
      outcome: 'response',
      phases: { dnsMs: 3.1, connectMs: 11.8, tlsMs: 22.4, firstByteMs: 45.9 },
      responseStatus: 200,
    },
  ],
} satisfies Wire.Run;

const tally = { succeeded: 12, failed: 1, skipped: 0, missed: 0, p50LateMs: 3, p99LateMs: 11 };

export const RUN_EXAMPLES: Record<string, Example> = {
  triggerSchedule: {
    params: { scheduleId: SCHEDULE_ID },
    answer: {
      id: MANUAL_RUN_ID,
      scheduleId: SCHEDULE_ID,
      scheduledFor: '2026-06-01T06:44:25.100Z',
      trigger: 'manual',
      status: 'queued',
      attempts: [],
    } satisfies Wire.Run,
  },
  listRuns: {
    query: {
      limit: 20,
      scheduleId: SCHEDULE_ID,
      status: 'succeeded',
      from: '2026-06-01T00:00:00Z',
      to: '2099-01-01T00:00:00Z',
    },
    answer: { items: [run] } satisfies Wire.RunPage,
  },
  getRun: {
    params: { runId: RUN_ID },
    answer: {
      ...run,
      attempts: [
        {
          ...run.attempts[0]!,
          responseHeaders: { 'content-type': 'application/json' },
          responseBody: '{"ok":true}',
        },
      ],
    } satisfies Wire.Run,
  },
  explain: {
    params: { scheduleId: SCHEDULE_ID },
    query: { at: '2026-06-01T09:00' },
    answer: {
      scheduleId: SCHEDULE_ID,
      at: '2026-06-01T07:00:00.000Z',
      verdict: 'neverDue',
      sentence:
        'It was never due: "30 8 * * *" has no time at 2026-06-01 09:00:00 in Europe/Berlin.',
      interval: '30 8 * * *',
      timezone: 'Europe/Berlin',
      previous: '2026-06-01T06:30:00.000Z',
      next: '2026-06-02T06:30:00.000Z',
    } satisfies Wire.Explanation,
  },
  getHistory: {
    params: { scheduleId: SCHEDULE_ID },
    query: { from: '2026-06-01T00:00:00Z', to: '2026-06-02T00:00:00Z', stepSeconds: 3_600 },
    answer: {
      scheduleId: SCHEDULE_ID,
      from: '2026-06-01T00:00:00.000Z',
      to: '2026-06-02T00:00:00.000Z',
      stepSeconds: 3_600,
      steps: [{ at: '2026-06-01T06:00:00.000Z', succeeded: 1, failed: 0, skipped: 0, missed: 0 }],
    } satisfies Wire.History,
  },
  getStats: {
    query: { minutes: 60 },
    answer: {
      from: '2026-06-01T06:00:00.000Z',
      to: '2026-06-01T06:45:12.310Z',
      total: tally,
      minutes: [{ at: '2026-06-01T06:30:00.000Z', ...tally }],
      failing: [
        {
          scheduleId: SCHEDULE_ID,
          label: 'Daily report',
          url: TARGET,
          failures: 2,
          inARow: 1,
          lastFailedFor: '2026-06-01T06:30:00.000Z',
          error: 'The answer was 500.',
        },
      ],
      next: [
        {
          scheduleId: SCHEDULE_ID,
          label: 'Daily report',
          url: TARGET,
          scheduledFor: '2026-06-02T06:30:00.000Z',
          dueAt: '2026-06-02T06:30:00.000Z',
          isRetry: false,
        },
      ],
      openBreakers: [
        {
          origin: 'https://down.example.com',
          since: '2026-06-01T06:31:04.220Z',
          openedAt: '2026-06-01T06:31:15.871Z',
        },
      ],
      enabledSchedules: 1,
      disabledSchedules: 0,
    } satisfies Wire.Stats,
  },
  getForecast: {
    query: { span: 'week' },
    answer: {
      from: '2026-06-01T06:00:00.000Z',
      stepSeconds: 3_600,
      counts: [1, 0, 0, 0, 0, 0],
      firings: 7,
      schedules: 1,
      uncounted: 0,
      hosts: [{ host: 'example.com', firings: 7 }],
      countedAt: '2026-06-01T06:45:12.310Z',
    } satisfies Wire.Forecast,
  },
  listenToEvents: {
    answer: `retry: 2000\nid: 1780295400000-open\n\nid: 1780295400091-${RUN_ID}\nevent: run.ended\ndata: ${JSON.stringify(run)}\n\n`,
  },
};
