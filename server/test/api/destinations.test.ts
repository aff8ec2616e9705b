import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { secretsFrom } from '../../src/domain/destination/secrets.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { withEncryption } from '../../src/store/encrypted.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { type Answer, type Service, startService, valid } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { assertNothingLed, type LedWorld, ledSteps } from '../support/domain/led-secrets.ts';

const NOW = '2026-12-01T12:00:00.000Z';
const TOKEN = 'token-that-nobody-may-see';
const BEARER = { hosts: ['api.example.com'], auth: { type: 'bearer', token: TOKEN } };
const URL_INSIDE = 'https://api.example.com/hook';

describe('destinations', () => {
  const clock = new ManualClock(NOW);
  let service: Service;
  let plain: Store;
  before(async () => {
    plain = openSqlite(':memory:');
    const store = await withEncryption(plain, [randomBytes(32)], clock.now());
    service = await startService({ store, clock });
  });
  after(() => service.close());

  const put = (name: string, body: object, as = service.mine) =>
    service.call('PUT', `/v1/destination/${name}`, { body, as });
  const get = (name: string, as = service.mine) =>
    service.call('GET', `/v1/destination/${name}`, { as });
  const remove = (name: string, as = service.mine) =>
    service.call('DELETE', `/v1/destination/${name}`, { as });
  const post = (path: string, body: object) => service.call('POST', path, { body });
  const errorOf = ({ status, headers, body }: Answer) => [
    status,
    headers.get('punctual-error-code'),
    body.error,
  ];
  const naming = (name: string, change: object = {}) => ({
    ...{ ...valid, url: URL_INSIDE, destination: name },
    ...change,
  });

  test('one is made, read and replaced, and the engine is told', async () => {
    const made = await put('first', BEARER);
    const shown = {
      ...{ name: 'first', createdAt: NOW, usedBy: 0, hosts: ['api.example.com'] },
      auth: { type: 'bearer', hasSecret: true },
    };
    assert.deepEqual([made.status, made.body], [200, shown]);
    assert.deepEqual((await get('first')).body, shown);
    assert.deepEqual(service.told.at(-1), { rotated: service.mine.clientRowId });
    await clock.jump(clock.now() + 1_000);
    const replaced = await put('first', { hosts: ['api.example.com'], limits: { perSecond: 0.5 } });
    assert.deepEqual(replaced.body, {
      ...{ name: 'first', createdAt: NOW, updatedAt: '2026-12-01T12:00:01.000Z', usedBy: 0 },
      ...{ hosts: ['api.example.com'], limits: { perSecond: 0.5 } },
    });
  });

  test('each type of authentication is answered without its secret, and may be sent back', async () => {
    const secret = 'secret-that-nobody-may-see';
    for (const [auth, shown] of [
      [{ type: 'basic', username: 'Jürgen', password: secret }, { username: 'Jürgen' }],
      [{ type: 'bearer', token: secret }, {}],
      [{ type: 'headers', headers: { 'X-Api-Key': secret } }, {}],
      [
        {
          ...{ type: 'oauth2', tokenUrl: 'https://auth.example.com/token', clientId: 'me' },
          ...{ clientSecret: secret, scope: 'a b', audience: 'x', sendAs: 'body' },
        },
        {
          ...{ tokenUrl: 'https://auth.example.com/token', clientId: 'me' },
          ...{ scope: 'a b', audience: 'x', sendAs: 'body' },
        },
      ],
    ] as const) {
      const name = `of-${auth.type}`;
      const made = await put(name, { hosts: ['api.example.com'], auth });
      assert.deepEqual(made.body.auth, { type: auth.type, hasSecret: true, ...shown });
      const back = await put(name, made.body);
      assert.equal(back.status, 200, back.text);
      assert.deepEqual(back.body.auth, made.body.auth);
      const stored = (await service.store.destinations.findSecret(service.mine, name))!;
      assert.ok(stored.secrets!.includes(secret), 'the secret is kept');
      assert.ok(!made.text.includes(secret) && !back.text.includes(secret));
      assert.ok(
        !JSON.stringify(await plain.destinations.findSecret(service.mine, name)).includes(secret),
      );
    }
  });

  test('they belong to one client', async () => {
    await put('own', BEARER);
    assert.equal((await get('own', service.theirs)).status, 404);
    assert.equal((await remove('own', service.theirs)).status, 404);
    const [status, code, error] = errorOf(
      await service.call('POST', '/v1/schedule', { body: naming('own'), as: service.theirs }),
    );
    assert.deepEqual([status, code], [400, 'reference_unknown']);
    assert.equal(error, 'destination: there is no destination "own".');
    const listed = await service.call('GET', '/v1/destination', { as: service.theirs });
    assert.deepEqual(listed.body, { items: [] });
  });

  test('they are listed by name, in pages', async () => {
    const as = service.theirs;
    for (const name of ['b', 'a', 'c']) await put(name, { hosts: ['a.example'] }, as);
    const first = await service.call('GET', '/v1/destination?limit=2', { as });
    assert.deepEqual(
      first.body.items.map((each: { name: string }) => each.name),
      ['a', 'b'],
    );
    const { nextCursor } = first.body;
    const rest = await service.call('GET', `/v1/destination?cursor=${nextCursor}`, { as });
    assert.deepEqual(
      rest.body.items.map((each: { name: string }) => each.name),
      ['c'],
    );
    assert.equal(rest.body.nextCursor, undefined);
    for (const name of ['a', 'b', 'c']) await remove(name, as);
  });

  test('a name has a form', async () => {
    for (const name of ['-a', 'A', 'a_b', 'a.b', 'x'.repeat(64)]) {
      const [status, code, error] = errorOf(await put(name, BEARER));
      assert.deepEqual([status, code], [400, 'request_invalid']);
      assert.match(error, /^The name of a destination must have 1 to 63 characters/);
    }
    assert.equal((await put('0-a', BEARER)).status, 200);
  });

  test('one is deleted once no schedule names it', async () => {
    await put('used', BEARER);
    const { id } = (await post('/v1/schedule', naming('used'))).body;
    assert.equal((await get('used')).body.usedBy, 1);
    assert.deepEqual(errorOf(await remove('used')), [
      ...[400, 'in_use', 'The destination used is in use: take it out of its schedules first.'],
    ]);
    await service.call('DELETE', `/v1/schedule/${id}`);
    assert.equal((await get('used')).body.usedBy, 0);
    assert.deepEqual((await remove('used')).body, { success: true });
    assert.equal((await remove('used')).status, 404);
    assert.equal((await get('used')).status, 404);
  });

  test('a key that may write cannot lead a secret elsewhere', async () => {
    await put('led', BEARER);
    const bare = { auth: { type: 'bearer' } };
    assert.deepEqual(errorOf(await put('led', { ...bare, hosts: ['evil.example'] })), [
      ...[400, 'secret_required', 'auth.token must be sent again, because hosts has changed.'],
    ]);
    assert.deepEqual((await get('led')).body.hosts, ['api.example.com']);
    assert.equal((await put('led', { ...bare, hosts: ['API.example.com'] })).status, 200);
  });

  describe('a schedule that does not fit its destination', () => {
    before(async () => {
      await put('strict', { ...BEARER, hosts: ['api.example.com', '*.example.org:8443'] });
      await put('open', { ...BEARER, allowHttp: true });
      await put('free', { hosts: ['api.example.com'], limits: { perSecond: 1 } });
      await put('key', {
        hosts: ['api.example.com'],
        auth: { type: 'headers', headers: { 'X-Key': 'k' } },
      });
    });
    const OUTSIDE = 'url: the host evil.example is none of the hosts of the destination strict.';
    const HTTP =
      'url: the destination strict authenticates over https only: take an https url, or set its allowHttp.';
    const TWICE = 'headers: the destination strict sets "authorization" too, so leave it out.';
    const misfits = [
      [
        'destination',
        { destination: 'nowhere' },
        'reference_unknown',
        'destination: there is no destination "nowhere".',
      ],
      ['url', { url: 'https://evil.example/x' }, 'request_invalid', OUTSIDE],
      ['url', { url: 'http://api.example.com/' }, 'request_invalid', HTTP],
      ['headers', { headers: { authorization: 'x' } }, 'headers_invalid', TWICE],
    ] as const;

    for (const [field, change, code, sentence] of misfits) {
      test(`${JSON.stringify(change)} is refused wherever it is written`, async () => {
        const body = naming('strict', change);
        const expected = [400, code, sentence];
        assert.deepEqual(errorOf(await post('/v1/schedule', body)), expected);
        assert.deepEqual(errorOf(await post('/v1/try', body)), expected);
        const put = (path: string) => service.call('PUT', path, { body });
        assert.deepEqual(errorOf(await put('/v1/schedule/ext:fresh')), expected);
        const batch = await post('/v1/schedule/batch', { items: [naming('strict'), body] });
        assert.deepEqual(errorOf(batch), [400, code, `items[1]: ${sentence}`]);
        const check = await post('/v1/check', body);
        assert.deepEqual(check.body.problems, [{ where: field, sentence }]);
        const { id } = (await post('/v1/schedule', naming('strict'))).body;
        assert.deepEqual(errorOf(await put(`/v1/schedule/${id}`)), expected);
        const patched = await service.call('PATCH', `/v1/schedule/${id}`, { body: change });
        assert.deepEqual(errorOf(patched), expected);
        const many = await post('/v1/schedule/patch', { ids: [id], patch: change });
        assert.deepEqual(errorOf(many), [400, code, `ids[0]: ${sentence}`]);
        const simulated = await post('/v1/simulate', {
          changes: [{ create: body }, { id, patch: change }],
          days: 1,
        });
        for (const { problems } of simulated.body.changes) {
          assert.deepEqual(problems, [{ where: field, sentence }]);
        }
        await service.call('DELETE', `/v1/schedule/${id}`);
      });
    }

    test('check tells all of it at once', async () => {
      const body = naming('strict', {
        url: 'http://evil.example/',
        headers: { Authorization: 'x' },
      });
      const { problems } = (await post('/v1/check', body)).body;
      assert.deepEqual(
        problems.map((each: { where: string }) => each.where),
        ['url', 'headers'],
      );
    });

    test('what fits is accepted', async () => {
      for (const body of [
        naming('strict', { url: 'https://a.example.org:8443/' }),
        naming('strict', { headers: { 'X-Key': 'mine' } }),
        naming('open', { url: 'http://api.example.com/' }),
        naming('free', { url: 'http://api.example.com/', headers: { Authorization: 'mine' } }),
        naming('key', { headers: { Authorization: 'mine' } }),
      ]) {
        const made = await post('/v1/schedule', body);
        assert.equal(made.status, 200, made.text);
        assert.equal(made.body.destination, body.destination);
        await service.call('DELETE', `/v1/schedule/${made.body.id}`);
      }
      const both = naming('key', { headers: { 'x-key': 'mine' } });
      assert.equal((await post('/v1/schedule', both)).status, 400);
    });

    test('a patch of something else is judged by nothing of it, and one may take it out', async () => {
      const { id } = (await post('/v1/schedule', naming('strict'))).body;
      const { schedule, version } = (await plain.schedules.find(service.mine.clientRowId, id))!;
      // As where the schedule and the destination are written at the same moment.
      const outside = { ...schedule, url: 'https://evil.example/' };
      await plain.schedules.update(service.mine.clientRowId, outside, version, 'keep');
      const patch = (body: object) => service.call('PATCH', `/v1/schedule/${id}`, { body });
      assert.equal((await patch({ label: 'x' })).status, 200);
      assert.equal((await patch({ status: 'disabled' })).status, 200);
      assert.equal((await patch({ headers: { 'X-A': '1' } })).status, 400);
      const out = await patch({ destination: null });
      assert.deepEqual([out.status, out.body.destination], [200, undefined]);
    });
  });

  describe('a change of a destination that a schedule would not fit', () => {
    test('names the schedule, and changes nothing', async () => {
      await put('kept', { hosts: ['api.example.com', 'b.example'], auth: BEARER.auth });
      const { id } = (await post('/v1/schedule', naming('kept'))).body;
      const refused = async (body: object, sentence: string) =>
        assert.deepEqual(errorOf(await put('kept', body)), [400, 'in_use', sentence]);
      await refused(
        { ...BEARER, hosts: ['b.example'] },
        `hosts: the schedule ${id} names this destination and calls api.example.com, which is none of these hosts.`,
      );
      await service.call('PATCH', `/v1/schedule/${id}`, { body: { headers: { 'X-Key': 'x' } } });
      await refused(
        { ...BEARER, auth: { type: 'headers', headers: { 'x-key': 'y' } } },
        `auth: the schedule ${id} names this destination and sets "X-Key" itself.`,
      );
      assert.deepEqual((await get('kept')).body.hosts, ['api.example.com', 'b.example']);
      assert.equal((await put('kept', BEARER)).status, 200, 'the other host may go');
    });

    test('finds an http url among many schedules', async () => {
      await put('many', { ...BEARER, allowHttp: true });
      const items = Array.from({ length: 600 }, (_, index) =>
        naming('many', index === 0 ? { url: 'http://api.example.com/' } : {}),
      );
      const { body } = await post('/v1/schedule/batch', { items });
      const [{ id }] = body.items;
      const [status, code, error] = errorOf(await put('many', BEARER));
      assert.deepEqual([status, code], [400, 'in_use']);
      assert.ok(error.startsWith(`allowHttp: the schedule ${id} `), error);
      await service.call('DELETE', `/v1/schedule/${id}`);
      assert.equal((await put('many', BEARER)).status, 200);
    });
  });

  test('of writers at the same moment each is told the truth', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        put('raced', { ...BEARER, limits: { maxConcurrent: index + 1 } }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    for (const [index, { body }] of answers.entries()) {
      assert.equal(body.limits.maxConcurrent, index + 1);
    }
  });

  test('no secret stands in an answer or in the log', () => {
    const text = JSON.stringify(service.logged);
    assert.ok(!text.includes(TOKEN) && !text.includes('secret-that-nobody-may-see'));
  });
});

