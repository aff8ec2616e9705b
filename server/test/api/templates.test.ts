import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { assertError } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';

const clock = new ManualClock('2026-03-01T00:00:00Z');
const tried: Schedule[] = [];
const service = await startService({
  clock,
  async tryOut(schedule) {
    tried.push(schedule);
    return { number: 1, startedAt: clock.now(), outcome: 'response', responseStatus: 204 };
  },
});
after(() => service.close());

const templated = {
  ...valid,
  url: 'https://example.com/{{schedule.label}}',
  timezone: 'Europe/Berlin',
  interval: '30 8 * * *',
  label: 'a/b',
  externalId: 'sync:1',
  policy: { template: true },
  headers: { 'X-Run': '{{run.trigger}} {{run.attempt}} "{{previous.status}}"', 'X-Name': 'ä' },
  data: { day: '{{run.localDate}} {{run.localTime}}', of: '{{schedule.externalId}}' },
};
const check = async (change: object) =>
  (await service.call('POST', '/v1/check', { body: { ...templated, ...change } })).body;

test('check shows the request of the next time, with made-up ids that are valid', async () => {
  const { problems, times, request } = await check({
    data: { ...templated.data, id: '{{run.id}}' },
  });
  assert.deepEqual([problems, times[0]], [[], '2026-03-01T07:30:00.000Z']);
  const { headers, body, ...rest } = request;
  const { 'Punctual-Schedule-Id': id, 'User-Agent': agent, ...others } = headers;
  assert.deepEqual(rest, { method: 'POST', url: 'https://example.com/a%2Fb' });
  assert.deepEqual(others, {
    'X-Run': 'schedule 1 ""',
    'X-Name': 'ä',
    'Content-Type': 'application/json',
    'Punctual-Scheduled-For': '2026-03-01T07:30:00.000Z',
  });
  assert.match(agent, /^Punctual\//);
  const data = JSON.parse(body);
  assert.deepEqual([data.day, data.of], ['2026-03-01 08:30:00', 'sync:1']);
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  assert.match(id, uuid);
  assert.match(data.id, uuid);
});

test('check shows it as it is sent: a query, a form, a raw body', async () => {
  const get = await check({ verb: 'GET', data: { a: '{{schedule.label}}&' } });
  assert.equal(get.request.url, 'https://example.com/a%2Fb?a=a%2Fb%26');
  assert.equal('body' in get.request, false);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  assert.equal((await check({ headers, data: { a: 'x {{run.attempt}}' } })).request.body, 'a=x+1');
  const { data: _, ...bare } = templated;
  const raw = await service.call('POST', '/v1/check', {
    body: { ...bare, body: '{"a":"{{run.unix}}"}' },
  });
  assert.equal(raw.body.request.body, '{"a":"1772350200"}');
});

test('it is there while only the times are wrong, and not where the request is', async () => {
  const untimed = await check({ interval: '99 * * * *' });
  assert.deepEqual(untimed.times, []);
  assert.equal(untimed.request.headers['Punctual-Scheduled-For'], '2026-03-01T00:00:00.000Z');
  const wrong = [
    { data: { a: '{{x}}' } },
    { url: 'ftp://x' },
    { timezone: 'Nowhere' },
    { headers: { Host: 'x' } },
  ];
  for (const change of wrong) assert.equal((await check(change)).request, undefined);
  assert.equal((await check({ policy: {} })).request, undefined);
});

test('check names each template that is wrong, as a create does', async () => {
  const wrong = {
    url: 'https://example.com/{{run}}',
    headers: { 'X-A': '{{previous}}' },
    data: { a: '{{run.id' },
  };
  const { problems } = await check(wrong);
  assert.deepEqual(
    problems.map(({ where }: { where: string }) => where),
    ['url', 'headers', 'data'],
  );
  for (const [name, value] of Object.entries(wrong)) {
    const body = { ...templated, [name]: value };
    const created = await service.call('POST', '/v1/schedule', { body });
    const { sentence } = problems.find(({ where }: { where: string }) => where === name);
    assert.equal(created.headers.get('punctual-error-code'), 'template_invalid');
    assertError(created, 400);
    assert.equal(created.body.error, sentence);
  }
});

test('a schedule is stored and answered as it was written', async () => {
  const { id } = await service.create(templated);
  const { body } = await service.call('GET', `/v1/schedule/${id}`);
  const { url, headers, data, policy } = body;
  assert.deepEqual({ ...templated, url, headers, data, policy }, templated);
  const patch = (body: object) => service.call('PATCH', `/v1/schedule/${id}`, { body });
  assertError(await patch({ data: { b: '{{x}}' } }), 400, /^data, "b": "x" is not a name/);
  assert.equal((await patch({ policy: { template: false }, data: { b: '{{x}}' } })).status, 200);
  assertError(await patch({ policy: { template: true } }), 400, /^data, "b": "x" is not a name/);
});

test('a batch names the item whose template is wrong', async () => {
  const body = { items: [templated, { ...templated, externalId: 'b', data: { a: '{{x}}' } }] };
  const answer = await service.call('POST', '/v1/schedule/batch', { body });
  assertError(answer, 400, /^items\[1\].*"x" is not a name of a template/);
});
