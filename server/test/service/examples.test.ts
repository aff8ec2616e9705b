import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { emptyFolder } from '../support/service/command.ts';

/**
 * The examples of the API reference, each sent to a real service as the committed document shows it,
 * with ids of its own and its own target; each answer, and each answer shown, is as its schema says.
 */

interface Described {
  operationId: string;
  parameters?: { name: string; in: 'path' | 'query'; required?: boolean; example?: unknown }[];
  requestBody?: { content: Contents };
  responses: Record<string, { content: Contents }>;
}

type Contents = Record<string, { schema: object; example?: unknown }>;

interface Operation extends Described {
  method: string;
  path: string;
}

const DOCUMENT = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, Described>>; components: object };

/** Its token is in the request of a run only (test/api/complete.test.ts). */
const UNSENT = ['complete'];
/** Nothing has failed here, so the answer has no items (test/api/incidents.test.ts). */
const WITHOUT_ITEMS = ['listIncidents'];

const OPERATIONS: Operation[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ method, path, ...described })),
);

/** What others need comes before them, and what takes away last. All else in the document's order. */
const FIRST = [
  'createSchedule',
  'triggerSchedule',
  'createKey',
  'rotateSecret',
  'beginSession',
  'putCalendar',
  'putDestination',
];
const LAST = [
  'endOverlap',
  'revokeKey',
  'endOneSession',
  'endSession',
  'deleteSchedule',
  'deleteCalendar',
  'deleteDestination',
];
const rank = ({ operationId }: Operation) =>
  FIRST.includes(operationId)
    ? FIRST.indexOf(operationId)
    : FIRST.length + 1 + LAST.indexOf(operationId);

/** Which parameter is an id that an earlier answer gave, and which one. */
const IDS: Record<string, string> = {
  scheduleId: 'createSchedule',
  runId: 'triggerSchedule',
  keyId: 'createKey',
  sessionId: 'listSessions',
};

const ajv = new Ajv2020({ strict: false });
ajv.addSchema({ $id: 'document', components: DOCUMENT.components });

function assertValid({ operationId }: Operation, schema: object, value: unknown, what: string) {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
  const isValid = ajv.validate(JSON.parse(text), value);
  assert.ok(isValid, `${operationId}: ${what}: ${ajv.errorsText()}`);
}

const answerOf = ({ responses }: Operation) => Object.entries(responses['200']!.content)[0]!;

test('each operation has an example of all that it needs, and of its answer', () => {
  assert.deepEqual(
    OPERATIONS.filter(({ responses, requestBody, parameters }) => {
      const contents = [responses['200']!.content, requestBody?.content ?? {}];
      const needed = (parameters ?? []).filter(({ required }) => required);
      const shown = [...contents.flatMap(content => Object.values(content)), ...needed];
      return shown.some(({ example }) => example === undefined);
    }).map(({ operationId }) => operationId),
    [],
  );
});

test('each example is what its schema says', () => {
  for (const operation of OPERATIONS) {
    for (const { schema, example } of Object.values(operation.requestBody?.content ?? {})) {
      assertValid(operation, schema, example, 'the body shown');
    }
    const [, { schema, example }] = answerOf(operation);
    assertValid(operation, schema, example, 'the answer shown');
  }
});

test('each example, sent to a service, is answered as its schema says and as it shows', async context => {
  const running = await emptyFolder(context).start(['dev', '--json'], /"apiKey"/, { PORT: '0' });
  const { url, clientId, apiKey } = JSON.parse(running.out()) as Record<string, string>;
  const credentials = { ClientId: clientId!, ApiKey: apiKey! };
  const answers = new Map<string, Record<string, unknown>>();

  /** The example with the ids and the target of this service. */
  const ours = (name: string, example: unknown): string => {
    const source = IDS[name];
    if (source === undefined) return String(example);
    const { id, items } = answers.get(source) as { id?: string; items?: { id: string }[] };
    return id ?? items![0]!.id;
  };
  const urlOf = ({ path, parameters = [] }: Operation) => {
    let filled = path;
    const query = new URLSearchParams();
    for (const { name, in: where, example } of parameters) {
      if (example === undefined) continue;
      if (where === 'path') filled = filled.replace(`{${name}}`, ours(name, example));
      else query.set(name, ours(name, example));
    }
    return `${url}${filled}?${query}`;
  };
  const send = async (operation: Operation): Promise<Response> => {
    const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    const text = JSON.stringify(body?.example)?.replaceAll(
      'https://example.com/report',
      `${url}/echo`,
    );
    return fetch(urlOf(operation), {
      method: operation.method.toUpperCase(),
      headers: { ...credentials, ...(type && { 'Content-Type': type }) },
      ...(text !== undefined && { body: text }),
    });
  };

  const sent = OPERATIONS.filter(({ operationId }) => !UNSENT.includes(operationId));
  for (const operation of sent.toSorted((a, b) => rank(a) - rank(b))) {
    const response = await send(operation);
    const [type, { schema, example }] = answerOf(operation);
    const { operationId } = operation;
    const isRight = response.status === 200 && response.headers.get('content-type')!.includes(type);
    assert.ok(
      isRight,
      `${operationId}: ${response.status} ${isRight ? '' : await response.text()}`,
    );
    if (type === 'text/event-stream') {
      const reader = response.body!.getReader();
      const { value } = await reader.read();
      assert.match(new TextDecoder().decode(value), /^retry: 2000\nid: \d+-open\n\n/);
      await reader.cancel();
      continue;
    }
    const answer = (await response.json()) as Record<string, unknown>;
    assertValid(operation, schema, answer, 'the answer');
    if (!WITHOUT_ITEMS.includes(operationId)) assertShown(operationId, example, answer);
    answers.set(operationId, answer);
    if (operationId === 'triggerSchedule') await ended(String(answer.id));
  }
  assert.equal(answers.size, sent.length - 1);
  assert.equal(await running.stop(), 0);

  async function ended(id: string): Promise<void> {
    const status = async () => {
      const response = await fetch(`${url}/v1/run/${id}`, { headers: credentials });
      return ((await response.json()) as { status: string }).status;
    };
    while ((await status()) !== 'succeeded');
  }
});

/** What is shown is there: each property of the answer shown, and of an item in one of the items. */
function assertShown(operationId: string, shown: unknown, answer: unknown): void {
  if (Array.isArray(shown) || typeof shown !== 'object' || shown === null) return;
  for (const [name, value] of Object.entries(shown)) {
    const found = (answer as Record<string, unknown>)[name];
    const isTold = found !== undefined || MAY_BE_ABSENT.includes(name);
    assert.ok(isTold, `${operationId}: ${name} is shown, and not answered`);
    if (name === 'items') {
      const [[first], items] = [value, found] as [object[], object[]];
      assertShown(operationId, first, Object.assign({}, ...items));
    } else if (found !== undefined) assertShown(operationId, value, found);
  }
}

/** A manual run is never late, of a first run nothing else is known, of a connection on this machine neither name nor TLS. */
const MAY_BE_ABSENT = [
  'p50LateMs',
  'p95LateMs',
  'p99LateMs',
  'dnsMs',
  'tlsMs',
  'connectMs',
  'previous',
];
