import type * as Wire from '@punctual/client';
import { RUN_ID, SCHEDULE_ID } from './ids.ts';

export const EXAMPLE_RUN = {
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

export const EXAMPLE_TALLY = {
  succeeded: 12,
  failed: 1,
  skipped: 0,
  missed: 0,
  p50LateMs: 3,
  p99LateMs: 11,
};
