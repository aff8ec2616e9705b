import type * as Wire from '@punctual/client';
import { PunctualError } from '../../domain/errors.ts';
import { startOf } from '../../domain/run/start.ts';
import { draftNew } from '../../domain/schedule/draft.ts';
import type { References } from '../../domain/schedule/references.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { CalendarVersions } from '../../domain/schedule/timing-draft.ts';
import type { IdempotentCall } from '../../store/contract/idempotency.ts';
import type { Caller } from '../../store/contract/keys.ts';
import type { NewSchedule } from '../../store/contract/schedules.ts';
import type { Store } from '../../store/contract/store.ts';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import type { ApiDeps } from '../deps.ts';
import { nextSlice } from '../http/slices.ts';
import { insertDrafts } from '../insert-drafts.ts';
import { EXAMPLE_INPUT, EXAMPLE_SCHEDULE } from '../openapi/examples/schedules.ts';
import { BatchInput, BatchResult } from '../openapi/schemas/schedule.ts';
import { referencesFor } from '../references.ts';
import { route } from '../route.ts';
import { inPlace, placed } from '../update-schedule.ts';

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
  isKeyed: true,
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
  handle: deps => (request, reply) => {
    const { store, clock, replayer } = deps;
    const caller = callerOf(request);
    const { items } = request.body;
    return replayer.answer(request, reply, {
      async make(call) {
        const references = await referencesFor(store, caller.clientRowId, items);
        const drafts = await draftAll(items, caller, references, deps);
        const isNew = await insertAll(drafts, caller, references.calendars, deps, call);
        return isNew ? answerOf(drafts, clock.now()) : null;
      },
      replay: async ids => answerOf(await inOrder(store, caller, ids), clock.now()),
    });
  },
});

function answerOf(items: { schedule: Schedule }[], now: number): Wire.BatchResult {
  return { items: items.map(({ schedule }) => scheduleAnswer(schedule, now)) };
}

async function inOrder(
  { schedules }: Store,
  { clientRowId }: Caller,
  ids: string[],
): Promise<{ schedule: Schedule }[]> {
  const found = await schedules.findAll(clientRowId, ids);
  const byId = new Map(found.map(one => [one.schedule.id, one]));
  return ids.flatMap(id => byId.get(id) ?? []);
}

/** In turns with everything else: a thousand intervals at once would hold up what is due. */
async function draftAll(
  bodies: Wire.ScheduleInput[],
  { clientRowId }: Caller,
  references: References,
  { clock, allow }: ApiDeps,
): Promise<NewSchedule[]> {
  const now = clock.now();
  const drafts: NewSchedule[] = [];
  const taken = new Map<string, number>();
  for (const [index, body] of bodies.entries()) {
    if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await nextSlice(clientRowId);
    const draft = inPlace(`items[${index}]`, () => {
      const schedule = draftNew(body, now, allow, references);
      refuseRepeated(schedule, taken.get(schedule.externalId ?? ''));
      return { schedule, start: startOf(schedule, now) };
    });
    drafts.push(draft);
    const { externalId } = draft.schedule;
    if (externalId !== undefined) taken.set(externalId, index);
  }
  return drafts;
}

const ITEMS_PER_TURN = 50;

/** @param before the item that has its external id, if one has */
function refuseRepeated({ externalId }: Schedule, before: number | undefined): void {
  if (before === undefined) return;
  throw new PunctualError(
    'external_id_taken',
    `externalId "${externalId}" is that of items[${before}] too.`,
  );
}

async function insertAll(
  drafts: NewSchedule[],
  caller: Caller,
  calendars: CalendarVersions,
  deps: ApiDeps,
  call?: IdempotentCall,
): Promise<boolean> {
  if (drafts.length === 0 && call === undefined) return true;
  try {
    return await insertDrafts(deps, caller, drafts, calendars, call);
  } catch (error) {
    if (!(error instanceof PunctualError) || error.code !== 'external_id_taken') throw error;
    throw placed(await placeOfTaken(drafts, caller, deps), error);
  }
}

/** The first item whose external id another schedule has. */
async function placeOfTaken(
  drafts: NewSchedule[],
  { clientRowId }: Caller,
  { store }: ApiDeps,
): Promise<string> {
  for (const [index, { schedule }] of drafts.entries()) {
    const { externalId } = schedule;
    if (externalId === undefined) continue;
    const holder = await store.schedules.findByExternalId(clientRowId, externalId);
    if (holder !== null) return `items[${index}]`;
  }
  return 'items';
}
