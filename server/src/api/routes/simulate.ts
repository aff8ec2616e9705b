import type * as Wire from '@punctual/client';
import { zoneData } from '../../domain/calendar/zones/zone.ts';
import { iso } from '../../domain/iso.ts';
import { type SimulatedResult, Simulation } from '../../domain/schedule/simulate.ts';
import { callerOf } from '../access/authenticate.ts';
import { readInstant } from '../http/instant.ts';
import { Slices } from '../http/slices.ts';
import { EXAMPLE_INPUT } from '../openapi/examples/schedules.ts';
import { Simulation as SimulationAnswer, SimulationInput } from '../openapi/schemas/simulation.ts';
import { type EndpointDeps, route } from '../route.ts';
import { effectOf, factsOf, firingOf, readChange, type SimulatedRange } from '../simulation.ts';
import { type FiringChange, hostPeaks } from '../stats/host-peaks.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 31;

export const simulate = route({
  method: 'POST',
  path: '/v1/simulate',
  operationId: 'simulate',
  summary: 'Work out what up to 1,000 changes do to the times of a range; nothing is stored',
  description:
    'Each change builds on those before it and is judged as a write would judge it: its refusals are `problems`. With the ' +
    'same `from`, `tzdata` and input, and the same schedules stored, the answer is the same, byte by byte.',
  tag: 'times',
  body: SimulationInput,
  answer: SimulationAnswer,
  bodyLimit: 'batchBodyBytes',
  example: {
    body: {
      changes: [{ create: { ...EXAMPLE_INPUT, interval: '30 2 * * *' } }],
      from: '2026-10-24T00:00:00Z',
      days: 2,
    },
    answer: {
      tzdata: '2026f',
      from: '2026-10-24T00:00:00.000Z',
      to: '2026-10-26T00:00:00.000Z',
      changes: [
        {
          action: 'create',
          firingsBefore: 0,
          firingsAfter: 2,
          addedCount: 2,
          removedCount: 0,
          added: ['2026-10-24T00:30:00.000Z', '2026-10-25T00:30:00.000Z'],
          removed: [],
          nextAfter: '2026-10-24T00:30:00.000Z',
          clockNotes: [
            {
              kind: 'once',
              localTime: '2026-10-25T02:30:00',
              at: '2026-10-25T00:30:00.000Z',
              sentence: 'On 2026-10-25, 02:30:00 comes twice: it will fire the first time only.',
            },
          ],
          problems: [],
        },
      ],
    },
  },
  handle: deps => async request => {
    const { clientRowId } = callerOf(request);
    const { changes, from: fromText, days = DEFAULT_DAYS, herd = false } = request.body;
    const from = fromText === undefined ? deps.clock.now() : readInstant(fromText, 'from');
    const range = { from, to: from + days * DAY_MS };
    const { effects, results } = await worked(changes, range, clientRowId, deps);
    return {
      tzdata: zoneData().release,
      from: iso(range.from),
      to: iso(range.to),
      changes: effects,
      ...(herd && (await herdOf(results, range, clientRowId, deps))),
    };
  },
});

async function worked(
  inputs: Wire.ChangeInput[],
  range: SimulatedRange,
  clientRowId: number,
  { store, allow }: EndpointDeps,
): Promise<{ effects: Wire.ChangeEffect[]; results: SimulatedResult[] }> {
  const changes = inputs.map(readChange);
  const simulation = new Simulation(await factsOf(changes, store, clientRowId, allow), range.from);
  const slices = new Slices(clientRowId);
  const effects: Wire.ChangeEffect[] = [];
  const results: SimulatedResult[] = [];
  for (const change of changes) {
    if (slices.isOver) await slices.next();
    const result = simulation.make(change);
    results.push(result);
    effects.push(await effectOf(result, range, slices));
  }
  return { effects, results };
}

async function herdOf(
  results: SimulatedResult[],
  range: SimulatedRange,
  clientRowId: number,
  { store, groups }: EndpointDeps,
): Promise<Pick<Wire.Simulation, 'herd' | 'isPartial'>> {
  const counted = await groups.of(clientRowId);
  const { herd, isPartial } = await hostPeaks(
    {
      changes: netChanges(results),
      groups: counted.groups,
      ...range,
      calendars: store.calendars,
    },
    new Slices(clientRowId),
  );
  return { herd, ...((isPartial || counted.isPartial) && { isPartial: true }) };
}

/** Of several changes of one schedule, from before the first to after the last. */
function netChanges(results: SimulatedResult[]): FiringChange[] {
  const net = new Map<string, FiringChange>();
  for (const { before, after } of results) {
    const id = (before ?? after)?.id;
    if (id === undefined) continue;
    const first = net.get(id);
    net.set(id, { before: first ? first.before : firingOf(before), after: firingOf(after) });
  }
  return [...net.values()];
}
