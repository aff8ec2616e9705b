import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertError } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';

/** What holds for every body, whatever the operation. */

const service = await startService();
after(() => service.close());
const send = (body: unknown, headers: Record<string, string | null> = {}) =>
  service.call('POST', '/v1/schedule', { body, headers });
const json = JSON.stringify(valid);
const withLabel = (label: string) => `{"label":"${label}",${json.slice(1)}`;

test('application/json is accepted in any case and with a charset of UTF-8', async () => {
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; profile="x"; charset=utf-8;',
    `application/json; x=${'a'.repeat(8_000)}`,
  ]) {
    assert.equal((await send(json, { 'Content-Type': type })).status, 200, type.slice(0, 80));
  }
});

test('any other Content-Type is a 400, and so is none', async () => {
  for (const type of [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/vnd.api+json',
    'application/merge-patch+json',
    'application/jsonx',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json; charset=',
    'json',
    '*/*',
    '',
  ]) {
    assertError(await send(json, { 'Content-Type': type }), 400, /Content-Type/);
  }
  const bytes = new TextEncoder().encode(json);
  assertError(await send(bytes, { 'Content-Type': null }), 400, /Content-Type/);
});

test('a compressed body is a 400, and so is one that says it is', async () => {
  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'x', '']) {
    assertError(await send(json, { 'Content-Encoding': encoding }), 400, /Content-Encoding/);
  }
  assert.equal((await send(json, { 'Content-Encoding': 'Identity' })).status, 200);
});

test('what is not JSON is a 400 that quotes nothing of it', async () => {
  for (const text of [
    '',
    ' ',
    '{',
    '}',
    '{"a":1,}',
    "{'a':1}",
    '{"a":NaN}',
    '{"a":01}',
    '{"a":1}}',
    `${json} x`,
    `/**/${json}`,
    `\u00a0${json}`,
    `\ufeff${json}`,
    'undefined',
    'hunter2',
    '{"a":"\u0001"}',
    '{"a":"\\x41"}',
    '{"a":"\\u12"}',
  ]) {
    const answer = await send(text);
    assertError(answer, 400, /^The body /);
    assert.doesNotMatch(answer.body.error, /hunter2|NaN/);
  }
});

test('JSON that is not an object is a 400', async () => {
  for (const text of ['null', '1', '"x"', 'true', '[]', `[${json}]`]) {
    assertError(await send(text), 400, /^The body must be an object\.$/);
  }
});

test('white space around, escapes and a key that comes twice are JSON: the last one counts', async () => {
  const { status, body } = await send(
    `\r\n\t {"verb":"GET","\\u0076erb":"PUT","label":"\\u00fc\\/",${json.slice(1)} \n`.replace(
      '"verb":"POST",',
      '',
    ),
  );
  assert.equal(status, 200);
  assert.deepEqual([body.verb, body.label], ['PUT', 'ü/']);
});

test('bytes that are not UTF-8 are a 400, not a replacement character', async () => {
  for (const bytes of ['c3', 'ff', 'c0af', 'eda080', 'f4908080', '80', 'e28228']) {
    const body = Buffer.concat([
      Buffer.from('{"label":"'),
      Buffer.from(bytes, 'hex'),
      Buffer.from(`",${json.slice(1)}`),
    ]);
    assertError(await send(body), 400, /UTF-8/);
  }
  const utf16 = Buffer.from(json, 'utf16le');
  assertError(await send(utf16), 400);
});