test('without a secret key no secret is taken, and the rest works', async t => {
  const service = await startService({ isEncrypting: false });
  t.after(() => service.close());
  const put = (body: object) => service.call('PUT', '/v1/destination/a', { body });
  const refused = await put(BEARER);
  assert.deepEqual(
    [refused.status, refused.body.error],
    [400, 'auth needs PUNCTUAL_SECRET_KEY: without it Punctual keeps no secret of a destination.'],
  );
  const oidc = await put({ hosts: ['a.example'], auth: { type: 'oidc', audience: 'x' } });
  assert.match(oidc.body.error, /^auth\.type oidc needs PUNCTUAL_SECRET_KEY/);
  const { status } = await put({ hosts: ['a.example'], limits: { maxConcurrent: 1 } });
  assert.equal(status, 200);
});

test('no sequence of calls sends a secret where nobody has named together with it', async t => {
  const service = await startService({
    store: await withEncryption(openSqlite(':memory:'), [randomBytes(32)], Date.now()),
  });
  t.after(() => service.close());
  let runs = 0;
  const done = { accepted: 0, sent: 0 };
  await fc.assert(
    fc.asyncProperty(ledSteps, async steps => {
      runs += 1;
      const { accepted, sent } = await assertNothingLed(worldOf(service, `r${runs}`), steps);
      done.accepted += accepted;
      done.sent += sent;
    }),
    // A fixed seed: which share of random steps sends something is chance.
    { numRuns: 60, seed: 1 },
  );
  assert.ok(done.accepted > 100 && done.sent > 5, JSON.stringify(done));
});

