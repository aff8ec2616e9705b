import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  DestinationConfig,
  DestinationSecrets,
} from '../../src/domain/destination/destination.ts';
import { Identity } from '../../src/engine/identity/identity.ts';
import { sendAs } from '../../src/engine/identity/send-as.ts';
import { buildRunRequest } from '../../src/outbound/request.ts';
import type { OutboundRequest, SendResult } from '../../src/outbound/send.ts';
import { StartPermit } from '../../src/outbound/start-permit.ts';
import { ManualClock } from '../support/clock.ts';

/** One request on its way through a destination: its headers, and how long it waits for a token. */

const START = Date.parse('2026-03-01T12:00:00Z');
const SECOND = 1_000;
const TOKENS = 'https://auth.example/token';
const OAUTH2 = { type: 'oauth2', tokenUrl: TOKENS, clientId: 'ada' } as const;

const answered: SendResult = {
  ...{ outcome: 'response', responseStatus: 200, startedAt: START, durationMs: 1, phases: {} },
};

/** A destination, and the network behind it: an endpoint that grants tokens when the test lets it. */
class Route {
  readonly clock = new ManualClock(START);
  readonly sent: OutboundRequest[] = [];
  readonly asked: ((token: string) => void)[] = [];
  readonly #identity: Identity;

  constructor(config: Partial<DestinationConfig>, secrets: DestinationSecrets = {}) {
    const facts = { clientRowId: 1, clientId: 'ada', name: 'billing', version: '1' };
    this.#identity = new Identity(
      { ...facts, config: { hosts: ['example.com'], ...config }, secrets },
      {
        send: request => this.#send(request),
        signToken: () => Promise.reject(new Error('nothing is signed here')),
        clock: this.clock,
      },
    );
  }

  send(request: OutboundRequest, permit?: StartPermit): Promise<SendResult> {
    const build = () => request;
    const through = { send: (each: OutboundRequest) => this.#send(each), clock: this.clock };
    return sendAs(
      { identity: this.#identity, name: 'billing', request, build, ...(permit && { permit }) },
      through,
    );
  }

  async #send(request: OutboundRequest): Promise<SendResult> {
    if (request.url !== TOKENS) {
      if (request.permit?.start() === false) return { ...answered, outcome: 'cancelled' };
      this.sent.push(request);
      return answered;
    }
    return new Promise(resolve =>
      this.asked.push(token =>
        resolve({ ...answered, privateBody: JSON.stringify({ access_token: token }) }),
      ),
    );
  }
}

