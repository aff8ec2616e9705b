import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { authority, signedBy } from '../support/outbound/certificates.ts';
import { serveTls } from '../support/outbound/tls-target.ts';
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
