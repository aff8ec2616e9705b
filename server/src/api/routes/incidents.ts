import type * as Wire from '@punctual/client';
import { PunctualError } from '../../domain/errors.ts';
import { callerOf } from '../access/authenticate.ts';
import { readInstant } from '../http/instant.ts';
import { RUN_ID, SCHEDULE_ID, TARGET } from '../openapi/examples/ids.ts';
import { IncidentQuery, Incidents } from '../openapi/schemas/incident.ts';
import { route } from '../route.ts';
import { ClientIncidents } from '../stats/incidents.ts';

const DAY_MS = 86_400_000;
const MOST_MS = 7 * DAY_MS;

export const listIncidents = route({
  method: 'GET',
  path: '/v1/incident',
  operationId: 'listIncidents',
  summary: 'List incidents: failed and missed runs by their cause and host',
  description:
    'An incident is over when each of its schedules has succeeded again. A failure later than that, and more than ten ' +
    'minutes after the last one, begins another incident.',
  tag: 'figures',
  query: IncidentQuery,
  answer: Incidents,
  example: {
    query: { from: '2026-06-01T00:00:00Z', to: '2026-06-02T00:00:00Z' },
    answer: {
      from: '2026-06-01T00:00:00.000Z',
      to: '2026-06-02T00:00:00.000Z',
      items: [
        {
          cause: 'status',
          statusCode: 500,
          host: 'example.com',
          sentence:
            'example.com answered 500: 1 run of 1 schedule failed at 2026-06-01T06:30:00.000Z. It is not over: the schedule has not succeeded since.',
          since: '2026-06-01T06:30:00.000Z',
          lastFor: '2026-06-01T06:30:00.000Z',
          isOpen: true,
          runs: 1,
          schedules: 1,
          affected: [{ scheduleId: SCHEDULE_ID, label: 'Daily report', url: TARGET, runs: 1 }],
          sample: [RUN_ID],
        },
      ],
    },
  },
  handle: ({ store, clock }) => {
    const incidents = new ClientIncidents(store, clock);
    return async request => {
      const { clientRowId } = callerOf(request);
      return incidents.of(clientRowId, rangeFrom(request.query, clock.now()));
    };
  },
});

/** @throws PunctualError `request_invalid` */
function rangeFrom({ from, to }: Wire.IncidentQuery, now: number): { from: number; to: number } {
  const last = to === undefined ? now : instantFrom(to, 'to');
  const first = from === undefined ? Math.max(0, last - DAY_MS) : instantFrom(from, 'from');
  if (first >= last) throw refused('The query parameter to must be after from.');
  if (last - first > MOST_MS) {
    throw refused('The query parameter from must be at most 7 days before to.');
  }
  return { from: first, to: last };
}

function instantFrom(text: string, name: string): number {
  return Math.max(0, readInstant(text, `The query parameter ${name}`));
}

function refused(sentence: string): PunctualError {
  return new PunctualError('request_invalid', sentence);
}
