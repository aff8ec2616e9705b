import type * as Wire from '@punctual/client';

export const CALENDAR_NAME = 'freeze';

export const EXAMPLE_PERIODS = [
  { from: '2026-12-24', to: '2027-01-02', summary: 'Freeze' },
] satisfies Wire.CalendarPeriod[];

export const EXAMPLE_CALENDAR = {
  name: CALENDAR_NAME,
  createdAt: '2026-06-01T09:00:00.000Z',
  usedBy: 0,
  entries: [{ from: '2026-12-24', to: '2027-01-02', summary: 'Freeze' }],
} satisfies Wire.Calendar;
