import type * as Wire from '@punctual/client';
import { zoneData, zoneOf } from '../../domain/calendar/zones/zone.ts';
import { iso } from '../../domain/iso.ts';
import { EXAMPLE_INPUT } from '../openapi/examples/schedules.ts';
import { OffsetsQuery, ZoneOffsets } from '../openapi/schemas/time.ts';
import { route } from '../route.ts';

/**
 * A program that shows times of a zone can use these offsets of the service instead of its own
 * rules.
 */
export const zoneOffsets = route({
  method: 'GET',
  path: '/v1/offsets',
  operationId: 'zoneOffsets',
  summary: 'How far the clock of a time zone is ahead of UTC, from 1970 to 2099',
  description:
    'By the rules that the service fires by, which may be newer than those of a browser.',
  tag: 'times',
  query: OffsetsQuery,
  answer: ZoneOffsets,
  example: {
    query: { timezone: EXAMPLE_INPUT.timezone },
    answer: {
      timezone: EXAMPLE_INPUT.timezone,
      tzdata: '2026f',
      until: '2100-01-01T00:00:00.000Z',
      offsets: [
        { from: '2026-03-29T01:00:00.000Z', offsetSeconds: 7_200 },
        { from: '2026-10-25T01:00:00.000Z', offsetSeconds: 3_600 },
      ],
    },
  },
  handle:
    () =>
    async ({ query }) => ({
      timezone: query.timezone,
      tzdata: zoneData().release,
      until: iso(UNTIL),
      offsets: offsetsOf(query.timezone),
    }),
});

const FROM = Date.UTC(1970, 0);
const UNTIL = Date.UTC(2100, 0);

/** @throws PunctualError `timezone_unknown` */
function offsetsOf(timezone: string): Wire.ZoneOffset[] {
  const zone = zoneOf(timezone);
  const offsets: Wire.ZoneOffset[] = [];
  for (let at = FROM; at < UNTIL; ) {
    const { endAt, offsetMs } = zone.segmentAt(at);
    offsets.push({ from: iso(at), offsetSeconds: offsetMs / 1_000 });
    at = endAt;
  }
  return offsets;
}
