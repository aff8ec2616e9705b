import { timezones as names, zoneData } from '../../domain/calendar/zones/zone.ts';
import { Timezones } from '../openapi/schemas/time.ts';
import { route } from '../route.ts';

export const listTimezones = route({
  method: 'GET',
  path: '/timezones',
  operationId: 'listTimezones',
  summary: 'The time zones that are accepted',
  description:
    'The names of the IANA database, aliases included, sorted. No other name is accepted.',
  tag: 'times',
  answer: Timezones,
  answerHeaders: {
    'Punctual-Tzdata': {
      type: 'string',
      description: 'The release of the IANA database whose rules are used, such as `2026f`.',
    },
  },
  example: { answer: ['Africa/Abidjan', 'Europe/Berlin', 'UTC'] },
  handle: () => async (_request, reply) => {
    reply.header('Punctual-Tzdata', zoneData().release);
    return names();
  },
});