/** The request of a firing, with these headers of its schedule. */
function request(headers: Record<string, string> = {}, timeoutMs = 5 * SECOND): OutboundRequest {
  const parts = { url: 'https://example.com/', verb: 'POST' as const, headers, data: { a: 'b' } };
  return buildRunRequest(parts, {
    ...{ runId: 'run', scheduleId: 'schedule', scheduledFor: START, attempt: 1, nowMs: START },
    secrets: { signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    timeoutMs,
  });
}

/** All values of a header, whatever the case of its name. */
const valuesOf = ({ headers }: OutboundRequest, name: string) =>
  headers.filter((_, at) => at % 2 === 1 && headers[at - 1]!.toLowerCase() === name);

describe('a header that a destination sets', () => {
  const auth = (names: string[]) => ({ auth: { type: 'headers' as const, names } });

  test('takes the place of the one that the service adds', async () => {
    const headers = { 'user-agent': 'Billing/1', 'CONTENT-TYPE': 'application/vnd.a+json' };
    const route = new Route(auth(Object.keys(headers)), { headers });
    await route.send(request({ Accept: 'text/plain' }));
    const [sent] = route.sent as [OutboundRequest];
    assert.deepEqual(valuesOf(sent, 'user-agent'), ['Billing/1']);
    assert.deepEqual(valuesOf(sent, 'content-type'), ['application/vnd.a+json']);
    assert.deepEqual(valuesOf(sent, 'accept'), ['text/plain']);
    assert.equal(valuesOf(sent, 'webhook-id').length, 1);
    assert.equal(sent.ownHeaders, 2);
  });

  test('leaves other headers as they are, and so do other kinds of authentication', async () => {
    for (const [config, secrets] of [
      [auth(['X-Key']), { headers: { 'X-Key': 'a key' } }],
      [{ auth: { type: 'bearer' as const } }, { token: 'a token' }],
      [{}, {}],
    ] as const) {
      const route = new Route(config, secrets);
      const before = request({ 'User-Agent': 'Schedule/1' });
      const usual = [...before.headers];
      await route.send(before);
      assert.deepEqual(route.sent[0]!.headers.slice(0, usual.length), usual);
    }
  });

  test('and that its schedule sets by now, too, lets nothing be sent', async () => {
    for (const [own, config, secrets] of [
      ['x-KEY', auth(['X-Key']), { headers: { 'X-Key': 'a key' } }],
      ['user-agent', auth(['User-Agent']), { headers: { 'User-Agent': 'Billing/1' } }],
      ['Authorization', { auth: { type: 'bearer' as const } }, { token: 'a token' }],
      ['authorization', { auth: OAUTH2 }, { clientSecret: 'a secret' }],
    ] as const) {
      const route = new Route(config, secrets);
      const { outcome, error, unsent } = await route.send(request({ [own]: 'of the schedule' }));
      assert.deepEqual([outcome, unsent], ['blocked', true]);
      assert.equal(
        error,
        `The schedule sets the header ${own}, and the destination "billing" sets it too.`,
      );
      assert.deepEqual([route.sent, route.asked], [[], []]);
    }
  });
});

describe('the wait for a token', () => {
  const route = () => new Route({ auth: OAUTH2 }, { clientSecret: 'a secret' });

  test('is bounded by the time limit of the request, and nothing is sent', async () => {
    const through = route();
    const sending = through.send(request({}, 5 * SECOND));
    await through.clock.advance(5 * SECOND - 1);
    let isOver = false;
    void sending.then(() => {
      isOver = true;
    });
    await through.clock.advance(0);
    assert.equal(isOver, false);
    await through.clock.advance(1);
    assert.equal(isOver, true);
    assert.deepEqual(await sending, {
      ...{ outcome: 'connectionError', unsent: true },
      ...{ startedAt: START, durationMs: 5 * SECOND, phases: {} },
      error: 'The token did not come within the time limit of 5 s, so nothing was sent.',
    });
    through.asked[0]!('late');
    await through.clock.advance(0);
    assert.deepEqual(through.sent, []);
  });

  test('that one gave up is the wait of the next: the endpoint is asked once', async () => {
    const through = route();
    let outcome: string | undefined;
    void through.send(request({}, SECOND)).then(result => {
      outcome = result.outcome;
    });
    await through.clock.advance(SECOND);
    assert.equal(outcome, 'connectionError');
    const second = through.send(request({}, SECOND));
    through.asked[0]!('late');
    assert.equal((await second).outcome, 'response');
    assert.equal((await through.send(request())).outcome, 'response');
    assert.deepEqual(
      through.sent.map(sent => valuesOf(sent, 'authorization')),
      [['Bearer late'], ['Bearer late']],
    );
    assert.equal(through.asked.length, 1);
  });

  test('leaves no timer behind where the token comes', async () => {
    const through = route();
    let running = 0;
    const { clock } = through;
    const { after } = clock;
    clock.after = (...given) => {
      const timer = after.apply(clock, given);
      running += 1;
      return {
        cancel() {
          running -= 1;
          timer.cancel();
        },
      };
    };
    const sending = through.send(request());
    assert.equal(running, 1);
    through.asked[0]!('in-time');
    await sending;
    assert.equal(running, 0);
    await through.send(request());
    assert.equal(running, 0, 'one that is there is not waited for');
  });

  test('ends where the request is cancelled', async () => {
    const through = route();
    const permit = new StartPermit();
    const sending = through.send({ ...request(), permit }, permit);
    permit.cancel();
    assert.equal((await sending).outcome, 'cancelled');
    assert.deepEqual(through.sent, []);
  });
});
