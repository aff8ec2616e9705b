import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Run, Schedule } from '../../../client/src/index.ts';
import { PunctualClient } from '../../../client/src/index.ts';
import { emptyFolder, type Folder } from '../support/service/command.ts';
import { startPostgres } from '../support/store/postgres-server.ts';

/** `punctual dev --seed`, as a user starts it. */

const HOUR = 3_600_000;

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return String(port);
}

async function startSeeded(folder: Folder, environment: Record<string, string> = {}) {
  const PORT = await freePort();
  const service = await folder.start(['dev', '--seed', '--json'], /\}\n/, { ...environment, PORT });
  const { url, clientId, apiKey } = JSON.parse(service.out());
  const client = new PunctualClient({ baseUrl: url, clientId, apiKey });
  const { items } = await client.listSchedules();
  const sample = (name: string) => items.find(({ label }) => label === `Sample: ${name}`)!;
  return { service, client, url: url as string, items, sample };
}

/** Its runs of one hour, three hours ago: no real one is among them. */
async function pastRuns(client: PunctualClient, { id, createdAt }: Schedule): Promise<Run[]> {
  const from = Date.parse(createdAt) + HOUR;
  const runs: Run[] = [];
  for await (const run of client.runs({
    scheduleId: id,
    from: new Date(from).toISOString(),
    to: new Date(from + HOUR).toISOString(),
  })) {
    runs.push(run);
  }
  return runs;
}

const statuses = (runs: Run[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(runs, ({ status }) => status)).map(([status, of]) => [
      status,
      of.length,
    ]),
  );

async function untilEnded(client: PunctualClient, id: string): Promise<Run> {
  for (;;) {
    const run = await client.getRun(id);
    if (run.status === 'succeeded' || run.status === 'failed') return run;
    await sleep(50);
  }
}

describe('punctual dev --seed', () => {
  let stopServer: (() => Promise<unknown>) | undefined;
  after(() => stopServer?.());
  const stores: Record<string, () => Promise<Record<string, string>>> = {
    SQLite: async () => ({}),
    PostgreSQL: async () => {
      const server = await startPostgres();
      stopServer = () => server.stop();
      return { DATABASE_URL: await server.createDatabase() };
    },
  };
  for (const [name, environment] of Object.entries(stores)) {
    test(`${name}: three schedules with a day of runs, which are not doubled and follow the port`, async context => {
      const folder = emptyFolder(context);
      const settings = await environment();
      const first = await startSeeded(folder, settings);
      const expected = {
        healthy: { succeeded: 360 },
        flaky: { succeeded: 54, failed: 6 },
        hanging: { failed: 60, skipped: 60 },
      };
      for (const [sample, counts] of Object.entries(expected)) {
        const schedule = first.sample(sample);
        assert.equal(schedule.url, `${first.url}/sample/${sample}`);
        assert.deepEqual(statuses(await pastRuns(first.client, schedule)), counts, sample);
      }
      const [failed] = await pastRuns(first.client, first.sample('hanging'));
      const answer = await first.client.explain(failed!.scheduleId, { at: failed!.scheduledFor });
      assert.equal(answer.verdict, failed!.status);
      assert.equal(await first.service.stop(), 0);

      const second = await startSeeded(folder, settings);
      assert.equal(second.items.length, 3);
      for (const [sample, counts] of Object.entries(expected)) {
        assert.equal(second.sample(sample).id, first.sample(sample).id);
        assert.equal(second.sample(sample).url, `${second.url}/sample/${sample}`);
        assert.deepEqual(statuses(await pastRuns(second.client, second.sample(sample))), counts);
      }
      await second.service.stop();
    });
  }

  test('a sample that was renamed is neither changed nor made again', async context => {
    const folder = emptyFolder(context);
    const first = await startSeeded(folder);
    const label = 'Mine';
    const url = 'http://127.0.0.1:9/sample/healthy';
    await first.client.patchSchedule(first.sample('healthy').id, { label, url });
    await first.service.stop();
    const { service, items } = await startSeeded(folder);
    assert.equal(items.length, 3);
    assert.equal(items.find(schedule => schedule.label === label)?.url, url);
    await service.stop();
  });

  test('a run of its history has the form of a real one', async context => {
    const { service, client, sample } = await startSeeded(emptyFolder(context));
    for (const name of ['healthy', 'flaky']) {
      const schedule = sample(name);
      const real = await untilEnded(client, (await client.triggerSchedule(schedule.id)).id);
      const attempts = real.attempts.length;
      const past = (await pastRuns(client, schedule)).find(run => run.attempts.length === attempts);
      const seeded = await client.getRun(past!.id);
      const formOf = (run: Run) => [
        Object.keys(run).sort(),
        run.attempts.map(attempt => Object.keys(attempt).sort()),
      ];
      assert.deepEqual(formOf(seeded), formOf(real));
      assert.equal(seeded.attempts[0]!.responseBody, real.attempts[0]!.responseBody);
    }
    await service.stop();
  });

  test('a request that hangs does not hold up the stop', async context => {
    const { service, client, sample } = await startSeeded(emptyFolder(context));
    const { id } = sample('hanging');
    await client.triggerSchedule(id);
    for (;;) {
      const { items } = await client.listRuns({ scheduleId: id, limit: 5 });
      if (items.some(({ status }) => status === 'running')) break;
      await sleep(50);
    }
    const since = performance.now();
    assert.equal(await service.stop(), 0);
    const ms = performance.now() - since;
    assert.ok(ms < 4_000, `it took ${Math.round(ms)} ms`);
  });

  test('a port that is another one at each start is refused', async context => {
    const { code, err } = await emptyFolder(context).run(['dev', '--seed'], { PORT: '0' });
    assert.equal(code, 1);
    assert.match(err, /^PORT: 0 does not go with --seed/);
  });
});
