import type * as Wire from '@punctual/client';
import { isKnownCalendar } from '../../domain/calendar/known-calendars.ts';
import { loadCalendars } from '../../domain/calendar/load-calendars.ts';
import { iso } from '../../domain/iso.ts';
import { type Band, bandsBetween, editsOf } from '../../domain/run/bands.ts';
import type { HeldSchedule } from '../../domain/run/standing.ts';
import { callerOf } from '../access/authenticate.ts';
import { findSchedule } from '../find-schedule.ts';
import { readSpan } from '../http/step-range.ts';
import { SCHEDULE_ID } from '../openapi/examples/ids.ts';
import { BandQuery, Bands } from '../openapi/schemas/history.ts';
import { route } from '../route.ts';

const MOST_CHANGES = 1_000;
const MOST_MISSED = 2_000;

export const getBands = route({
  method: 'GET',
  path: '/v1/schedule/:scheduleId/band',
  operationId: 'getBands',
  summary: 'The spans in which a schedule could not fire, and the changes of its times',
  description:
    'Paused, deleted, out of its bounds, or Punctual was not running: as explain says it of the instants in them.',
  tag: 'times',
  query: BandQuery,
  answer: Bands,
  example: {
    query: { from: '2026-06-01T00:00:00Z', to: '2026-06-02T00:00:00Z' },
    answer: {
      scheduleId: SCHEDULE_ID,
      from: '2026-06-01T00:00:00.000Z',
      to: '2026-06-02T00:00:00.000Z',
      bands: [
        {
          kind: 'notCreated',
          from: '2026-06-01T00:00:00.000Z',
          to: '2026-06-01T08:12:31.251Z',
          sentence: 'The schedule was created later, at 2026-06-01T08:12:31.250Z.',
        },
      ],
      edits: [],
    },
  },
  handle:
    ({ store, clock, pausedSince }) =>
    async request => {
      const caller = callerOf(request);
      const { clientRowId } = caller;
      const { from, to } = readSpan(request.query);
      const { schedule } = await findSchedule(store, caller, request.params.scheduleId);
      const { id } = schedule;
      const [states, missed, pauses, since] = await Promise.all([
        store.schedules.statesBetween(clientRowId, id, from, to, MOST_CHANGES),
        store.stats.missed(clientRowId, id, from, to, MOST_MISSED),
        store.installation.pauses(),
        pausedSince(),
      ]);
      await loadCalendars(store.calendars, states);
      const held = states.map(countable);
      const facts = { schedule, held, missed, pauses, pausedSince: since, now: clock.now() };
      return {
        scheduleId: id,
        from: iso(from),
        to: iso(to),
        bands: bandsBetween(facts, from, to).map(bandAnswer),
        edits: editsOf(states)
          .filter(({ at }) => at >= from && at < to)
          .map(({ at, sentence }) => ({ at: iso(at), sentence })),
      };
    },
});

/** Calendars that are older than history are known no more. */
function countable(held: HeldSchedule): HeldSchedule {
  const { timing } = held;
  if (timing?.calendars === undefined) return held;
  return { ...held, timing: { ...timing, calendars: timing.calendars.filter(isKnownCalendar) } };
}

function bandAnswer({ kind, from, until, sentence }: Band): Wire.ScheduleBand {
  return { kind, from: iso(from), to: iso(until), sentence };
}
