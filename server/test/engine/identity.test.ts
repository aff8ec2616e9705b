import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  DestinationConfig,
  DestinationSecrets,
} from '../../src/domain/destination/destination.ts';
import { newId } from '../../src/domain/id.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { Identity } from '../../src/engine/identity/identity.ts';
import { ManualClock } from '../support/clock.ts';
import { type Answer, type Sent, World } from '../support/engine/world.ts';

/** Who the service is to a target: the headers and tokens that a destination adds, and what it holds back. */

const START = '2026-03-01T12:00:00Z';
const MINUTE = 60_000;
const SECOND = 1_000;
const TOKENS = 'https://auth.example/token';
const OAUTH2 = { type: 'oauth2', tokenUrl: TOKENS, clientId: 'ada' } as const;
const HOSTS = ['example.com'];

async function put(
  world: World,
  config: Partial<DestinationConfig>,
  secrets: DestinationSecrets = {},
): Promise<void> {
  const { destinations, clients } = world.store;
  const owner = { clientRowId: world.clientRowId, clientId: (await clients.listClients())[0]!.id };
  const version = newId(world.clock.now());
  const present = await destinations.find(owner.clientRowId, 'billing');
  const change = { config: { hosts: HOSTS, ...config }, secrets: JSON.stringify(secrets), version };
  const was = present?.version ?? null;
  const result = await destinations.put(owner, 'billing', was, change, world.clock.now());
  assert.notEqual(result, 'changed');
}

async function scheduleOf(world: World, fields: Partial<Schedule> = {}): Promise<Schedule> {
  return world.schedule({
    interval: '* * * * *',
    delivery: { destination: 'billing' },
    ...fields,
  });
}

/** The requests to the target, those for tokens, and the values of one header. */
const toTarget = ({ sent }: World) => sent.filter(({ url }) => url !== TOKENS);
const forTokens = ({ sent }: World) => sent.filter(({ url }) => url === TOKENS);
const authorizations = (world: World) =>
  toTarget(world).map(({ headers }) => headers.authorization);

/** A token endpoint that numbers its tokens. */
function granting(world: World, target: (sent: Sent) => number = () => 200, fields: object = {}) {
  world.answer = sent => {
    if (sent.url !== TOKENS) return target(sent);
    const token = {
      access_token: `token-${forTokens(world).length}`,
      expires_in: 3_600,
      ...fields,
    };
    return { responseStatus: 200, privateBody: JSON.stringify(token) };
  };
}

describe('what a destination adds', () => {
  const table: [string, Partial<DestinationConfig>, DestinationSecrets, Record<string, string>][] =
    [
      [
        'basic: user and password, as UTF-8 in base64',
        { auth: { type: 'basic', username: 'adä' } },
        { password: 'pässword' },
        { authorization: `Basic ${Buffer.from('adä:pässword').toString('base64')}` },
      ],
      [
        'bearer: its token',
        { auth: { type: 'bearer' } },
        { token: 'a token' },
        { authorization: 'Bearer a token' },
      ],
      [
        'headers: each of them, with its bytes of UTF-8',
        { auth: { type: 'headers', names: ['X-Key', 'X-More'] } },
        { headers: { 'X-Key': 'one', 'X-More': 'Ω' } },
        { 'x-key': 'one', 'x-more': Buffer.from('Ω').toString('latin1') },
      ],
    ];
  for (const [name, config, secrets, expected] of table) {
    test(name, async () => {
      const world = await World.start(START);
      await put(world, config, secrets);
      const { id } = await scheduleOf(world);
      await world.clock.advance(MINUTE);
      await world.trigger(id);
      assert.equal(world.sent.length, 2, 'the firing and the manual run');
      for (const { headers } of world.sent) {
        const found = Object.keys(expected).map(header => [header, headers[header]]);
        assert.deepEqual(Object.fromEntries(found), expected);
      }
    });
  }

  test('nothing to a callback, and nothing to a schedule that names none', async () => {
    const world = await World.start(START);
    await put(world, { auth: { type: 'bearer' } }, { token: 'a token' });
    const webhook = {
      id: 'i',
      type: 'WEBHOOK',
      name: '',
      url: 'https://example.com/callback',
    } as const;
    await scheduleOf(world, {
      integrations: [{ ...webhook, includeScheduleUrlInCallback: false, callOnSuccess: true }],
    });
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE);
    const authorized = world.sent.filter(({ headers }) => headers.authorization !== undefined);
    assert.equal(world.sent.length, 3);
    assert.equal(authorized.length, 1);
    assert.equal(authorized[0]!.url, 'https://example.com/hook');
  });

  test('a change of the destination counts from the next claim on', async () => {
    const world = await World.start(START);
    await put(world, { auth: { type: 'bearer' } }, { token: 'before' });
    await scheduleOf(world);
    await world.clock.advance(MINUTE);
    await put(world, { auth: { type: 'bearer' } }, { token: 'after' });
    await world.clock.advance(MINUTE);
    assert.deepEqual(authorizations(world), ['Bearer before', 'Bearer after']);
  });
});

