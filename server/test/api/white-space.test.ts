import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import document from '../../openapi.json' with { type: 'json' };
import { type Answer, startService, valid } from '../support/api/service.ts';

/** Nobody sees white space around a text: each text of the API is taken with it, or the refusal names it. */

const service = await startService();
after(() => service.close());

const SPACES: ReadonlyMap<string, string> = new Map([
  [' ', 'a space'],
  ['\t', 'a tab'],
  ['\n', 'a line end'],
  ['\r\n', 'a line end'],
  ['\u00a0', 'a no-break space (U+00A0)'],
  ['\u2003', 'the character U+2003'],
  ['\ufeff', 'a byte order mark (U+FEFF)'],
]);

/** `either`: some white space is a part of the text, such as a space in a header. */
type Fate = 'taken' | 'named' | 'either';
type Row = [field: string, fate: Fate, good: string, send: (text: string) => Promise<Answer>];

let scheduleId = '';
before(async () => {
  scheduleId = (await service.create()).id;
});

const post = (path: string, body: object) => service.call('POST', path, { body });
const put = (path: string, body: object) => service.call('PUT', path, { body });
const create = (change: object) => post('/v1/schedule', { ...valid, ...change });
const policy = (change: object) => create({ policy: change });
const success = (change: object) => policy({ success: change });
const webhook = (change: object) =>
  create({ integrations: [{ type: 'WEBHOOK', url: valid.url, ...change }] });
const get = (path: string, name: string) => (text: string) =>
  service.call('GET', `${path}?${name}=${encodeURIComponent(text)}`);
const calendar = (body: object) => put('/v1/calendar/freeze', body);
const destination = (change: object) =>
  put('/v1/destination/erp', { hosts: ['example.com'], ...change });
const auth = (auth: object) => destination({ auth });
const oauth = {
  ...{ type: 'oauth2', tokenUrl: valid.url, clientId: 'a', clientSecret: 'a', scope: 'a' },
};
const trusted = readFileSync(new URL('../data/localhost-trusted.pem', import.meta.url), 'utf8');
const pem = (label: string) =>
  new RegExp(`-----BEGIN ${label}-----[^-]*-----END ${label}-----`).exec(trusted)![0];
const tls = (change: object) =>
  destination({ tls: { certificate: pem('CERTIFICATE'), key: pem('PRIVATE KEY'), ...change } });

