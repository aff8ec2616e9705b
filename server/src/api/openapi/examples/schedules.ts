import type * as Wire from '@punctual/client';
import { KEY_ID, SCHEDULE_ID, TARGET } from './ids.ts';

const CREATED_AT = '2026-05-31T14:20:11.864Z';

export const EXAMPLE_INPUT = {
  label: 'Daily report',
  url: TARGET,
  verb: 'POST',
  interval: '30 8 * * *',
  timezone: 'Europe/Berlin',
  data: { format: 'pdf' },
  tags: { team: 'billing' },
} satisfies Wire.ScheduleInput;

export const EXAMPLE_SCHEDULE = {
  id: SCHEDULE_ID,
  status: 'enabled',
  ...EXAMPLE_INPUT,
  createdAt: CREATED_AT,
} satisfies Wire.Schedule;

export const EXAMPLE_CHANGED_SCHEDULE = {
  ...EXAMPLE_SCHEDULE,
  label: 'Daily report, with patience',
  policy: { timeoutSeconds: 120 },
  updatedAt: '2026-05-31T14:25:40.102Z',
} satisfies Wire.Schedule;

export const EXAMPLE_VERSION = {
  version: 2,
  at: '2026-05-31T14:25:40.102Z',
  by: 'key',
  key: { keyId: KEY_ID },
  changes: [{ path: 'label', before: 'Daily report', after: 'Daily report, with patience' }],
} satisfies Wire.ScheduleVersion;

export const EXAMPLE_TIMES = {
  times: ['2026-06-01T06:30:00.000Z', '2026-06-02T06:30:00.000Z', '2026-06-03T06:30:00.000Z'],
} satisfies Wire.Times;