describe('what a destination holds back', () => {
  const blocked: [string, Partial<DestinationConfig>, string, RegExp][] = [
    [
      'a url outside its hosts',
      { hosts: ['other.example'] },
      'https://example.com/',
      /leads to example\.com, and the destination "billing" does not have it among its hosts\.$/,
    ],
    [
      'http',
      { auth: { type: 'bearer' } },
      'http://example.com/',
      /is http, and the destination "billing" is called by https only\.$/,
    ],
  ];
  for (const [name, config, url, sentence] of blocked) {
    test(`${name} is blocked and not tried again`, async () => {
      const world = await World.start(START);
      await put(world, config, { token: 'a token' });
      await scheduleOf(world, { url });
      await world.clock.advance(MINUTE + 20 * SECOND);
      const [run] = await world.runs();
      assert.deepEqual(world.sent, []);
      assert.equal(run!.status, 'failed');
      assert.equal(run!.attempts.length, 1);
      assert.equal(run!.attempts[0]!.outcome, 'blocked');
      assert.match(run!.attempts[0]!.error!, sentence);
    });
  }

  test('a header that both set, because both were written at once, is blocked and not tried again', async () => {
    const world = await World.start(START);
    await put(
      world,
      { auth: { type: 'headers', names: ['X-Key'] } },
      { headers: { 'X-Key': 'of the destination' } },
    );
    await scheduleOf(world, { headers: { 'x-key': 'of the schedule' } });
    await world.clock.advance(MINUTE + 20 * SECOND);
    const [run] = await world.runs();
    assert.deepEqual(world.sent, []);
    assert.equal(run!.attempts.length, 1);
    assert.deepEqual(
      [run!.status, run!.attempts[0]!.outcome, run!.attempts[0]!.error],
      [
        'failed',
        'blocked',
        'The schedule sets the header x-key, and the destination "billing" sets it too.',
      ],
    );
  });

  test('http is fine where it is allowed, and where there is no secret', async () => {
    for (const config of [{ auth: { type: 'bearer' }, allowHttp: true } as const, {}]) {
      const world = await World.start(START);
      await put(world, config, { token: 'a token' });
      await scheduleOf(world, { url: 'http://example.com/' });
      await world.clock.advance(MINUTE);
      assert.equal(world.sent.length, 1);
    }
  });

  test('a store that cannot be asked holds up the firing, and no longer', async () => {
    const world = await World.start(START);
    await put(world, {});
    await scheduleOf(world);
    const { destinations } = world.store;
    const present = destinations.present;
    destinations.present = () => Promise.reject(new Error('the disk is full'));
    await world.clock.advance(MINUTE + SECOND);
    assert.deepEqual(world.sent, []);
    destinations.present = present;
    await world.clock.advance(2 * SECOND);
    assert.equal(world.sent.length, 1);
    assert.equal((await world.runs())[0]!.status, 'succeeded');
  });

  test('a destination that is gone sends nothing', async () => {
    const world = await World.start(START);
    await scheduleOf(world);
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.sent, []);
    const [run] = await world.runs();
    assert.match(run!.attempts[0]!.error!, /^The destination "billing" is not there any more/);
  });
});

