import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PunctualApiError, PunctualClient } from '../../../client/src/index.ts';
import { emptyFolder, urlOf } from '../support/service/command.ts';
import { startPostgres } from '../support/store/postgres-server.ts';

/** `punctual client …` beside a service that fires each second. */

const LISTENING = /"listening"/;
const EACH_SECOND = { verb: 'POST' as const, interval: '* * * * * *', timezone: 'UTC' };

interface Arrival {
  path: string;
  /** Epoch ms. */
  scheduledFor: number;
}

async function aTarget(t: TestContext): Promise<{ url: string; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    const scheduledFor = Date.parse(String(request.headers['punctual-scheduled-for']));
    arrivals.push({ path: request.url!, scheduledFor });
    request.resume();
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return { arrivals, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}

async function isRefused(client: PunctualClient): Promise<boolean> {
  try {
    await client.listSchedules();
    return false;
  } catch (error) {
    return error instanceof PunctualApiError && error.status === 401;
  }
}

for (const store of ['SQLite', 'PostgreSQL']) {
  test(`on ${store} a client is renamed, suspended, resumed and deleted`, async t => {
    const environment: Record<string, string> = { PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8' };
    if (store === 'PostgreSQL') {
      const server = await startPostgres();
      t.after(() => server.stop());
      environment.DATABASE_URL = await server.createDatabase();
    }
    const target = await aTarget(t);
    const arrived = (path: string, from = 0) =>
      target.arrivals.filter(each => each.path === path && each.scheduledFor >= from).length;
    const folder = emptyFolder(t);
    const service = await folder.start(['serve'], LISTENING, environment);
    const command = async (...args: string[]) => {
      const { code, out, err } = await folder.run(['client', ...args, '--json'], environment);
      assert.equal(code, 0, err);
      return JSON.parse(out);
    };
    const made = async (name: string) => {
      const { clientId, apiKey } = await command('create', '--name', name);
      const client = new PunctualClient({ baseUrl: urlOf(service.out()), clientId, apiKey });
      const { id } = await client.createSchedule({ ...EACH_SECOND, url: `${target.url}/${name}` });
      return { clientId, client, id };
    };
    const ada = await made('ada');
    await made('bob');
    await until(() => arrived('/ada') > 0 && arrived('/bob') > 0);

    const renamed = await command('rename', ada.clientId, '--name', 'Ada & Co');
    assert.deepEqual(renamed, { clientId: ada.clientId, name: 'Ada & Co' });

    const { suspendedAt } = await command('suspend', ada.clientId);
    assert.equal((await command('suspend', ada.clientId)).suspendedAt, suspendedAt);
    await until(() => isRefused(ada.client));
    // The nominal times count: a machine that is held up sends some requests late.
    const silentFrom = Date.parse(suspendedAt) + 5_000;
    // Others fire.
    await until(() => arrived('/bob', silentFrom + 2_000) > 0);
    assert.equal(arrived('/ada', silentFrom), 0, 'nothing of it fires');
    const listed = await command('list');
    assert.deepEqual(
      listed.map(({ name, status }: Record<string, string>) => [name, status]),
      [
        ['Ada & Co', 'suspended'],
        ['bob', 'active'],
      ],
    );

    assert.deepEqual(await command('resume', ada.clientId), {
      clientId: ada.clientId,
      resumed: true,
    });
    await until(() => arrived('/ada', silentFrom) > 0);
    const { items } = await ada.client.listRuns({ scheduleId: ada.id, status: 'missed' });
    assert.match(items[0]!.reason!, /^It passed while the client was suspended, from /);
    const again = await command('resume', ada.clientId);
    assert.deepEqual(again, { clientId: ada.clientId, resumed: false });

    const deleted = await command('delete', ada.clientId, '--confirm', 'Ada & Co');
    assert.deepEqual(deleted, { clientId: ada.clientId, deleted: true, schedules: 1 });
    await until(() => isRefused(ada.client));
    await sleep(1_500);
    const left = arrived('/ada');
    await sleep(1_500);
    assert.equal(arrived('/ada'), left);
    const repeated = await command('delete', ada.clientId, '--confirm', 'Ada & Co');
    assert.equal(repeated.schedules, 0);
    const late = await folder.run(['key', 'create', '--client', ada.clientId], environment);
    assert.equal(late.code, 1);
    assert.match(late.err, /^There is no client /);
    assert.equal(await service.stop(), 0);
  });
}

describe('bad input to punctual client', () => {
  const cases: [args: string[], sentence: RegExp][] = [
    [['rename', 'nobody', '--name', 'x'], /^There is no client nobody in /],
    [['suspend', 'nobody'], /^There is no client nobody in /],
    [['resume', 'nobody'], /^There is no client nobody in /],
    [['delete', 'nobody', '--confirm', 'x'], /^There is no client nobody in /],
    [
      ['delete', 'CLIENT', '--confirm', 'other'],
      /^Client \S+ has another name than --confirm says/,
    ],
    [['rename', 'CLIENT', '--name', 'a\nb'], /^A client name has 1 to 200 characters/],
  ];
  test('is one sentence, and changes nothing', async t => {
    const folder = emptyFolder(t);
    assert.equal((await folder.run(['migrate'])).code, 0);
    const made = await folder.run(['client', 'create', '--name', 'Ada', '--json']);
    const { clientId } = JSON.parse(made.out);
    for (const [args, sentence] of cases) {
      const asked = args.map(arg => (arg === 'CLIENT' ? clientId : arg));
      const { code, err, out } = await folder.run(['client', ...asked]);
      assert.equal(code, 1, args.join(' '));
      assert.match(err, sentence);
      assert.equal(out, '');
    }
    const [client] = JSON.parse((await folder.run(['client', 'list', '--json'])).out);
    assert.deepEqual([client.name, client.status], ['Ada', 'active']);
  });

  test('a deleted client is told of', async t => {
    const folder = emptyFolder(t);
    await folder.run(['migrate']);
    const made = await folder.run(['client', 'create', '--name', 'Ada', '--json']);
    const { clientId } = JSON.parse(made.out);
    await folder.run(['client', 'delete', clientId, '--confirm', 'Ada']);
    for (const args of [['suspend'], ['resume'], ['rename', '--name', 'x']]) {
      const { code, err } = await folder.run(['client', args[0]!, clientId, ...args.slice(1)]);
      assert.equal(code, 1);
      assert.match(err, /^Client \S+ was deleted at /);
    }
    const environment = { PUNCTUAL_CLIENT_ID: clientId, PUNCTUAL_API_KEY: 'x'.repeat(24) };
    const { code, err } = await folder.run(['serve'], environment);
    assert.equal(code, 1);
    assert.match(err, /The client in PUNCTUAL_CLIENT_ID was deleted: choose another one/);
  });
});
