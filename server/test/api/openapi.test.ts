import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { POLICY_FIELDS } from '../../../client/src/index.ts';
import { callbacksOf } from '../../src/domain/run/callback.ts';
import { POLICY_DEFAULTS } from '../../src/domain/schedule/schedule.ts';
import { anAttempt, anId, aRecord, aSchedule, NOON } from '../support/store/backend.ts';

/** The committed document of the API, as a stranger's tools read it. Another test says that it is not stale. */

const TEXT = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  minimum?: number;
  maximum?: number;
}

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  parameters?: { name: string; description?: string }[];
  requestBody: { content: Record<string, { example: unknown }> };
}

interface Document {
  info: { description?: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> };
}

const read = () => JSON.parse(TEXT) as Document;

test('the bounds and defaults of a policy are those that the client tells', () => {
  const { Policy } = read().components.schemas;
  const bounds = Object.entries(POLICY_DEFAULTS).map(([name, byDefault]) => {
    const { minimum, maximum } = Policy!.properties![name]!;
    return [name, { from: minimum, to: maximum, byDefault }];
  });
  assert.deepEqual(Object.fromEntries(bounds), POLICY_FIELDS);
});

/** All rules that Redocly recommends, none turned off. */
async function lint(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
  );
}

test('a public linter finds nothing, neither error nor warning', async () => {
  assert.deepEqual(await lint(read()), []);
});

test('the linter finds what is planted', async () => {
  const planted = read();
  delete planted.paths['/v1/schedule']!.post!.summary;
  planted.servers[0]!.url = 'https://example.com';
  planted.components.schemas.Run = { $ref: '#/components/schemas/Nothing' };
  const rules = (await lint(planted)).map(problem => problem.split(':')[0]);
  for (const rule of ['operation-summary', 'no-server-example.com', 'no-unresolved-refs']) {
    assert.ok(rules.includes(rule), `${rule} in ${rules}`);
  }
});

/** Where a description is missing. */
function undescribed({ components, paths, webhooks }: Document): string[] {
  const ofSchema = (schema: Schema, where: string): string[] => {
    if (schema.$ref !== undefined) return [];
    return [
      ...(schema.description ? [] : [where]),
      ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
        ofSchema(field, `${where}.${name}`),
      ),
      ...(schema.items ? ofSchema(schema.items, `${where}[]`) : []),
    ];
  };
  const ofOperations = Object.values({ ...paths, ...webhooks })
    .flatMap(methods => Object.values(methods))
    .flatMap(({ operationId, description, parameters = [] }) => [
      ...(description ? [] : [operationId]),
      ...parameters.filter(one => !one.description).map(({ name }) => `${operationId} ${name}`),
    ]);
  const ofSchemas = Object.entries(components.schemas).flatMap(([name, schema]) =>
    ofSchema(schema, name),
  );
  return [...ofOperations, ...ofSchemas];
}

test('every operation, parameter, schema and field has a description', () => {
  assert.deepEqual(undescribed(read()), []);
  const bare = read();
  delete bare.components.schemas.Run!.properties!.attempts!.description;
  delete bare.paths['/v1/run']!.get!.description;
  assert.deepEqual(undescribed(bare), ['listRuns', 'Run.attempts']);
});

test('the session of a browser is a security scheme, beside the key', () => {
  const { securitySchemes } = read().components;
  const places = Object.entries(securitySchemes).map(([name, scheme]) => {
    const { in: place, name: header } = scheme as { in: string; name: string };
    return [name, place, header];
  });
  assert.deepEqual(places, [
    ['ClientId', 'header', 'ClientId'],
    ['ApiKey', 'header', 'ApiKey'],
    ['SessionCookie', 'cookie', 'punctual_session'],
    ['SessionHeader', 'header', 'Punctual-Session'],
  ]);
});

test('each callback that the service makes is a webhook of the document, and as its schema says', () => {
  const { components, webhooks } = read();
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ $id: 'document', components: closed(components) });
  const check = ajv.compile({ $ref: 'document#/components/schemas/ScheduleCallback' });
  const integration = {
    type: 'WEBHOOK' as const,
    name: '',
    url: 'https://example.com',
    callOnSuccess: true,
  };
  const schedule = aSchedule({
    integrations: [
      { ...integration, id: anId(), includeScheduleUrlInCallback: true },
      { ...integration, id: anId(), includeScheduleUrlInCallback: false },
    ],
  });
  const answered = anAttempt(1, {
    outcome: 'response',
    responseStatus: 503,
    error: 'It answered 503.',
  });
  const { responseStatus: _, ...timedOut } = anAttempt(1, {
    outcome: 'timeout',
    error: 'No answer.',
  });
  const bodies = [
    aRecord(schedule.id, NOON, { status: 'succeeded' }),
    aRecord(schedule.id, NOON, { status: 'failed', attempts: [answered] }),
    aRecord(schedule.id, NOON, { status: 'failed', attempts: [timedOut] }),
  ].flatMap(record => callbacksOf(schedule, record).map(({ body }) => JSON.parse(body)));
  assert.equal(bodies.length, 6);
  const shown = Object.values(webhooks).map(
    ({ post }) => post!.requestBody.content['application/json']!.example,
  );
  for (const body of [...bodies, ...shown]) assert.ok(check(body), ajv.errorsText(check.errors));
  const types = new Set(bodies.map(({ type }) => type));
  assert.deepEqual([...types].sort(), Object.keys(webhooks).sort());
});

/** No field beside those that are described. */
function closed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  return ('properties' in copy ? { additionalProperties: false, ...copy } : copy) as Value;
}
