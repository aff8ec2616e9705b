import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  ERROR_STATUS,
  type ErrorCode,
  PunctualError,
  STORE_UNAVAILABLE,
} from '../../src/domain/errors.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';

/** The table of domain/errors.ts is what the API answers. */

const GENERIC = /^An internal error occurred; it has been logged\.$/;
const AWAY = /^The store cannot be written to at the moment\.$/;
let failure: unknown = null;
const store = openSqlite(':memory:');
const service = await startService({
  store: {
    ...store,
    schedules: {
      ...store.schedules,
      async list() {
        throw failure;
      },
    },
  },
});
after(() => service.close());
const list = () => service.call('GET', '/v1/schedule');

for (const [code, status] of Object.entries(ERROR_STATUS)) {
  test(`${code} is answered as a ${status}`, async () => {
    failure = new PunctualError(code as ErrorCode, 'Something of hunter2 is wrong.');
    const sentence = code === 'store_unavailable' ? AWAY : GENERIC;
    assertError(await list(), status, status === 500 ? sentence : /hunter2/);
  });
}

test('there is no other status than 400, 401, 404 and 500, but for who sends If-Match, Idempotency-Key or a completion', () => {
  const { precondition_failed, idempotency_conflict, idempotency_mismatch, ...rest } = ERROR_STATUS;
  const { completion_ended, ...others } = rest;
  assert.deepEqual(
    [precondition_failed, idempotency_conflict, idempotency_mismatch, completion_ended],
    [412, 409, 422, 410],
  );
  assert.deepEqual([...new Set(Object.values(others))].sort(), [400, 401, 404, 500]);
});

test('a fault of the program is a 500 that says nothing; its cause is logged, without headers', async () => {
  for (const fault of [
    new Error('SELECT hunter2 FROM secrets'),
    new TypeError('undefined is not a function'),
    Object.assign(new Error('teapot'), { statusCode: 418 }),
    Object.assign(new Error('gone'), { status: 403, code: 'EACCES' }),
    'a string',
    null,
    undefined,
  ]) {
    failure = fault;
    service.logged.length = 0;
    const answer = await list();
    assertError(answer, 500, GENERIC);
    assert.doesNotMatch(answer.text, /hunter2|teapot|gone|locked|busy/);
    const [line] = service.logged.filter(({ level }) => level === 50);
    assert.deepEqual([line?.method, line?.route], ['GET', '/v1/schedule']);
    assert.doesNotMatch(JSON.stringify(service.logged), new RegExp(service.mine.apiKey));
  }
});

test('a store that is away is told as such, and no more', async () => {
  const cause = new Error('/var/hunter2 is full');
  failure = new PunctualError('store_unavailable', 'The database hunter2 is full.', { cause });
  const answer = await list();
  assertError(answer, 500, AWAY);
  assert.equal(answer.body.error, STORE_UNAVAILABLE);
});

test('a cause that is known stands in the log', async () => {
  failure = new PunctualError('store_unavailable', 'Public.', {
    cause: new Error('the disk is full'),
  });
  service.logged.length = 0;
  await list();
  assert.match(JSON.stringify(service.logged), /the disk is full/);
});

// Each code that an answer over HTTP can have, by a request that earns it.

const unknown = '/v1/schedule/01890000-0000-7000-8000-000000000000';
const deleted = (await service.create()).id;
await service.call('DELETE', `/v1/schedule/${deleted}`);

const earned: Array<[ErrorCode, string, string, unknown, RegExp]> = [
  ['body_invalid', 'POST', '/v1/schedule', {}, /^url is required\.$/],
  ['body_too_large', 'POST', '/v1/schedule', ' '.repeat(262_145), /larger/],
  ['request_invalid', 'GET', '/v1/run?limit=0', undefined, /limit/],
  ['interval_invalid', 'POST', '/v1/schedule', { ...valid, interval: '' }, /interval/],
  ['timezone_unknown', 'POST', '/v1/schedule', { ...valid, timezone: '' }, /timezone/],
  ['target_invalid', 'POST', '/v1/schedule', { ...valid, url: 'x' }, /^url: /],
  ['target_refused', 'POST', '/v1/schedule', { ...valid, url: 'http://10.0.0.1' }, /ALLOW_TARGETS/],
  ['headers_invalid', 'POST', '/v1/schedule', { ...valid, headers: { TE: '' } }, /^headers: /],
  ['schedule_deleted', 'PUT', `/v1/schedule/${deleted}`, valid, /deleted/],
  ['cursor_invalid', 'GET', '/v1/schedule?cursor=x', undefined, /cursor/],
  ['not_found', 'GET', unknown, undefined, /no schedule/],
];

for (const [code, method, path, body, sentence] of earned) {
  test(`${code} is earned by ${method} ${path.slice(0, 40)}`, async () => {
    assertError(await service.call(method, path, { body }), ERROR_STATUS[code], sentence);
  });
}
