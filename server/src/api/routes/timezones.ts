import type { FastifyInstance } from 'fastify';
import { timezones as names, zoneData } from '../../domain/calendar/zones/zone.ts';
import { openOperation } from '../openapi/operation.ts';
import { Timezones } from '../openapi/schemas/time.ts';

export function timezones(app: FastifyInstance): void {
  const schema = openOperation({
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
  });
  app.get('/timezones', { schema }, async (_request, reply) => {
    reply.header('Punctual-Tzdata', zoneData().release);
    return names();
  });
}
