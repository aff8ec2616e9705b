import type { Policy, Success } from '@punctual/client';
import fc from 'fast-check';

/** Policies that a schedule may have. */

const statuses = fc.constantFrom('2xx', '304', '408', '429', '5xx');
const retried = fc.constantFrom('304', '408', '429', '5xx');
const aText = fc.string({ minLength: 1, maxLength: 20 });
const aWeek = fc.integer({ min: 1, max: 604_800 });

const aSuccess: fc.Arbitrary<Success> = fc
  .record(
    {
      statuses: fc.uniqueArray(statuses, { minLength: 1 }),
      bodyContains: aText,
      bodyLacks: aText,
      json: fc.record({
        pointer: fc.constantFrom('', '/ok', '/a~1b/0'),
        equals: fc.oneof(
          fc.string({ maxLength: 20 }),
          fc.boolean(),
          fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => number + 0),
        ),
      }),
    },
    { requiredKeys: [] },
  )
  .filter(success => Object.keys(success).length > 0);

/** As JSON brings them: plain objects. */
export const aPolicy: fc.Arbitrary<Policy> = fc
  .record(
    {
      timeoutSeconds: fc.integer({ min: 1, max: 1_800 }),
      maxRetries: fc.integer({ min: 0, max: 10 }),
      catchUpSeconds: fc.integer({ min: 0, max: 31_536_000 }),
      template: fc.boolean(),
      success: aSuccess,
      retryDelaysSeconds: fc.array(fc.integer({ min: 1, max: 86_400 }), {
        minLength: 1,
        maxLength: 10,
      }),
      retryForSeconds: aWeek,
      retryStatuses: fc.uniqueArray(retried),
      overlap: fc.constantFrom('skip', 'bufferOne'),
      disableAfterFailures: fc.integer({ min: 1, max: 1_000 }),
      disableOnGone: fc.boolean(),
      keepResponse: fc.constantFrom('all', 'headers', 'none'),
      obeyTarget: fc.boolean(),
      completion: fc.record({ deadlineSeconds: aWeek }),
    },
    { requiredKeys: [] },
  )
  .map(policy => JSON.parse(JSON.stringify(policy)) as Policy);
