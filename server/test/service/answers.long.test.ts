import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { answer, type Behaviour, serve } from '../support/outbound/target-server.ts';
import { emptyFolder, urlOf } from '../support/service/command.ts';

/** What a real service makes of a target's answers, from the request to what the API tells of it. */

const CREDENTIALS = { PUNCTUAL_CLIENT_ID: 'ada', PUNCTUAL_API_KEY: 'the-key-of-ada-lovelace' };
const HEADERS = {
  ClientId: 'ada',
  ApiKey: 'the-key-of-ada-lovelace',
  'Content-Type': 'application/json',
};
const TOKEN = 'the-token-of-ada';

interface ToldAttempt {
  error?: string;
  responseStatus: number;
  responseBody: string;
  responseHeaders: Record<string, string>;
}

/** Of a schedule, a run or a try. */
interface Told {
  id: string;
  status: string;
  attempts: ToldAttempt[];
  attempt: ToldAttempt;
}

async function start(
  context: TestContext,
  behaviour: Behaviour,
  environment: Record<string, string> = {},
) {
  const target = await serve(context, behaviour);
  const service = await emptyFolder(context).start(['serve'], /"listening"/, {
    ...CREDENTIALS,
    PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
    ...environment,
  });
  const schedule = {
    url: target.url,
    verb: 'POST',
    interval: '0 0 1 1 *',
    timezone: 'UTC',
    headers: { Authorization: `Bearer ${TOKEN}` },
  };
  const call = async (method: string, path: string, body?: object) => {
    const init = { method, headers: HEADERS, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${urlOf(service.out())}/v1${path}`, init);
    assert.equal(response.status, 200);
    return (await response.json()) as Told;
  };
  const runOnce = async (own: object) => {
    const { id } = await call('POST', '/schedule', { ...schedule, ...own });
    let run = await call('POST', `/schedule/${id}/trigger`);
    while (['queued', 'running', 'retrying'].includes(run.status)) {
      await pause(20);
      run = await call('GET', `/run/${run.id}`);
    }
    return run;
  };
  return { target, service, schedule, call, runOnce };
}

test('a target that says 100 Continue unasked is called once, and its secrets are not told', async context => {
  const onRequest: Behaviour = (socket, _nth, { head }) => {
    const sent = /^authorization: (.*)$/im.exec(head)![1];
    socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(answer(`hello ${sent}`, '200 OK', ['Set-Cookie: a=1', 'Set-Cookie: b=2; Path=/']));
  };
  const { target, service, schedule, call, runOnce } = await start(context, onRequest);
  const run = await runOnce({});
  const { attempt } = await call('POST', '/try', schedule);
  assert.equal(await service.stop(), 0);
  assert.equal(run.status, 'succeeded');
  assert.equal(run.attempts.length, 1);
  assert.equal(target.requests.length, 2);
  for (const each of [run.attempts[0], attempt]) {
    assert.equal(each!.responseBody, 'hello Bearer [secret]');
    assert.equal(each!.responseHeaders['set-cookie'], 'a=[secret]\nb=[secret]; Path=/');
  }
  assert.ok(!service.out().includes(TOKEN));
});

for (const threads of ['0', '2']) {
  test(`an answer that came while the service was suspended counts, with ${threads} sender threads`, async context => {
    const onRequest: Behaviour = socket => {
      service.child.kill('SIGSTOP');
      setTimeout(() => socket.write(answer('in time')), 300);
      setTimeout(() => service.child.kill('SIGCONT'), 1_800);
    };
    const { target, service, runOnce } = await start(context, onRequest, {
      PUNCTUAL_SENDER_THREADS: threads,
    });
    const run = await runOnce({ policy: { timeoutSeconds: 1, maxRetries: 0 } });
    assert.equal(await service.stop(), 0);
    assert.equal(run.status, 'succeeded');
    assert.equal(run.attempts[0]!.responseBody, 'in time');
    assert.equal(target.requests.length, 1);
  });
}

test('the body is judged by the policy: what fails it is tried again, and its values are not kept', async context => {
  const onRequest: Behaviour = (socket, nth) => {
    const body = nth < 3 ? '{"state":"private"}' : '{"state":"done"}';
    socket.write(answer(body, '200 OK', ['X-Private: yes']));
  };
  const { target, service, call, schedule, runOnce } = await start(context, onRequest);
  const json = { pointer: '/state', equals: 'done' };
  const policy = { success: { json }, retryDelaysSeconds: [1], keepResponse: 'none' };
  const { attempt } = await call('POST', '/try', { ...schedule, policy: { success: { json } } });
  const run = await runOnce({ policy });
  assert.equal(await service.stop(), 0);
  assert.equal(attempt.error, '/state was "private", and must be "done".');
  assert.equal(run.status, 'succeeded');
  assert.equal(target.requests.length, 3);
  assert.deepEqual(
    run.attempts.map(({ responseStatus, error }) => [responseStatus, error]),
    [
      [200, '/state was another value, and must be "done".'],
      [200, undefined],
    ],
  );
  assert.ok(!JSON.stringify(run).includes('rivate'));
});
