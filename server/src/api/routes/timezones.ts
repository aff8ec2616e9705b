import type { FastifyInstance } from 'fastify';
import { timezones as names } from '../../domain/zone.ts';
import { openOperation } from '../operation.ts';
import { Timezones } from '../schemas/time.ts';

export function timezones(app: FastifyInstance): void {
  const schema = openOperation({
    operationId: 'listTimezones',
    summary: 'The time zones that are accepted',
    tag: 'times',
    answer: Timezones,
  });
  app.get('/timezones', { schema }, async () => names());
}
