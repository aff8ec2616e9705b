import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { PunctualClient, type Run, type ScheduleInput } from '../../../client/src/index.ts';
import { emptyFolder } from '../support/service/command.ts';

/**
 * The request of a run, as the API tells it, against the request that arrived: for random schedules, each of which has become
 * another one by the time at which is asked.
 */

const CREDENTIALS = { clientId: 'requests-test', apiKey: 'a-key-of-more-than-twenty-characters' };
const SCHEDULES = 60;
/** Of the connection, not of the schedule. */
const HOPS = ['host', 'connection', 'content-length', 'transfer-encoding'];

const NAMES = ['run.id', 'run.unix', 'run.localTime', 'run.trigger', 'schedule.label'];
const PREVIOUS = ['previous.status', 'previous.responseStatus', 'previous.succeededFor'];
const word = fc.constantFrom('a', 'Ünïcode 🚚', '"quoted" \\ back', 'x=1&y=2', '%41', '');
const piece = fc.oneof(
  word,
  fc.constantFrom(...NAMES, ...PREVIOUS, 'run.attempt').map(name => `{{ ${name} }}`),
  fc.constant('\\{{'),
);
const text = fc.array(piece, { maxLength: 4 }).map(pieces => pieces.join(''));
const values = (keys: fc.Arbitrary<string>) =>
  fc.dictionary(keys, text, { maxKeys: 4, noNullPrototype: true });
const headers = fc
  .record(
    {
      'X-Text': text,
      'x-lower': text,
      Authorization: fc.constant('Bearer of-the-schedule'),
      'User-Agent': fc.constant('mine/1'),
      'Content-Type': fc.constantFrom(
        'application/x-www-form-urlencoded',
        'application/json',
        'text/plain',
      ),
    },
    { requiredKeys: [] },
  )
  .map(given => given as Record<string, string>);
const path = fc.constantFrom('', '?', '?q=1', '/p%20q/ü?x=%7B', '/{{run.id}}?l={{schedule.label}}');
const withBody = fc.constantFrom('POST' as const, 'PUT' as const, 'PATCH' as const);
const payload = fc.oneof(
  fc.record({ verb: withBody, body: text.filter(body => body !== '') }),
  fc.record({ verb: withBody, body: text.map(label => JSON.stringify({ label, n: 1 })) }),
  fc.record({
    verb: fc.constantFrom('GET' as const, 'HEAD' as const, 'DELETE' as const, 'POST' as const),
    data: values(word.map(key => `k${key}`)),
  }),
  fc.record({ verb: fc.constantFrom('OPTIONS' as const, 'GET' as const, 'PUT' as const) }),
);
const schedules = fc
  .tuple(payload, headers, path, fc.boolean(), word)
  .map(([parts, own, end, template, label]) => ({
    ...parts,
    ...(Object.keys(own).length > 0 && { headers: own }),
    end,
    label,
    timezone: 'Asia/Kathmandu',
    interval: '@yearly',
    policy: { template, maxRetries: 0 },
  }));

interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

test('what the API tells of the request of a run is what arrived', async context => {
  const received = new Map<string, Received>();
  const base = await echoing(context, received);
  const service = await emptyFolder(context).start(['dev'], /http:\/\/127\.0\.0\.1:\d+/, {
    PUNCTUAL_CLIENT_ID: CREDENTIALS.clientId,
    PUNCTUAL_API_KEY: CREDENTIALS.apiKey,
  });
  const [baseUrl] = /http:\/\/127\.0\.0\.1:\d+/.exec(service.out())!;
  const client = new PunctualClient({ baseUrl, ...CREDENTIALS });
  const given = fc.sample(schedules, { numRuns: SCHEDULES, seed: 20_261_124 });
  const inputs = given.map(({ end, ...input }): ScheduleInput => ({ ...input, url: base + end }));
  const valid = await onlyValid(client, inputs);
  assert.ok(valid.length > SCHEDULES / 2, `${valid.length} are valid`);
  const { items } = await client.createSchedules(valid);

  // Each of them runs twice, and is another schedule after each run.
  const runs: { run: Run; version: number }[] = [];
  for (const version of [1, 2]) {
    const sent = await Promise.all(items.map(({ id }) => client.triggerSchedule(id)));
    for (const { id } of sent) runs.push({ run: await endOf(client, id), version });
    const ids = items.map(({ id }) => id);
    await client.patchSchedules({ ids, patch: { label: `after ${version}` } });
  }

  for (const { run, version } of runs) {
    const told = await client.getRunRequest(run.id);
    const arrived = received.get(run.id)!;
    const { method, url, headers: shown, body = '' } = told.request!;
    // The second run comes right behind a change, and that is told.
    const notes = told.notes.filter(note => !note.includes('changed right before'));
    assert.deepEqual(
      [told.version, told.presentVersion, notes],
      [version, 3, []],
      JSON.stringify(told),
    );
    const { href, origin } = new URL(url);
    assert.deepEqual([method, href.slice(origin.length)], [arrived.method, arrived.url]);
    assert.equal(body, arrived.body);
    const masked = new Set(told.masked.map(name => name.toLowerCase()));
    const plain = (all: [string, unknown][]) =>
      Object.fromEntries(all.filter(([name]) => !masked.has(name) && !HOPS.includes(name)).sort());
    const ofArrived = Object.entries(arrived.headers).map(([name, value]): [string, unknown] => [
      name,
      Buffer.from(String(value), 'latin1').toString(),
    ]);
    const ofTold = Object.entries(shown).map(([name, value]): [string, unknown] => [
      name.toLowerCase(),
      // The parser of HTTP takes white space from both ends.
      value.trim(),
    ]);
    assert.deepEqual(plain(ofTold), plain(ofArrived));
    for (const name of masked) assert.ok(name in arrived.headers, `${name} was sent`);
  }
  await service.stop();
});

async function echoing(context: TestContext, received: Map<string, Received>): Promise<string> {
  const target = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { method, url, headers } = request;
    received.set(String(headers['webhook-id']), { method: method!, url: url!, headers, body });
    response.writeHead(received.size % 3 === 0 ? 404 : 200).end();
  }).listen(0, '127.0.0.1');
  context.after(() => {
    target.closeAllConnections();
    target.close();
  });
  await once(target, 'listening');
  return `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
}

async function onlyValid(client: PunctualClient, inputs: ScheduleInput[]) {
  const checked = await Promise.all(inputs.map(input => client.checkSchedule(input)));
  return inputs.filter((_, index) => checked[index]!.problems.length === 0);
}

async function endOf(client: PunctualClient, id: string): Promise<Run> {
  for (;;) {
    const run = await client.getRun(id);
    if (run.finishedAt !== undefined) return run;
    await setTimeout(20);
  }
}
