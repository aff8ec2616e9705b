import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { authority, signedBy } from '../support/outbound/certificates.ts';
import { serveTls } from '../support/outbound/tls-target.ts';
import { emptyFolder, urlOf } from '../support/service/command.ts';
import { destinationService } from '../support/service/destination-service.ts';

/** The TLS settings of a destination, from its PUT to the socket of the target. */

async function prepared(t: TestContext) {
  const [ours, theirs] = [await authority('Ours'), await authority('Theirs')];
  const ca = ours.certificate;
  const target = await serveTls(t, await signedBy(ours, 'server'), { requestCert: true, ca });
  const service = await destinationService(t);
  const policy = { maxRetries: 0 };
  /** The run of a schedule behind a destination with these settings, and without one. */
  const runWith = async (name: string, tls?: object) => {
    if (tls) await service.put(name, { hosts: ['localhost'], tls });
    const destination = tls && { destination: name };
    const id = await service.schedule({ url: target.url, policy, ...destination });
    return service.run(id);
  };
  return { ours, theirs, ca, target, runWith };
}

test('a firing shows the client certificate of its destination, and trusts its authority', async t => {
  const { ours, theirs, ca, target, runWith } = await prepared(t);
  const ada = await signedBy(ours, 'ada');
  const taken = await runWith('ours', { ...ada, ca });
  assert.equal(taken.status, 'succeeded');
  assert.equal(taken.attempts[0]!.responseBody, 'ada');
  const refused: [string, object | undefined, RegExp][] = [
    ['plain', undefined, /is not signed by a trusted authority\.$/],
    ['theirs', { ...ada, ca: theirs.certificate }, /is not signed by a trusted authority\.$/],
    ['stranger', { ...(await signedBy(theirs, 'bob')), ca }, /^localhost:\d+ /],
  ];
  for (const [name, tls, sentence] of refused) {
    const { status, attempts } = await runWith(name, tls);
    assert.equal(status, 'failed');
    assert.equal(attempts[0]!.outcome, 'connectionError');
    assert.match(attempts[0]!.error!, sentence);
  }
  assert.deepEqual(
    target.callers.map(({ name }) => name),
    ['ada'],
  );
});

test('NODE_EXTRA_CA_CERTS names an authority that is trusted for each target', async t => {
  const ours = await authority('Ours');
  const target = await serveTls(t, await signedBy(ours, 'server'), {});
  const folder = emptyFolder(t);
  const file = join(folder.path, 'ca.pem');
  writeFileSync(file, ours.certificate);
  const outcomeWith = async (environment: Record<string, string>) => {
    const service = await folder.start(['serve'], /"url":"/, {
      ...{ PUNCTUAL_CLIENT_ID: 'ada', PUNCTUAL_API_KEY: 'the-key-of-ada-lovelace' },
      ...{ PUNCTUAL_ALLOW_TARGETS: 'localhost', PUNCTUAL_SENDER_THREADS: '1', ...environment },
    });
    const headers = { ClientId: 'ada', ApiKey: 'the-key-of-ada-lovelace' };
    const body = { url: target.url, verb: 'GET', interval: '* * * * *', timezone: 'UTC' };
    const answer = await fetch(`${urlOf(service.out())}/v1/try`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { attempt } = (await answer.json()) as Wire.TryResult;
    await service.stop();
    return attempt.outcome;
  };
  assert.equal(await outcomeWith({}), 'connectionError');
  assert.equal(await outcomeWith({ NODE_EXTRA_CA_CERTS: file }), 'response');
});