const ROWS: Row[] = [
  ['url', 'named', valid.url, url => create({ url })],
  ['url', 'named', valid.url, url => calendar({ url })],
  ['verb', 'named', 'POST', verb => create({ verb })],
  ['interval', 'either', '* * * * *', interval => create({ interval })],
  ['interval', 'named', 'rate(5 minutes)', interval => create({ interval })],
  ['interval', 'either', '@daily', interval => create({ interval })],
  ['timezone', 'named', 'UTC', timezone => create({ timezone })],
  ['status', 'named', 'enabled', status => create({ status })],
  ['headers.{key}', 'named', 'X-A', name => create({ headers: { [name]: 'a' } })],
  ['headers.*', 'either', 'a', value => create({ headers: { 'X-A': value } })],
  ['data.{key}', 'taken', 'a', key => create({ data: { [key]: 'a' } })],
  ['data.*', 'taken', 'a', value => create({ data: { a: value } })],
  ['integrations[].id', 'taken', 'a', id => webhook({ id })],
  ['integrations[].type', 'named', 'WEBHOOK', type => webhook({ type })],
  ['integrations[].url', 'named', valid.url, url => webhook({ url })],
  ['integrations[].name', 'taken', 'a', name => webhook({ name })],
  ['label', 'taken', 'a', label => create({ label })],
  ['policy.success.statuses[]', 'named', '2xx', status => success({ statuses: [status] })],
  ['policy.success.bodyContains', 'taken', 'a', bodyContains => success({ bodyContains })],
  ['policy.success.bodyLacks', 'taken', 'a', bodyLacks => success({ bodyLacks })],
  [
    'policy.success.json.pointer',
    'either',
    '/a',
    pointer => success({ json: { pointer, equals: 1 } }),
  ],
  [
    'policy.success.json.equals',
    'taken',
    'a',
    equals => success({ json: { pointer: '/a', equals } }),
  ],
  ['policy.retryStatuses[]', 'named', '429', status => policy({ retryStatuses: [status] })],
  ['policy.overlap', 'named', 'skip', overlap => policy({ overlap })],
  ['policy.keepResponse', 'named', 'failed', keepResponse => policy({ keepResponse })],
  ['externalId', 'named', 'a', externalId => create({ externalId })],
  ['tags.{key}', 'named', 'a', key => create({ tags: { [key]: 'a' } })],
  ['tags.*', 'taken', 'a', value => create({ tags: { a: value } })],
  ['body', 'taken', 'a', body => create({ body, headers: { 'Content-Type': 'text/plain' } })],
  ['destination', 'named', 'a', name => create({ destination: name })],
  ['startsAt', 'named', '2999-01-01T00:00:00Z', startsAt => create({ startsAt })],
  ['endsAt', 'named', '2999-01-01T00:00:00Z', endsAt => create({ endsAt })],
  ['pausedUntil', 'named', '2999-01-01T00:00:00Z', pausedUntil => create({ pausedUntil })],
  ['exclude[]', 'named', 'a', name => create({ exclude: [name] })],
  ['onExcluded', 'named', 'skip', onExcluded => create({ onExcluded })],
  ['afterCompletion', 'named', 'keep', afterCompletion => create({ afterCompletion })],
  ['tag', 'either', 'a', tag => post('/v1/schedule/patch', { tag, patch: {} })],
  [
    'from',
    'named',
    '2026-03-29T00:00:00Z',
    from => post('/v1/preview', { interval: '* * * * *', timezone: 'UTC', from }),
  ],
  ['intervals[]', 'either', '* * * * *', text => post('/v1/words', { intervals: [text] })],
  ['name', 'taken', 'a', name => post('/v1/key', { name })],
  [
    'path:calendarName',
    'named',
    'freeze',
    name => put(`/v1/calendar/${encodeURIComponent(name)}`, { periods: [] }),
  ],
  ['ics', 'either', 'BEGIN:VCALENDAR\nEND:VCALENDAR\n', ics => calendar({ ics })],
  [
    'periods[].from',
    'named',
    '2026-01-01',
    from => calendar({ periods: [{ from, to: '2026-01-02' }] }),
  ],
  [
    'periods[].to',
    'named',
    '2026-01-02',
    to => calendar({ periods: [{ from: '2026-01-01', to }] }),
  ],
  [
    'periods[].summary',
    'taken',
    'a',
    summary => calendar({ periods: [{ from: '2026-01-01', to: '2026-01-02', summary }] }),
  ],
  [
    'path:destinationName',
    'named',
    'erp',
    name => put(`/v1/destination/${encodeURIComponent(name)}`, { hosts: ['example.com'] }),
  ],
  ['hosts[]', 'named', 'example.com', host => destination({ hosts: [host] })],
  ['auth.type', 'named', 'oidc', type => auth({ type, audience: 'a' })],
  ['auth.username', 'either', 'a', username => auth({ type: 'basic', username, password: 'a' })],
  ['auth.password', 'either', 'a', password => auth({ type: 'basic', username: 'a', password })],
  ['auth.token', 'named', 'a', token => auth({ type: 'bearer', token })],
  [
    'auth.headers.{key}',
    'named',
    'X-A',
    name => auth({ type: 'headers', headers: { [name]: 'a' } }),
  ],
  ['auth.headers.*', 'either', 'a', value => auth({ type: 'headers', headers: { 'X-A': value } })],
  ['auth.tokenUrl', 'named', valid.url, tokenUrl => auth({ ...oauth, tokenUrl })],
  ['auth.clientId', 'either', 'a', clientId => auth({ ...oauth, clientId })],
  ['auth.clientSecret', 'either', 'a', clientSecret => auth({ ...oauth, clientSecret })],
  ['auth.scope', 'either', 'a', scope => auth({ ...oauth, scope })],
  ['auth.audience', 'either', 'a', audience => auth({ ...oauth, audience })],
  ['auth.sendAs', 'named', 'body', sendAs => auth({ ...oauth, sendAs })],
  ['tls.ca', 'either', pem('CERTIFICATE'), ca => destination({ tls: { ca } })],
  ['tls.certificate', 'either', pem('CERTIFICATE'), certificate => tls({ certificate })],
  ['tls.key', 'either', pem('PRIVATE KEY'), key => tls({ key })],
  ['query:cursor', 'named', 'a', get('/v1/schedule', 'cursor')],
  ['query:status', 'named', 'enabled', get('/v1/schedule', 'status')],
  ['query:label', 'taken', 'a', get('/v1/schedule', 'label')],
  ['query:url', 'taken', 'a', get('/v1/schedule', 'url')],
  ['query:host', 'taken', 'a', get('/v1/schedule', 'host')],
  ['query:tag[]', 'either', 'a', get('/v1/schedule', 'tag')],
  [
    'query:descendants',
    'named',
    'true',
    text => service.call('DELETE', `/v1/key/a?descendants=${encodeURIComponent(text)}`),
  ],
  ['query:sort', 'named', 'health', get('/v1/schedule/health', 'sort')],
  ['query:groupBy', 'named', 'host', get('/v1/schedule/health', 'groupBy')],
  ['query:scheduleId', 'named', 'a', get('/v1/run', 'scheduleId')],
  ['query:from', 'named', '2026-03-29T00:00:00Z', get('/v1/run', 'from')],
  ['query:to', 'named', '2026-03-29T00:00:00Z', get('/v1/run', 'to')],
  ['query:error', 'taken', 'a', get('/v1/run', 'error')],
  ['query:cause', 'named', 'timeout', get('/v1/run', 'cause')],
  [
    'query:at',
    'named',
    '2026-03-29T00:00:00Z',
    text =>
      service.call('GET', `/v1/schedule/${scheduleId}/explain?at=${encodeURIComponent(text)}`),
  ],
  ['query:timezone', 'named', 'UTC', get('/v1/offsets', 'timezone')],
  [
    'query:all',
    'named',
    'true',
    all => service.call('DELETE', `/v1/session?all=${encodeURIComponent(all)}`),
  ],
  ['query:span', 'named', 'day', get('/v1/forecast', 'span')],
];

