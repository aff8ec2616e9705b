import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Run, Schedule } from '../../../client/src/index.ts';
import { PunctualClient } from '../../../client/src/index.ts';
import { emptyFolder, type Folder } from '../support/service/command.ts';
import { freePort, startPostgres } from '../support/store/postgres-server.ts';

/** `punctual dev --seed`, as a user starts it. */

const HOUR = 3_600_000;

async function startSeeded(folder: Folder, environment: Record<string, string> = {}) {
  const PORT = String(await freePort());
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

/** The names of its fields. */
const formOf = (value: object) => Object.keys(value).sort().join();
const formsOf = (values: object[]) => new Set(values.map(formOf));
const answeredOf = (runs: Run[]) =>
  runs.flatMap(({ attempts }) => attempts.filter(({ outcome }) => outcome === 'response'));

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
      // A next time soon, at the full minute, would end the retries of the real one before.
      await client.patchSchedule(schedule.id, {
        interval: '0 0 0 1 1 *',
        policy: { ...schedule.policy, maxRetries: 1 },
      });
      const real = await untilEnded(client, (await client.triggerSchedule(schedule.id)).id);
      const past = await Promise.all(
        (await pastRuns(client, schedule)).map(({ id }) => client.getRun(id)),
      );
      const alike = past.filter(({ status }) => status === real.status);
      assert.ok(formsOf(alike).has(formOf(real)), JSON.stringify(real));
      // On a busy machine an attempt may find a connection closed: the history has none of these.
      const answered = answeredOf([real]);
      assert.ok(answered.length > 0);
      const known = formsOf(answeredOf(past));
      for (const attempt of answered) {
        assert.ok(known.has(formOf(attempt)), JSON.stringify(attempt));
        const same = answeredOf(past).find(each => each.responseStatus === attempt.responseStatus);
        assert.equal(same?.responseBody, attempt.responseBody);
      }
    }
    await service.stop();
  });

  test('a request that hangs does not hold up the stop', async context => {
    const { service, client, url, sample } = await startSeeded(emptyFolder(context));
    // This request is sent before the run begins, and hangs by then. Its answer tells that the stop does not wait.
    const hanging = fetch(`${url}/sample/hanging`);
    const { id } = sample('hanging');
    await client.triggerSchedule(id);
    for (;;) {
      const { items } = await client.listRuns({ scheduleId: id, limit: 5 });
      if (items.some(({ status }) => status === 'running')) break;
      await sleep(50);
    }
    assert.equal(await service.stop(), 0);
    const answered = await hanging;
    assert.deepEqual(
      [answered.status, await answered.json()],
      [503, { error: 'The service stopped.' }],
    );
  });

  test('a port that is another one at each start is refused', async context => {
    const { code, err } = await emptyFolder(context).run(['dev', '--seed'], { PORT: '0' });
    assert.equal(code, 1);
    assert.match(err, /^PORT: 0 does not go with --seed/);
  });
});
