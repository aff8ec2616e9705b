import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schedule, ScheduleInput } from '@punctual/client';
import { type Expression, parse } from 'acorn';
import fc from 'fast-check';
import { parse as parseYaml } from 'yaml';
import { shellWords } from '../src/paste/shell-words.ts';
import {
  asCurl,
  asTypeScript,
  inputThatMakes,
  isCopyable,
  secretsOf,
  withoutSecrets,
} from '../src/schedule-text/schedule-code.ts';
import { asYaml } from '../src/schedule-text/schedule-yaml.ts';

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    `it's "so" \\' \\\\`,
    '$(rm) `x` $y',
    '\n\t\r\u2028',
    '- no',
    'null',
    '1e3',
    ': ',
  ),
);
const maps = fc.dictionary(fc.oneof(texts, fc.constant('__proto__')), texts, { maxKeys: 4 });
const inputs: fc.Arbitrary<ScheduleInput> = fc.record(
  {
    url: texts,
    verb: fc.constantFrom('GET', 'POST', 'PUT'),
    interval: texts,
    timezone: texts,
    headers: maps,
    data: maps,
    body: texts,
    maxRuns: fc.integer(),
    exclude: fc.array(texts, { maxLength: 3 }),
    policy: fc.record({ timeoutSeconds: fc.integer(), template: fc.boolean() }),
    integrations: fc.array(fc.record({ type: fc.constant('WEBHOOK' as const), url: texts })),
  },
  { requiredKeys: ['url', 'verb', 'interval', 'timezone'] },
);
const BASE = "https://punctual.example/it's";

test('a shell reads from cURL the call that makes the schedule', () => {
  fc.assert(
    fc.property(inputs, input => {
      const command = asCurl(input, BASE);
      assert.ok(command.includes('-H "ClientId: $CLIENT_ID" -H "ApiKey: $API_KEY"'));
      // A shell fills these two in; the rest has no variables.
      const filled = command.replace('$CLIENT_ID', 'id').replace('$API_KEY', 'key');
      const words = shellWords(filled)!;
      assert.deepEqual(words.slice(0, -1), [
        ...['curl', `${BASE}/v1/schedule`, '-H', 'ClientId: id', '-H', 'ApiKey: key'],
        ...['-H', 'Content-Type: application/json', '--data-raw'],
      ]);
      assert.deepEqual(JSON.parse(words.at(-1)!), JSON.parse(JSON.stringify(input)));
    }),
  );
});

test('TypeScript passes the same input to the client', () => {
  fc.assert(
    fc.property(inputs, input => {
      // Its one sign that JavaScript lacks is the `!` after each variable.
      const code = asTypeScript(input, BASE).replace(/(CLIENT_ID|API_KEY)!/g, '$1');
      const { body } = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
      const last = body.at(-1)!;
      assert.ok(last.type === 'ExpressionStatement');
      assert.ok(last.expression.type === 'AwaitExpression');
      const call = last.expression.argument;
      assert.ok(call.type === 'CallExpression');
      assert.deepEqual(valueIn(call.arguments[0] as Expression), JSON.parse(JSON.stringify(input)));
    }),
  );
});

test('YAML reads back as the same input', () => {
  fc.assert(
    fc.property(inputs, input => {
      assert.equal(JSON.stringify(parseYaml(asYaml(input))), JSON.stringify(input));
    }),
  );
});

test('one with an external id is made or replaced', () => {
  const input: ScheduleInput = {
    url: 'https://example.com/',
    verb: 'GET',
    interval: '@daily',
    timezone: 'UTC',
    externalId: 'a:b@c',
  };
  const command = asCurl(input, 'https://punctual.example');
  const [, ...words] = shellWords(command.replaceAll('$', ''))!;
  assert.deepEqual(words.slice(0, 3), [
    ...['-X', 'PUT', 'https://punctual.example/v1/schedule/ext:a%3Ab%40c'],
  ]);
  assert.match(asTypeScript(input, BASE), /client\.upsertSchedule\('a:b@c', \{/);
});

test('dots stand in place of values that look like secrets', () => {
  const input: ScheduleInput = {
    url: 'https://example.com/',
    verb: 'POST',
    interval: '@daily',
    timezone: 'UTC',
    headers: { Authorization: 'Bearer abc', Accept: 'text/plain' },
    data: { token: 'def', all: 'yes' },
  };
  assert.deepEqual(secretsOf(input), ['Authorization', 'token']);
  const { headers, data } = withoutSecrets(input);
  assert.deepEqual(headers, { Authorization: '••••••', Accept: 'text/plain' });
  assert.deepEqual(data, { token: '••••••', all: 'yes' });
  assert.equal(isCopyable(input, false), false, 'dots would replace stored values');
  assert.equal(isCopyable(input, true), true);
  assert.equal(isCopyable({ ...input, headers: {}, data: { all: 'yes' } }, false), true);
});

test('fields that the service gives are left out, and a pause stays', () => {
  const schedule: Schedule = {
    id: '0190',
    status: 'disabled',
    statusReason: 'targetGone',
    url: 'https://example.com/',
    verb: 'POST',
    interval: '0 9 * * *',
    timezone: 'UTC',
    createdAt: '2026-06-01T06:00:00.000Z',
    updatedAt: '2026-06-01T07:00:00.000Z',
    label: 'Nightly',
    integrations: [
      {
        id: 'a',
        type: 'WEBHOOK',
        name: 'Pager',
        url: 'https://example.com/pager',
        includeScheduleUrlInCallback: false,
        callOnSuccess: true,
      },
    ],
  };
  assert.deepEqual(inputThatMakes(schedule), {
    label: 'Nightly',
    status: 'disabled',
    url: 'https://example.com/',
    verb: 'POST',
    interval: '0 9 * * *',
    timezone: 'UTC',
    integrations: [
      {
        type: 'WEBHOOK',
        name: 'Pager',
        url: 'https://example.com/pager',
        includeScheduleUrlInCallback: false,
        callOnSuccess: true,
      },
    ],
  });
  const { status } = inputThatMakes({ ...schedule, status: 'enabled' });
  assert.equal(status, undefined);
});

/** The value of a literal of JSON's kinds. */
function valueIn(node: Expression): unknown {
  switch (node.type) {
    case 'Literal':
      return node.value;
    case 'UnaryExpression':
      return -(valueIn(node.argument) as number);
    case 'ArrayExpression':
      return node.elements.map(each => valueIn(each as Expression));
    case 'ObjectExpression': {
      const entries = node.properties.map(each => {
        assert.ok(each.type === 'Property');
        const isName = each.key.type === 'Identifier' && !each.computed;
        // Without brackets this name would set the prototype.
        const name = isName ? (each.key as { name: string }).name : valueIn(each.key as Expression);
        assert.ok(name !== '__proto__' || each.computed);
        return [name, valueIn(each.value)];
      });
      return Object.fromEntries(entries);
    }
    default:
      throw new Error(`${node.type} is no literal.`);
  }
}