for (const [field, fate, good, send] of ROWS) {
  test(`white space around ${field} is ${fate} (${JSON.stringify(good.slice(0, 20))})`, async () => {
    for (const [space, name] of SPACES) {
      for (const [text, verb] of [
        [space + good, 'begins with'],
        [good + space, 'ends with'],
      ] as const) {
        const answer = await send(text);
        const is = isNamed(answer, `${verb} ${name}`)
          ? 'named'
          : answer.status === 200
            ? 'taken'
            : 'lost';
        assert.ok(fate === is || (fate === 'either' && is !== 'lost'), `${is}: ${answer.text}`);
      }
    }
  });
}

function isNamed({ status, body }: Answer, words: string): boolean {
  return status === 400 && body.error.includes(words);
}

test('each text of the interface has its row', () => {
  const rows = new Set(ROWS.map(([field]) => field));
  const lacking = fieldsOfDocument().filter(field => !rows.has(field) && !ELSEWHERE.has(field));
  assert.deepEqual(lacking, []);
});

/** Headers come without white space around them (RFC 9110, 5.5). An id that is none is not found, as any other. */
const ELSEWHERE = new Set([
  ...['header:Idempotency-Key', 'header:If-Match', 'header:If-None-Match'],
  ...[
    'path:token',
    'path:scheduleId',
    'path:version',
    'path:runId',
    'path:sessionId',
    'path:keyId',
  ],
  ...['ids[]', 'id', 'query:scheduleId[]'],
  // Of a completion, whose url names a run: kept as it is.
  'message',
]);

interface Node {
  $ref?: string;
  name?: string;
  in?: string;
  type?: string | string[];
  schema?: Node;
  items?: Node;
  properties?: Record<string, Node>;
  additionalProperties?: boolean | Node;
  anyOf?: Node[];
}

/** `tags.{key}`, `periods[].from`, `query:cursor`: one name for a field, whichever bodies it is in. */
function fieldsOfDocument(): string[] {
  const fields = new Set<string>();
  const operations = Object.values(document.paths).flatMap(path => Object.values(path));
  for (const { parameters = [], requestBody } of operations as Operation[]) {
    for (const { in: part, name, schema } of parameters) visit(schema!, `${part}:${name}`, fields);
    for (const { schema } of Object.values(requestBody?.content ?? {})) visit(schema!, '', fields);
  }
  return [...fields].sort();
}

interface Operation {
  parameters?: Node[];
  requestBody?: { content: Record<string, Node> };
}

/** Bodies of schedules stand in others. */
const INSIDE = /^(?:items\[\]|patch|changes\[\](?:\.create|\.patch)?)\./;

function visit(node: Node, field: string, fields: Set<string>): void {
  const schemas = document.components.schemas as Record<string, Node>;
  if (node.$ref !== undefined) visit(schemas[node.$ref.split('/').at(-1)!]!, field, fields);
  for (const each of node.anyOf ?? []) visit(each, field, fields);
  if (typeof node.additionalProperties === 'object') {
    fields.add(`${field}.{key}`.replace(INSIDE, ''));
    visit(node.additionalProperties, `${field}.*`, fields);
  }
  for (const [name, each] of Object.entries(node.properties ?? {})) {
    visit(each, field === '' ? name : `${field}.${name}`, fields);
  }
  if (node.items !== undefined) visit(node.items, `${field}[]`, fields);
  if ([node.type].flat().includes('string')) fields.add(field.replace(INSIDE, ''));
}
