import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type * as Wire from '@punctual/client';
import fc from 'fast-check';
import { timezones } from '../../src/domain/calendar/zones/zone.ts';
import { startService } from '../support/api/service.ts';
import { casesOf } from '../support/long.ts';

/** What POST and PUT accept, GET gives back exactly as it was sent, code point for code point. */

const service = await startService();
after(() => service.close());

const text = (maxLength: number) =>
  fc.string({ unit: 'binary', maxLength }).filter(value => !value.includes('\0'));
const TRAPS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '0', '\u2028', '$ref'];
const key = fc.oneof(fc.constantFrom(...TRAPS), text(20));
const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/);
const headerName = token.map(name => `X-${name}`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these cannot be sent
const headerValue = text(50).filter(value => !/[\x00-\x08\x0a-\x1f\x7f]/.test(value));
const path = fc.stringMatching(/^[A-Za-z0-9\-._~%!$&'()*+,;=:@/?]{0,200}$/);
const url = path.map(rest => `https://example.com/${rest}`);

const some = <Item>(item: fc.Arbitrary<Item>, minLength: number, maxLength: number) =>
  fc.array(item, { minLength, maxLength });
const contained = text(500).filter(value => value !== '');
const success = fc.record(
  {
    statuses: some(fc.constantFrom('200', '2xx', '304', '4xx', '599'), 1, 20),
    bodyContains: contained,
    bodyLacks: contained,
    json: fc.record(
      {
        pointer: fc.constantFrom('', '/', '/ok', '/a~0b/~1/0', '/ /ä'),
        equals: fc.oneof(
          fc.boolean(),
          text(50),
          fc.integer(),
          fc.constantFrom(null, 0.1, -1e300, 5e-324),
        ),
      },
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const body = fc.record(
  {
    url,
    verb: fc.constantFrom<Wire.Verb>('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'),
    interval: fc.constantFrom(
      '*/5 * * * *',
      '@daily',
      ' 0  0 * *\tSUN ',
      '0 0 12 1 jan ?',
      '0 0 L * *',
    ),
    timezone: fc.constantFrom(...timezones()),
    status: fc.constantFrom('enabled' as const, 'disabled' as const),
    label: fc.oneof(text(100), fc.constantFrom('e\u0301', '\u202ex', '\uffff', '🕐'.repeat(500))),
    headers: fc
      .uniqueArray(fc.tuple(headerName, headerValue), {
        selector: ([name]) => name.toLowerCase(),
        maxLength: 10,
      })
      .map(pairs => Object.fromEntries(pairs)),
    data: fc
      .array(fc.tuple(key, text(50)), { maxLength: 10 })
      .map(pairs => Object.fromEntries(pairs)),
    integrations: fc.array(
      fc.record({
        type: fc.constant('WEBHOOK' as const),
        url,
        name: text(50),
        includeScheduleUrlInCallback: fc.boolean(),
        callOnSuccess: fc.boolean(),
      }),
      { maxLength: 10 },
    ),
    policy: fc.record(
      {
        timeoutSeconds: fc.integer({ min: 1, max: 1_800 }),
        maxRetries: fc.integer({ min: 0, max: 10 }),
        catchUpSeconds: fc.integer({ min: 0, max: 31_536_000 }),
        success,
        retryDelaysSeconds: some(fc.integer({ min: 1, max: 86_400 }), 1, 10),
        retryForSeconds: fc.integer({ min: 1, max: 604_800 }),
        retryStatuses: some(fc.constantFrom('301', '429', '4xx', '503', '5xx'), 0, 20),
        keepResponse: fc.constantFrom('all' as const, 'headers' as const, 'none' as const),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['url', 'verb', 'interval', 'timezone'] },
);

const SERVERS_OWN = ['id', 'createdAt', 'updatedAt'];

function assertSame(sent: Record<string, unknown>, shown: Record<string, unknown>): void {
  const expected: Record<string, unknown> = { status: 'enabled', label: '', ...sent };
  const names = Object.keys(shown).filter(name => !SERVERS_OWN.includes(name));
  assert.deepEqual(names.sort(), Object.keys(expected).sort());
  for (const name of names)
    assert.deepEqual(withoutIds(shown[name]), withoutIds(expected[name]), name);
}

/** Entries, so that a key such as `__proto__` is compared like any other. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(({ id: _, ...rest }) => Object.entries(rest).sort());
  return typeof value === 'object' ? Object.entries(value as object).sort() : value;
}

test('what was accepted is given back as it was sent, after a create and after a replace', async () => {
  const { id } = await service.create();
  await fc.assert(
    fc.asyncProperty(body, async sent => {
      const created = await service.call('POST', '/v1/schedule', { body: sent });
      assert.equal(created.status, 200, created.text);
      assertSame(sent, created.body);
      const got = await service.call('GET', `/v1/schedule/${created.body.id}`);
      assert.deepEqual(got.body, created.body);

      const put = { status: 'enabled', ...sent };
      const replaced = await service.call('PUT', `/v1/schedule/${id}`, { body: put });
      assertSame(put, replaced.body);
      assert.deepEqual((await service.call('GET', `/v1/schedule/${id}`)).body, replaced.body);
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? casesOf(300)) },
  );
});