test('a token is secret until the one after the next is there, also if the target has refused it', async () => {
  const clock = new ManualClock(START);
  let count = 0;
  const send = async () => {
    count += 1;
    const privateBody = JSON.stringify({ access_token: `long-token-${count}`, expires_in: 200 });
    const result = { outcome: 'response', responseStatus: 200, privateBody } as const;
    return { ...result, startedAt: clock.now(), durationMs: 1, phases: {} };
  };
  const signToken = () => Promise.reject(new Error('nothing is signed here'));
  const config: DestinationConfig = { hosts: HOSTS, auth: OAUTH2 };
  const facts = { clientRowId: 1, clientId: 'c', name: 'billing', version: 'v', config };
  const identity = new Identity({ ...facts, secrets: {} }, { send, signToken, clock });
  const told = () => identity.secrets.filter(text => text.startsWith('long-token'));
  identity.refused(await identity.token());
  assert.ok(told().includes('long-token-1'));
  await identity.token();
  assert.ok(told().includes('long-token-1') && told().includes('long-token-2'));
  await clock.advance(10 * MINUTE);
  assert.ok(told().includes('long-token-2'), 'its end has passed');
  await identity.token();
  assert.ok(!told().includes('long-token-1') && told().includes('long-token-3'));
});

describe('an OAuth2 token', () => {
  async function worldWith(auth: object = {}, fields: Partial<Schedule> = {}): Promise<World> {
    const world = await World.start(START);
    await put(world, { auth: { ...OAUTH2, ...auth } }, { clientSecret: 'p&ss word' });
    await scheduleOf(world, fields);
    return world;
  }

  test('is asked for by client credentials, ahead of the firing', async () => {
    const world = await worldWith({ scope: 'a b', audience: 'https://example.com' });
    granting(world);
    await world.clock.advance(MINUTE);
    const [asked] = forTokens(world);
    assert.ok(asked!.at < toTarget(world)[0]!.at, 'before its time');
    assert.equal(asked!.clientRowId, world.clientRowId);
    assert.equal(asked!.headers.authorization, `Basic ${btoa('ada:p%26ss+word')}`);
    assert.equal(asked!.headers['content-type'], 'application/x-www-form-urlencoded');
    const form = {
      grant_type: 'client_credentials',
      scope: 'a b',
      audience: 'https://example.com',
    };
    assert.deepEqual(Object.fromEntries(new URLSearchParams(asked!.body!)), form);
    assert.deepEqual(authorizations(world), ['Bearer token-1']);
  });

  test('is asked for in the body where the endpoint wants that', async () => {
    const world = await worldWith({ sendAs: 'body' });
    granting(world);
    await world.clock.advance(MINUTE);
    const [asked] = forTokens(world);
    assert.equal(asked!.headers.authorization, undefined);
    const form = { grant_type: 'client_credentials', client_id: 'ada', client_secret: 'p&ss word' };
    assert.deepEqual(Object.fromEntries(new URLSearchParams(asked!.body!)), form);
  });

  test('is one for all firings, until a minute before its end', async () => {
    const world = await worldWith();
    for (let more = 0; more < 150; more += 1) await scheduleOf(world);
    granting(world, undefined, { expires_in: 200 });
    await world.clock.advance(3 * MINUTE);
    assert.equal(toTarget(world).length, 3 * 151);
    assert.deepEqual(
      [
        ...new Set(
          toTarget(world).map(
            ({ at, headers }) => `${(at - Date.parse(START)) / MINUTE} ${headers.authorization}`,
          ),
        ),
      ],
      ['1 Bearer token-1', '2 Bearer token-1', '3 Bearer token-2'],
    );
    assert.equal(forTokens(world).length, 2);
  });

  test('is used for four minutes where its end is not told', async () => {
    const world = await worldWith();
    granting(world, undefined, { expires_in: undefined });
    await world.clock.advance(6 * MINUTE);
    assert.deepEqual(
      authorizations(world).map(value => value!.slice(-1)),
      ['1', '1', '1', '1', '2', '2'],
    );
  });

  test('of less than a minute is for those that waited for it', async () => {
    const world = await worldWith();
    await scheduleOf(world);
    granting(world, undefined, { expires_in: '30' });
    await world.clock.advance(MINUTE);
    assert.equal(toTarget(world).length, 2);
    assert.ok(authorizations(world).every(value => value!.startsWith('Bearer token-')));
  });

  test('that comes late is waited for, and the firing says when it was sent', async () => {
    const world = await worldWith();
    world.answer = ({ url }) => (url === TOKENS ? 'hang' : 200);
    await world.clock.advance(MINUTE + 3 * SECOND);
    assert.deepEqual(toTarget(world), []);
    await world.release({ responseStatus: 200, privateBody: '{"access_token":"late"}' });
    assert.deepEqual(authorizations(world), ['Bearer late']);
    await world.clock.advance(SECOND);
    const [run] = await world.runs();
    assert.equal(run!.attempts[0]!.startedAt, Date.parse(START) + MINUTE + 3 * SECOND);
    assert.equal(
      toTarget(world)[0]!.headers['webhook-timestamp'],
      String(run!.attempts[0]!.startedAt / SECOND),
    );
  });

  test('that does not come within timeoutSeconds fails the attempt, and the next one waits again', async () => {
    const world = await worldWith({}, { policy: { timeoutSeconds: 2, retryDelaysSeconds: [3] } });
    world.answer = ({ url }) => (url === TOKENS ? 'hang' : 200);
    await world.clock.advance(MINUTE + 6 * SECOND);
    assert.deepEqual(toTarget(world), []);
    await world.release({ responseStatus: 200, privateBody: '{"access_token":"late"}' });
    await world.clock.advance(SECOND);
    const [run] = await world.runs();
    assert.equal(run!.status, 'succeeded');
    const [first, second] = run!.attempts;
    assert.deepEqual(
      [first!.outcome, first!.error, first!.durationMs],
      [
        'connectionError',
        'The token did not come within the time limit of 2 s, so nothing was sent.',
        2 * SECOND,
      ],
    );
    assert.equal(second!.startedAt, Date.parse(START) + MINUTE + 6 * SECOND);
    assert.equal(forTokens(world).length, 1);
  });

  test('that is waited for does not hold up a change of the schedule', async () => {
    const world = await World.start(START);
    await put(world, { auth: OAUTH2 }, { clientSecret: 'secret' });
    const { id } = await scheduleOf(world);
    world.answer = ({ url }) => (url === TOKENS ? 'hang' : 200);
    await world.clock.advance(MINUTE + SECOND);
    await world.change(id, { url: 'https://example.com/other' });
    await world.release({ responseStatus: 200, privateBody: '{"access_token":"late"}' });
    await world.clock.advance(MINUTE);
    assert.deepEqual(
      [...new Set(toTarget(world).map(({ url }) => url))],
      ['https://example.com/other'],
    );
  });

  test('that is refused fails the attempts, and the endpoint is asked once for all of them', async () => {
    const world = await worldWith();
    for (let more = 0; more < 250; more += 1) await scheduleOf(world);
    world.answer = ({ url }) => (url === TOKENS ? 401 : 200);
    await world.clock.advance(MINUTE + SECOND);
    assert.equal(forTokens(world).length, 1);
    assert.deepEqual(toTarget(world), []);
    granting(world);
    await world.clock.advance(8 * SECOND);
    assert.equal(forTokens(world).length, 2, 'the retries ask again');
    assert.equal(toTarget(world).length, 251);
    const [run] = await world.runs();
    assert.equal(run!.status, 'succeeded');
    const [first] = run!.attempts;
    assert.deepEqual(
      [first!.outcome, first!.error, first!.refused],
      ['connectionError', 'The token endpoint answered 401.', undefined],
    );
  });

  const faults: [string, Exclude<Answer, 'hang'>, RegExp][] = [
    [
      'a page',
      { responseStatus: 200, privateBody: '<html>' },
      /^The token endpoint answered 200, but with no token\.$/,
    ],
    [
      'another type',
      { responseStatus: 200, privateBody: '{"access_token":"a","token_type":"mac"}' },
      /no token\.$/,
    ],
    [
      'what no header carries',
      { responseStatus: 200, privateBody: '{"access_token":"a\\r\\nb"}' },
      /no token\.$/,
    ],
    ['too much', { responseStatus: 200, privateBody: null }, /more than 64 KiB\.$/],
    [
      'nothing',
      { outcome: 'timeout', error: 'The time limit of 10 s passed.' },
      /^The token endpoint gave no token: the time limit of 10 s passed\.$/,
    ],
    [
      'from where it may not be',
      { outcome: 'blocked', error: 'Port 1 is closed.' },
      /gave no token: port 1 is closed\.$/,
    ],
  ];
  for (const [name, answer, sentence] of faults) {
    test(`that comes as ${name} is none`, async () => {
      const world = await worldWith({}, { policy: { maxRetries: 0 } });
      world.answer = ({ url }) => (url === TOKENS ? answer : 200);
      await world.clock.advance(MINUTE + SECOND);
      const [run] = await world.runs();
      assert.equal(run!.attempts[0]!.outcome, 'connectionError');
      assert.match(run!.attempts[0]!.error!, sentence);
      assert.deepEqual(toTarget(world), []);
    });
  }

  test('is not kept where the target tells it with its completion, of a firing or of a manual run', async () => {
    const world = await worldWith(
      {},
      {
        policy: { completion: { deadlineSeconds: 600 } },
        headers: { 'X-Token': 'of-the-schedule' },
      },
    );
    granting(world, () => 202, { access_token: 'granted-token' });
    await world.clock.advance(MINUTE + SECOND);
    const message = 'granted-token of-the-schedule';
    assert.ok(await world.say(toTarget(world)[0]!, { status: 'failed', message }));
    await world.clock.advance(SECOND);
    const [run] = await world.runs();
    await world.trigger(run!.scheduleId);
    await world.clock.advance(SECOND);
    assert.ok(await world.say(toTarget(world)[1]!, { status: 'failed', message }));
    await world.clock.advance(SECOND);
    const errors = (await world.runs()).map(({ attempts }) => attempts[0]!.error);
    assert.deepEqual(
      errors,
      Array(2).fill('The target said later that it failed: [secret] [secret]'),
    );
  });

  test('that the target refuses is dropped, and the run retried once', async () => {
    const world = await worldWith();
    granting(world, ({ headers }) => (headers.authorization === 'Bearer token-1' ? 401 : 200));
    await world.clock.advance(MINUTE + 10 * SECOND);
    assert.deepEqual(authorizations(world), ['Bearer token-1', 'Bearer token-2']);
    assert.equal((await world.runs())[0]!.status, 'succeeded');
  });

  test('that the target refuses twice fails the run', async () => {
    const world = await worldWith({}, { policy: { maxRetries: 5 } });
    granting(world, () => 401);
    await world.clock.advance(MINUTE + 50 * SECOND);
    assert.equal(toTarget(world).length, 2);
    assert.equal((await world.runs())[0]!.status, 'failed');
  });

  test('a 401 is final with headers that do not change', async () => {
    const world = await World.start(START);
    await put(world, { auth: { type: 'bearer' } }, { token: 'a token' });
    await scheduleOf(world);
    world.answer = () => 401;
    await world.clock.advance(MINUTE + 50 * SECOND);
    assert.equal(world.sent.length, 1);
  });

  test('a stop gives back what waits for a token', async () => {
    const world = await worldWith();
    world.answer = () => 'hang';
    await world.clock.advance(MINUTE);
    const stopped = world.engine.stop(10 * MINUTE);
    await world.clock.advance(SECOND);
    await stopped;
    assert.deepEqual(toTarget(world), []);
    granting(world);
    await world.crash();
    await world.clock.advance(5 * SECOND);
    assert.equal(toTarget(world).length, 1, 'another engine fires it');
  });
});
