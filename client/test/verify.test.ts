import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newId } from '../../server/src/domain/id.ts';
import { callbacksOf } from '../../server/src/domain/run/callback.ts';
import { signatures } from '../../server/src/outbound/signature.ts';
import { aRecord, aSchedule } from '../../server/test/support/store/backend.ts';
import {
  PunctualVerificationError,
  type ReceivedHeaders,
  type VerificationProblem,
  verify,
  verifyCallback,
} from '../src/index.ts';

/** A receiver tells requests of Punctual from others: signed by the service's own code. */

const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret of 24 byt').toString('base64')}`;
const NOW = Date.UTC(2026, 5, 1, 12, 0, 0, 400);
const id = newId(NOW);
const body = '{"greeting":"Grüße ☂"}';
const options = { nowMs: NOW };

function signed(signingSecret = secret, text = body, oldSecret?: string): Record<string, string> {
  const old = oldSecret && { oldSecret: { secret: oldSecret, until: NOW + 1_000 } };
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(NOW / 1_000)),
    'webhook-signature': signatures({ signingSecret, ...old }, id, NOW, text),
  };
}

const refused = (
  problem: VerificationProblem,
  headers: ReceivedHeaders,
  text: string | Uint8Array = body,
  more = {},
) =>
  assert.rejects(verify(secret, headers, text, { ...options, ...more }), error => {
    assert.ok(error instanceof PunctualVerificationError);
    assert.equal(error.problem, problem);
    assert.ok(!error.message.includes(secret));
    assert.match(error.message, /^[A-Z].*\.$/);
    return true;
  });

test('a signed request is taken, whatever form its headers and body have', async () => {
  const verified = { id, signedAt: new Date(Math.floor(NOW / 1_000) * 1_000) };
  const bytes = new TextEncoder().encode(body);
  const upper = Object.fromEntries(
    Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]),
  );
  for (const headers of [signed(), new Headers(signed()), upper]) {
    assert.deepEqual(await verify(secret, headers, body, options), verified);
    assert.deepEqual(await verify(secret, headers, bytes, options), verified);
  }
  assert.deepEqual(await verify(secret, signed(secret, ''), '', options), verified);
});

test('a request with two signatures fits either secret, and either of two secrets fits', async () => {
  const both = signed(secret, body, other);
  assert.equal(both['webhook-signature']!.split(' ').length, 2);
  await verify(secret, both, body, options);
  await verify(other, both, body, options);
  await verify([other, secret], signed(), body, options);
  const withUnknown = {
    ...signed(),
    'webhook-signature': `v1a,AAAA v1,? ${signed()['webhook-signature']}`,
  };
  await verify(secret, withUnknown, body, options);
});

test('what was changed on its way, or signed by somebody else, is refused', async () => {
  await refused('signatureInvalid', signed(other));
  await refused('signatureInvalid', signed(), `${body} `);
  await refused('signatureInvalid', signed(), '');
  await refused('signatureInvalid', { ...signed(), 'webhook-id': newId(NOW) });
  const later = { ...signed(), 'webhook-timestamp': String(Math.floor(NOW / 1_000) + 1) };
  await refused('signatureInvalid', later);
  for (const signature of ['v1,', 'v1', 'v2,AAAA', 'v1,AAAA', '""', 'v1,%%%']) {
    await refused('signatureInvalid', { ...signed(), 'webhook-signature': signature });
  }
  await assert.rejects(verify([], signed(), body, options), { problem: 'signatureInvalid' });
});

test('headers that are missing or no instant are named', async () => {
  for (const name of Object.keys(signed())) {
    const { [name]: _, ...rest } = signed();
    await refused('headerMissing', rest);
    await refused('headerMissing', { ...rest, [name]: '' });
    await assert.rejects(verify(secret, new Headers(rest), body, options), new RegExp(name));
  }
  for (const timestamp of ['soon', '1.5', '-1', '1e3', `${NOW}0`]) {
    await refused('timestampInvalid', { ...signed(), 'webhook-timestamp': timestamp });
  }
});

test('a request that is minutes old, or ahead, is refused; five minutes unless told otherwise', async () => {
  await verify(secret, signed(), body, { nowMs: NOW + 299_000 });
  await verify(secret, signed(), body, { nowMs: NOW - 299_000 });
  await refused('timestampTooOld', signed(), body, { nowMs: NOW + 302_000 });
  await refused('timestampTooNew', signed(), body, { nowMs: NOW - 302_000 });
  await refused('timestampTooOld', signed(), body, { nowMs: NOW + 20_000, toleranceSeconds: 10 });
  await refused('timestampTooOld', signed(), body, { nowMs: undefined });
  await assert.rejects(
    verify(secret, signed(), body, { ...options, toleranceSeconds: Number.NaN }),
    RangeError,
  );
});

test('a secret that is none is the mistake of the receiver, and says so', async () => {
  for (const wrong of ['', 'whsec_', 'abc', 'whsec_%%%', secret.slice('whsec_'.length)]) {
    await assert.rejects(verify(wrong, signed(), body, options), { problem: 'secretInvalid' });
  }
});

test('it judges as the library of Standard Webhooks does', async () => {
  const webhook = new Webhook(secret);
  const now = new Date();
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': webhook.sign('msg_1', now, body),
  };
  assert.equal((await verify(secret, headers, body)).id, 'msg_1');
});

test('a callback has the type that verifyCallback gives, over a real connection', async () => {
  const schedule = {
    ...aSchedule(),
    integrations: [
      {
        id: newId(NOW),
        type: 'WEBHOOK' as const,
        name: '',
        url: 'https://example.com',
        includeScheduleUrlInCallback: true,
        callOnSuccess: true,
      },
    ],
  };
  const record = aRecord(schedule.id, NOW);
  const [callback] = callbacksOf(schedule, record);
  const headers = signed(secret, callback!.body);
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    received.push({ headers: request.headers, body: text });
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: callback!.body });
  server.closeAllConnections();
  server.close();
  const [request] = received;
  const verified = await verifyCallback(secret, request!.headers, request!.body, options);
  assert.equal(verified.callback.type, `schedule.run.${record.status}`);
  assert.equal(verified.callback.data.scheduleId, schedule.id);
  assert.equal(verified.callback.data.run.id, record.id);
  assert.deepEqual(verified.callback, JSON.parse(callback!.body));
  for (const text of ['', '[]', '{}', 'null', '{"type":"other"}']) {
    await assert.rejects(verifyCallback(secret, signed(secret, text), text, options), {
      problem: 'bodyInvalid',
    });
  }
});

test('several headers of one name, and headers of another realm, are read', async () => {
  const twice = new Headers(signed());
  twice.append('webhook-signature', 'v1,AAAA');
  await verify(secret, twice, body, options);
  const foreign = { get: (name: string) => signed()[name] ?? null } as unknown as Headers;
  await verify(secret, foreign, body, options);
});

test('an instant that is none is refused, and counts as no age', async () => {
  await assert.rejects(verify(secret, signed(), body, { nowMs: Number.NaN }), RangeError);
});
