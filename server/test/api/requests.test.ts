import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RequestEnded } from '../../src/api/deps.ts';
import { type Service, secretsIn, startService } from '../support/api/service.ts';

describe('what is told of requests to the API', () => {
  let service: Service;
  const ended: RequestEnded[] = [];
  const routes: string[] = [];
  let failures = 0;

  before(async () => {
    service = await startService({
      routed: (method, route) => routes.push(`${method} ${route}`),
      requestEnded: request => ended.push(request),
      authenticationFailed: () => {
        failures += 1;
      },
    });
  });
  after(() => service.close());

  /** What was told of one call. The end of an answer may be told after its caller has it. */
  async function toldOf(...call: Parameters<Service['call']>) {
    ended.length = 0;
    service.logged.length = 0;
    await service.call(...call);
    while (ended.length === 0) await new Promise(setImmediate);
    const { durationMs, ...told } = ended[0]!;
    assert.ok(durationMs > 0);
    return told;
  }

  test('a request is told by the pattern of its route, whatever its path', async () => {
    const { id } = await service.create();
    const route = '/v1/schedule/:scheduleId';
    assert.deepEqual(await toldOf('GET', `/v1/schedule/${id}`), {
      method: 'GET',
      route,
      status: 200,
    });
    assert.deepEqual(await toldOf('GET', '/v1/schedule/no-such-id'), {
      method: 'GET',
      route,
      status: 404,
    });
    assert.ok(routes.includes(`GET ${route}`));
  });

  test('paths that callers make up are one route', async () => {
    for (const path of ['/', '/secret-path-1', '/v1/secret-path-2']) {
      assert.deepEqual(await toldOf('POST', path), { method: 'POST', route: 'none', status: 404 });
    }
    assert.doesNotMatch(JSON.stringify(service.logged), /secret-path/);
  });

  test('a HEAD is told as a GET', async () => {
    assert.equal((await toldOf('HEAD', '/healthz')).method, 'GET');
  });

  test('an access line has status, route, client and code, and no value of a query', async () => {
    await toldOf('GET', '/v1/run?status=a-private-value&limit=3');
    const [line] = service.logged as Record<string, unknown>[];
    assert.equal(line!.level, 20);
    assert.equal(line!.status, 400);
    assert.equal(line!.route, '/v1/run');
    assert.equal(line!.path, '/v1/run');
    assert.equal(line!.clientId, service.mine.clientId);
    assert.equal(line!.code, 'request_invalid');
    assert.doesNotMatch(JSON.stringify(service.logged), /a-private-value/);
    assert.deepEqual(secretsIn(service), []);
  });

  test('a key that does not fit is counted, and a call that names nobody is not', async () => {
    failures = 0;
    assert.equal((await toldOf('GET', '/v1/run', { headers: { ApiKey: 'wrong' } })).status, 401);
    assert.equal(failures, 1);
    await toldOf('GET', '/v1/run', { headers: { ClientId: service.theirs.clientId } });
    assert.equal(failures, 2);
    await toldOf('GET', '/v1/run', { headers: { ClientId: null, ApiKey: null } });
    await toldOf('GET', '/v1/run');
    assert.equal(failures, 2);
  });
});
