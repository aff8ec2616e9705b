import type { NodeBug } from './planted-nodes.ts';

/** Bugs of forecasts, which the simulator must find. */

const TIMING = 'domain/calendar/forecast-timing.ts';
const FORECAST = {
  faults: ['counts'],
  rules: ['forecastDiffers'],
} satisfies Partial<NodeBug>;

export const FORECAST_BUGS: NodeBug[] = [
  {
    ...FORECAST,
    name: 'a forecast counts schedules that are disabled',
    patches: [
      {
        file: 'store/sqlite/stats.ts',
        find: "WHERE client_key = ? AND status = 'enabled' AND id < ?",
        replace: "WHERE client_key = ? AND status IN ('enabled', 'disabled') AND id < ?",
      },
    ],
  },
  {
    ...FORECAST,
    name: 'a forecast forgets bounds',
    patches: [
      {
        file: TIMING,
        find: 'if (isBounded) return offsetMs === undefined ? bounds : { ...bounds, offsetMs };',
        replace: '',
      },
    ],
  },
  {
    ...FORECAST,
    name: 'a forecast forgets windows',
    faults: ['counts', 'long'],
    patches: [
      {
        file: TIMING,
        find: '{ offsetMs: coarseOffset(when, offsetMs, from, stepMs) }',
        replace: '{ offsetMs: 0 }',
      },
    ],
  },
  {
    ...FORECAST,
    name: 'a forecast forgets pauses',
    faults: ['counts', 'long'],
    patches: [
      {
        file: TIMING,
        find: '...(pausedUntil !== undefined && pausedUntil > from && { pausedUntil }),',
        replace: '',
      },
    ],
  },
  {
    ...FORECAST,
    name: 'a forecast forgets calendars',
    faults: ['counts', 'calendars'],
    patches: [
      {
        file: TIMING,
        find: '...(isExcluding && { calendars, ...(onExcluded !== undefined && { onExcluded }) }),',
        replace: '',
      },
    ],
  },
];