/** The service, with names that only this run uses. */
function worldOf(service: Service, run: string): LedWorld {
  const { store, mine } = service;
  const ids: string[] = [];
  const nameOf = (name: string) => `${run}-${name}`;
  const within = <Fields extends { destination?: string | null }>(fields: Fields) => ({
    ...fields,
    ...(fields.destination && { destination: nameOf(fields.destination) }),
  });
  const isAccepted = ({ status, text }: Answer) => {
    assert.ok(status === 200 || status === 400 || status === 404, text);
    return status === 200;
  };
  return {
    put: async (name, body) =>
      isAccepted(await service.call('PUT', `/v1/destination/${nameOf(name)}`, { body })),
    remove: async name =>
      isAccepted(await service.call('DELETE', `/v1/destination/${nameOf(name)}`)),
    async create({ headers, destination, url = 'https://api.example.com/' }) {
      const body = {
        ...{ ...valid, url },
        ...(headers && { headers }),
        ...(destination && { destination }),
      };
      const made = await service.call('POST', '/v1/schedule', { body: within(body) });
      if (made.status === 200) ids.push(made.body.id);
      return isAccepted(made);
    },
    async patch(which, fields) {
      if (ids.length === 0) return false;
      const path = `/v1/schedule/${ids[which % ids.length]}`;
      return isAccepted(await service.call('PATCH', path, { body: within(fields) }));
    },
    async destinations() {
      const found = await Promise.all(
        ['a', 'b'].map(async name => {
          const one = await store.destinations.findSecret(mine, nameOf(name));
          return (
            one && ([name, { config: one.config, secrets: secretsFrom(one.secrets) }] as const)
          );
        }),
      );
      return new Map(found.filter(each => each !== null));
    },
    async schedules() {
      const found = await store.schedules.findAll(mine.clientRowId, ids);
      return found.map(({ schedule: { url, headers, delivery } }) => ({
        url,
        ...(headers && { headers }),
        ...(delivery?.destination !== undefined && {
          destination: delivery.destination.slice(run.length + 1),
        }),
      }));
    },
  };
}
