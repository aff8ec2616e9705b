import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { PunctualClient, type Run, type ScheduleInput } from '../../../client/src/index.ts';
import { emptyFolder } from '../support/service/command.ts';

/** What a target says, from its socket to the API, on an embedded store. */

const CREDENTIALS = { clientId: 'control-test', apiKey: 'a-key-of-more-than-twenty-characters' };

interface Answer {
  status?: number;
  headers?: OutgoingHttpHeaders;
}

/** A target with these answers, then 200, and a service beside it. */
async function started(context: TestContext, answers: Answer[]) {
  const at: number[] = [];
  const target = createServer((request, response) => {
    request.resume();
    at.push(Date.now());
    const { status = 200, headers = {} } = answers.shift() ?? {};
    response.writeHead(status, headers).end();
  }).listen(0, '127.0.0.1');
  await once(target, 'listening');
  context.after(() => {
    target.closeAllConnections();
    target.close();
  });
  const service = await emptyFolder(context).start(['dev'], /http:\/\/127\.0\.0\.1:\d+/, {
    PUNCTUAL_CLIENT_ID: CREDENTIALS.clientId,
    PUNCTUAL_API_KEY: CREDENTIALS.apiKey,
  });
  const [baseUrl] = /http:\/\/127\.0\.0\.1:\d+/.exec(service.out())!;
  const client = new PunctualClient({ baseUrl, ...CREDENTIALS });
  const { port } = target.address() as AddressInfo;
  const input = (fields: Partial<ScheduleInput> = {}): ScheduleInput => ({
    url: `http://127.0.0.1:${port}/`,
    verb: 'POST',
    interval: '* * * * * *',
    timezone: 'UTC',
    ...fields,
  });
  const until = async (isTrue: () => Promise<boolean>) => {
    while (!(await isTrue())) await setTimeout(50);
  };
  /** The run with this many attempts or more, as it ended. */
  const ended = async (id: string): Promise<Run> => {
    await until(async () => (await client.getRun(id)).finishedAt !== undefined);
    return client.getRun(id);
  };
  return { client, input, at, until, ended };
}

const says = (control: string | string[], status = 200): Answer => ({
  status,
  headers: { 'Punctual-Control': control },
});

test('a target disables its schedule', async context => {
  const { client, input, at, until } = await started(context, [says('disable')]);
  const { id } = await client.createSchedule(input());
  await until(async () => (await client.getSchedule(id)).status === 'disabled');
  assert.equal((await client.getSchedule(id)).statusReason, 'targetDisabled');
  await setTimeout(2_000);
  assert.equal(at.length, 1);
  const [run] = (await client.listRuns({ scheduleId: id })).items;
  assert.deepEqual(run!.attempts[0]!.control, { disable: true });
  assert.equal((await client.patchSchedule(id, { status: 'enabled' })).statusReason, undefined);
});

test('a target pauses its schedule, in two lines and whatever is kept of its answer', async context => {
  const { client, input, at, until } = await started(context, [says(['pause=3', 'x=1'])]);
  const { id } = await client.createSchedule(input({ policy: { keepResponse: 'none' } }));
  await until(async () => at.length > 1);
  assert.ok(at[1]! - at[0]! >= 3_000, `${at[1]! - at[0]!} ms`);
  assert.equal((await client.getSchedule(id)).status, 'enabled');
});

test('a one-off becomes a poller, and completes with the last answer', async context => {
  const answers = [says('again=1'), says('again=1'), {}];
  const { client, input, at, until } = await started(context, answers);
  // A time that has passed is refused, and a machine that is held up takes a while to ask.
  const soon = new Date(Date.now() + 6_000).toISOString().slice(0, 19);
  const { id } = await client.createSchedule(input({ interval: `at(${soon}Z)` }));
  await until(async () => (await client.getSchedule(id)).statusReason === 'completed');
  assert.equal(at.length, 3);
  const { items } = await client.listRuns({ scheduleId: id });
  assert.deepEqual(
    items.map(({ trigger, status }) => `${trigger} ${status}`),
    ['target succeeded', 'target succeeded', 'schedule succeeded'],
  );
});

test('no-retry, and what cannot be read', async context => {
  const answers = [says('no-retry', 503), says('pause=never')];
  const { client, input, ended } = await started(context, answers);
  const { id } = await client.createSchedule(input({ interval: '@yearly' }));
  const failed = await ended((await client.triggerSchedule(id)).id);
  assert.equal(failed.status, 'failed');
  assert.match(failed.reason!, /asked for no retry/);
  const noted = await ended((await client.triggerSchedule(id)).id);
  assert.equal(noted.status, 'succeeded');
  assert.match(noted.attempts[0]!.controlFault!, /pause must be whole seconds/);
});

test('a test request is not obeyed, nor any answer where the policy says so', async context => {
  const { client, input, ended } = await started(context, [says('disable'), says('disable')]);
  const fields = input({ interval: '@yearly', policy: { obeyTarget: false } });
  await client.trySchedule(fields);
  const { id } = await client.createSchedule(fields);
  const run = await ended((await client.triggerSchedule(id)).id);
  assert.equal(run.attempts[0]!.control, undefined);
  assert.equal((await client.getSchedule(id)).status, 'enabled');
});
