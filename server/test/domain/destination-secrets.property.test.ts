import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DestinationParts } from '../../src/domain/destination/destination.ts';
import { draftDestination } from '../../src/domain/destination/draft/destination-draft.ts';
import { mayUnfit, misfitsOf } from '../../src/domain/destination/fitness.ts';
import { PunctualError } from '../../src/domain/errors.ts';
import { draftNew, draftPatch } from '../../src/domain/schedule/draft.ts';
import { NO_REFERENCES } from '../../src/domain/schedule/references.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { ALLOW_PUBLIC } from '../../src/domain/schedule/target.ts';
import { assertNothingLed, type LedWorld, ledSteps } from '../support/domain/led-secrets.ts';
import { casesOf } from '../support/long.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const FACTS = { allow: ALLOW_PUBLIC, now: NOW, isEncrypting: true, hasUrl: true };
const BODY = { verb: 'POST', interval: '* * * * *', timezone: 'UTC' } as const;

/** The drafts of the domain, and a map for a store. */
function drafts(): LedWorld {
  const destinations = new Map<string, DestinationParts>();
  const schedules: Schedule[] = [];
  const directed = ({ url, headers, delivery }: Schedule) => ({
    url,
    ...(headers && { headers }),
    ...(delivery?.destination !== undefined && { destination: delivery.destination }),
  });
  const uses = (name: string) => schedules.map(directed).filter(use => use.destination === name);
  const references = () => ({
    ...NO_REFERENCES,
    destinations: new Map([...destinations].map(([name, { config }]) => [name, config])),
  });
  return {
    put: async (name, body) =>
      accepts(() => {
        const present = destinations.get(name) ?? null;
        const draft = draftDestination(body, present, FACTS);
        if (present !== null && mayUnfit(present.config, draft.config)) {
          const isUnfit = uses(name).some(use => misfitsOf(use, name, draft.config).length > 0);
          if (isUnfit) throw new PunctualError('in_use', 'A schedule would not fit.');
        }
        destinations.set(name, draft);
      }),
    remove: async name => uses(name).length === 0 && destinations.delete(name),
    create: async ({ url = 'https://api.example.com/', headers, destination }) =>
      accepts(() => {
        const body = {
          ...{ ...BODY, url },
          ...(headers && { headers }),
          ...(destination && { destination }),
        };
        schedules.push(draftNew(body, NOW, ALLOW_PUBLIC, references()));
      }),
    patch: async (which, fields) =>
      schedules.length > 0 &&
      accepts(() => {
        const index = which % schedules.length;
        schedules[index] = draftPatch(fields, schedules[index]!, NOW, ALLOW_PUBLIC, references());
      }),
    destinations: async () => destinations,
    schedules: async () => schedules.map(directed),
  };
}

function accepts(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (error instanceof PunctualError) return false;
    throw error;
  }
}

const RUNS = casesOf(3_000);

test('no sequence of writes sends a secret where nobody has named together with it', async () => {
  const done = { accepted: 0, sent: 0 };
  await fc.assert(
    fc.asyncProperty(ledSteps, async steps => {
      const { accepted, sent } = await assertNothingLed(drafts(), steps);
      done.accepted += accepted;
      done.sent += sent;
    }),
    { numRuns: RUNS },
  );
  assert.ok(done.accepted > (5 * RUNS) / 3 && done.sent > RUNS / 3, JSON.stringify(done));
});
