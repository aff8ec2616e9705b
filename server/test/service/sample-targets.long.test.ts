import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PunctualClient } from '../../../client/src/index.ts';
import { SAMPLE_TARGETS } from '../../src/sample-targets.ts';
import { emptyFolder } from '../support/service/command.ts';

/** The sample targets of `punctual dev`, and who is told of them. */

const MIDNIGHT = Date.parse('2026-11-24T00:00:00Z');

describe('the flaky sample', () => {
  const statusesAt = (second: number) =>
    [1, 2, 3].map(attempt => SAMPLE_TARGETS.flaky(MIDNIGHT + second * 1_000, attempt).status);

  test('within each half minute one time succeeds, one needs a retry, one fails', () => {
    for (const half of [30, 60, 90]) {
      assert.deepEqual(statusesAt(half + 10), [503, 200, 200]);
      assert.deepEqual(statusesAt(half + 20), [503, 503, 503]);
    }
    assert.deepEqual(statusesAt(30), [200, 200, 200]);
    assert.deepEqual(statusesAt(9), [200, 200, 200]);
  });

  test('on whole minutes the minute decides', () => {
    assert.deepEqual(statusesAt(600), [503, 503, 503]);
    assert.deepEqual(statusesAt(180), [503, 200, 200]);
    assert.deepEqual(statusesAt(60), [200, 200, 200]);
  });
});

test('a session of punctual dev has the address below which the samples answer', async context => {
  const service = await emptyFolder(context).start(['dev', '--json'], /"apiKey"/, { PORT: '0' });
  const { url, clientId, apiKey } = JSON.parse(service.out());
  const { sampleUrl } = await new PunctualClient({ baseUrl: url, clientId, apiKey }).getSession();
  assert.equal(sampleUrl, `${url}/sample`);
  const statusFor = async (name: string, at: string) => {
    const headers = { 'Punctual-Scheduled-For': at, 'Punctual-Attempt': '1' };
    return (await fetch(`${sampleUrl}/${name}`, { headers })).status;
  };
  assert.equal(await statusFor('healthy', '2026-11-24T00:00:20Z'), 200);
  assert.equal(await statusFor('flaky', '2026-11-24T00:00:20Z'), 503);
  assert.equal(await statusFor('flaky', '2026-11-24T00:00:30Z'), 200);
  await service.stop();
});

test('punctual serve has no samples, and says of none', async context => {
  const service = await emptyFolder(context).start(['serve'], /"url":"/, {
    PORT: '0',
    PUNCTUAL_CLIENT_ID: 'ada',
    PUNCTUAL_API_KEY: 'the-key-of-ada-lovelace',
  });
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(service.out())!;
  const credentials = { clientId: 'ada', apiKey: 'the-key-of-ada-lovelace' };
  const session = await new PunctualClient({ baseUrl: url, ...credentials }).getSession();
  assert.equal(session.sampleUrl, undefined);
  assert.equal((await fetch(`${url}/sample/healthy`)).status, 404);
  await service.stop();
});
