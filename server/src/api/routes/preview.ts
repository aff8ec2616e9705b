import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { readInstant } from '../http/instant.ts';
import { DEFAULT_COUNT, timesAfter } from '../next-times.ts';
import { operation } from '../openapi/operation.ts';
import { PreviewInput, Times } from '../openapi/schemas/time.ts';

export function preview(app: FastifyInstance, { clock }: ApiDeps): void {
  const schema = operation({
    operationId: 'previewTimes',
    summary: 'The times of an interval, without storing anything',
    description: 'The interval is judged as a create would judge it.',
    tag: 'times',
    body: PreviewInput,
    answer: Times,
  });
  app.post<{ Body: Wire.PreviewInput }>('/preview', { schema }, async request => {
    const { interval, timezone, from, count = DEFAULT_COUNT } = request.body;
    const after = from === undefined ? clock.now() : readInstant(from, 'from');
    return timesAfter(interval, timezone, after, count);
  });
}
