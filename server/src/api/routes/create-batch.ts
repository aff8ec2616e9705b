import type * as Wire from '@punctual/client';
import { PunctualError } from '../../domain/errors.ts';
import { startOf } from '../../domain/run/start.ts';
import { draftNew } from '../../domain/schedule/draft.ts';
import type { NewSchedule } from '../../store/contract/schedules.ts';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import type { ApiDeps } from '../deps.ts';
import { nextSlice } from '../http/slices.ts';
import { EXAMPLE_INPUT, EXAMPLE_SCHEDULE } from '../openapi/examples/schedules.ts';
import { BatchInput, BatchResult } from '../openapi/schemas/schedule.ts';
import { route } from '../route.ts';

export const createSchedules = route({
  method: 'POST',
  path: '/v1/schedule/batch',
  operationId: 'createSchedules',
  summary: 'Create up to 1,000 schedules, all or nothing',
  description:
    'The order of the answer is that of the request. An error names the item that it is about, and nothing ' +
    'is stored then.',
  tag: 'schedules',
  body: BatchInput,
  answer: BatchResult,
  bodyLimit: 'batchBodyBytes',
  example: {
    body: { items: [EXAMPLE_INPUT, { ...EXAMPLE_INPUT, label: 'Hourly', interval: '0 * * * *' }] },
    answer: {
      items: [
        EXAMPLE_SCHEDULE,
        {
          ...EXAMPLE_SCHEDULE,
          id: '019a9f41-6c58-7f91-a2e0-91b4c07d5a38',
          label: 'Hourly',
          interval: '0 * * * *',
        },
      ],
    },
  },
  handle: deps => async request => {
    const { store, engine } = deps;
    const { clientRowId } = callerOf(request);
    const drafts = await draftAll(request.body.items, clientRowId, deps);
    if (drafts.length > 0) {
      await store.schedules.insert(clientRowId, drafts);
    }
    const firsts = drafts.flatMap(({ start }) => start?.first ?? []);
    if (firsts.length > 0) engine.wake(Math.min(...firsts));
    return { items: drafts.map(({ schedule }) => scheduleAnswer(schedule)) };
  },
});

/** In turns with everything else: a thousand intervals at once would hold up what is due. */
async function draftAll(
  bodies: Wire.ScheduleInput[],
  clientRowId: number,
  { clock, allow }: ApiDeps,
): Promise<NewSchedule[]> {
  const now = clock.now();
  const drafts: NewSchedule[] = [];
  for (const [index, body] of bodies.entries()) {
    if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await nextSlice(clientRowId);
    try {
      const schedule = draftNew(body, now, allow);
      drafts.push({ schedule, start: startOf(schedule, now) });
    } catch (error) {
      if (!(error instanceof PunctualError)) throw error;
      throw new PunctualError(error.code, `items[${index}]: ${error.message}`);
    }
  }
  return drafts;
}

const ITEMS_PER_TURN = 50;