test('NUL and lone surrogates are a 400 that names the place, in values and in keys', async () => {
  for (const bad of ['\\u0000', '\\ud800', '\\udc00', '\\ud800\\ud800', 'a\\udfffb']) {
    assertError(await send(withLabel(bad)), 400, /^label has text/);
    const data = (inner: string) => `{"data":${inner},${json.slice(1)}`;
    assertError(await send(data(`{"k":"${bad}"}`)), 400, /^data\.k has text/);
    assertError(await send(data(`{"k":"v","${bad}":"v"}`)), 400, /^data\["?.*\] has text/);
    assertError(await send(`{"${bad}":1,${json.slice(1)}`), 400, /has text/);
    assertError(await send(`{"id":[{"a":["${bad}"]}],${json.slice(1)}`), 400, /^id\[0\]\.a\[0\] /);
  }
});

test('a place is named shortly, however deep it is and however long its keys are', async () => {
  const key = JSON.stringify('x'.repeat(5_000));
  const deep = `${`{${key}:`.repeat(30)}"\\u0000"${'}'.repeat(30)}`;
  const answer = await send(`{"id":${deep},${json.slice(1)}`);
  assertError(answer, 400, /^id\["x+"…\].*… has text/);
  assert.ok(answer.body.error.length < 400, answer.body.error);
});

test('all other characters are kept code point for code point', async () => {
  for (const label of [
    '\\ud83d\\ude00',
    '\\uffff',
    '\\u202e',
    '\\u0001',
    '\\u2028',
    'e\\u0301',
    '\\u0301',
  ]) {
    const { status, body } = await send(withLabel(label));
    assert.equal(status, 200);
    assert.equal(body.label, JSON.parse(`"${label}"`));
    assert.equal((await service.call('GET', `/v1/schedule/${body.id}`)).body.label, body.label);
  }
});

test('32 levels are read, 33 are a 400, and 100,000 are one as quickly', async () => {
  const nested = (levels: number, open = '[', close = ']') =>
    `{"id":${open.repeat(levels - 1)}${close.repeat(levels - 1)},${json.slice(1)}`;
  assert.equal((await send(nested(32))).status, 200);
  assertError(await send(nested(33)), 400, /32 levels/);
  assertError(await send(nested(100_000)), 400, /32 levels/);
  assertError(await send('['.repeat(200_000)), 400, /32 levels/);
  assertError(await send('{"a":'.repeat(50_000)), 400, /32 levels/);
  const quoted = `{"id":"${'['.repeat(100)}\\"${'{'.repeat(100)}",${json.slice(1)}`;
  assert.equal((await send(quoted)).status, 200, 'brackets in a string are text');
});

test('__proto__ and constructor in data are own keys, kept as they were sent', async () => {
  const data = '{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d","0":"e"}';
  const { status, body, text } = await send(`{"data":${data},${json.slice(1)}`);
  assert.equal(status, 200);
  assert.match(text, /"__proto__":"a"/);
  const got = await service.call('GET', `/v1/schedule/${body.id}`);
  assert.deepEqual(Object.entries(got.body.data).sort(), Object.entries(JSON.parse(data)).sort());
  assert.equal(Object.keys(got.body.data).length, 5);
  assert.equal(({} as Record<string, unknown>).a, undefined);
});

test('256 KiB are read, and one byte more is a 400, with a length or in chunks', async () => {
  const body = withLabel('x').padEnd(256 * 1024, ' ');
  assert.equal((await send(body)).status, 200);
  assertError(await send(`${body} `), 400, /larger/);
  const headers = {
    ClientId: service.mine.clientId,
    ApiKey: service.mine.apiKey,
    'Content-Type': 'application/json',
  };
  for (const [extra, status] of [
    ['', 200],
    [' ', 400],
  ] as const) {
    const stream = new Blob([`${body}${extra}`]).stream();
    const init = { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit;
    const response = await fetch(`http://127.0.0.1:${service.port}/v1/schedule`, init);
    assert.equal(response.status, status);
    await response.text();
  }
});

test('PUT, PATCH and preview judge bodies alike, and before they look for the id', async () => {
  const unknown = '/v1/schedule/01890000-0000-7000-8000-000000000000';
  for (const [method, path] of [
    ['PUT', unknown],
    ['PATCH', unknown],
    ['POST', '/v1/preview'],
    ['POST', '/v1/schedule/batch'],
  ] as const) {
    for (const body of ['', '{', '[]', '"x"', '{"x":1}', '{"url":"\\u0000"}', '['.repeat(99)]) {
      assertError(await service.call(method, path, { body }), 400);
    }
  }
});

test('PATCH takes application/merge-patch+json too, and nothing else does', async () => {
  const { id } = await service.create();
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const path = `/v1/schedule/${id}`;
  assert.equal((await service.call('PATCH', path, { body: { label: 'x' }, headers })).status, 200);
  assertError(await service.call('PUT', path, { body: valid, headers }), 400, /Content-Type/);
});

test('DELETE and trigger leave a body unread, whatever it is', async () => {
  for (const [body, type] of [
    ['{', 'application/json'],
    ['{"id":"x"}', 'text/plain'],
    ['', 'application/json'],
    ['x'.repeat(1_000_000), 'nonsense'],
  ] as const) {
    const { id } = await service.create();
    const options = { body, headers: { 'Content-Type': type } };
    const trigger = await service.call('POST', `/v1/schedule/${id}/trigger`, options);
    assert.equal(trigger.status, 200, trigger.text);
    assert.equal((await service.call('DELETE', `/v1/schedule/${id}`, options)).status, 200);
  }
});
