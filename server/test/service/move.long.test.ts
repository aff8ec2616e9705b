import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { progressBar, progressLine } from '../../src/cli/progress.ts';
import type { MoveStep } from '../../src/store/open.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { TABLES } from '../../src/store/transfer/tables.ts';
import { Api, CREDENTIALS } from '../support/crash/api.ts';
import { Target } from '../support/crash/target.ts';
import { assertOneId } from '../support/nodes/node.ts';
import { emptyFolder, type Folder, urlOf } from '../support/service/command.ts';
import {
  aClient,
  aRecord,
  aSchedule,
  MINUTE,
  NOON,
  settlementOf,
  waiting,
} from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());
const template = await server.createDatabase();
await (await openPostgres(template)).close();

const SERVE = {
  PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
  PUNCTUAL_CLIENT_ID: CREDENTIALS.clientId,
  PUNCTUAL_API_KEY: CREDENTIALS.apiKey,
};
const SOURCE = 'sqlite:./data/punctual.db';

const moveTo = (url: string, ...more: string[]) => ['move', '--from', SOURCE, '--to', url, ...more];

const until = async (is: () => boolean | Promise<boolean>) => {
  while (!(await is())) await wait(20);
};

describe('punctual move', () => {
  test('what fired here fires there, and what was cut off is sent again under its id', async context => {
    const target = new Target();
    const targetUrl = await target.start();
    context.after(() => target.stop());
    const folder = emptyFolder(context);
    const url = await server.createDatabase(template);

    const first = await folder.start(['serve'], /"url":/, SERVE);
    const api = new Api(urlOf(first.out()));
    const [often, slow] = await api.createAll([
      every('* * * * * *', `${targetUrl}/ok`),
      every('* * * * * *', `${targetUrl}/slow/60000`),
    ]);
    const of = (schedule = often!) =>
      target.arrivals.filter(({ scheduleId }) => scheduleId === schedule.id);
    await until(() => of().length >= 2 && of(slow).length === 1);

    const running = await folder.run(moveTo(url));
    assert.deepEqual([running.code, running.out], [1, '']);
    assert.match(
      running.err,
      /^Another Punctual is already running on the database .* stop it first/,
    );

    first.child.kill('SIGKILL');
    await until(() => first.child.signalCode !== null);
    const before = of().length;
    const moved = await folder.run(moveTo(url, '--json'));
    assert.equal(moved.err, '');
    const { tables } = JSON.parse(moved.out);
    assert.deepEqual(
      tables.map(({ table, sha256 }: { table: string; sha256: string }) => [table, sha256.length]),
      TABLES.map(({ name }) => [name, 64]),
    );

    const refused = await folder.run(['serve'], SERVE);
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /^This database was moved to PostgreSQL, or its move has not ended: /,
    );

    const second = await folder.start(['serve'], /"url":/, { ...SERVE, DATABASE_URL: url });
    await until(() => of().length >= before + 2 && of(slow).length >= 2);
    const runs = await new Api(urlOf(second.out())).runs(0);
    second.child.kill('SIGKILL');
    assertOneId(target.arrivals);
    const ended = new Set(runs.filter(({ status }) => status === 'succeeded').map(({ id }) => id));
    assert.ok(
      of()
        .slice(0, before - 1)
        .every(({ webhookId }) => ended.has(webhookId)),
    );
    const again = runs.find(({ id }) => id === of(slow)[0]!.webhookId)!;
    assert.deepEqual(again.attempts.map(({ outcome }) => outcome).slice(0, 1), ['lost']);
    assert.deepEqual(
      of(slow)
        .map(({ webhookId, attempt }) => [webhookId, attempt])
        .slice(0, 2),
      [
        [again.id, 1],
        [again.id, 2],
      ],
    );
  });

  test('killed again and again, it goes on, and ends as one that nobody killed', async context => {
    const folder = emptyFolder(context);
    const path = join(folder.path, 'data/punctual.db');
    await fillWithRuns(path, 500, 50);
    copyFileSync(path, `${path}.copy`);
    const url = await server.createDatabase(template);
    await slowDown(url);
    let kills = 0;
    for (;;) {
      const before = await progressOf(url);
      const mover = await folder.start(moveTo(url, '--json'), /^/);
      const ended = () => mover.child.exitCode !== null;
      await until(async () => ended() || (await progressOf(url)) !== before);
      if (ended()) {
        assert.equal(mover.err(), '');
        const other = await server.createDatabase(template);
        const whole = await folder.run([
          'move',
          '--from',
          `sqlite:${path}.copy`,
          '--to',
          other,
          '--json',
        ]);
        assert.equal(mover.out(), whole.out);
        break;
      }
      mover.child.kill('SIGKILL');
      await until(() => mover.child.signalCode !== null || ended());
      kills += mover.child.signalCode === null ? 0 : 1;
    }
    context.diagnostic(`killed ${kills} times`);
    assert.ok(kills >= 3, String(kills));
  });

  test('prints a table for people, and no progress where nobody watches', async context => {
    const folder = emptyFolder(context);
    await filledBy(folder);
    const url = await server.createDatabase(template);
    const { code, out, err } = await folder.run(['move', '--from', SOURCE], { DATABASE_URL: url });
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^Moved\. Both sides were read again, and are the same:\n/);
    assert.match(out, /^clients +1 +[0-9a-f]{64}$/m);
    assert.ok(!out.includes('\r') && !out.includes('\x1b'));
  });

  test('--undo lets the service start on the embedded store again', async context => {
    const folder = emptyFolder(context);
    await filledBy(folder);
    const url = await server.createDatabase(template);
    await folder.run(moveTo(url));
    const list = () => folder.run(['client', 'list', '--json']);
    assert.equal((await list()).code, 1);
    const undo = () => folder.run(['move', '--from', SOURCE, '--undo', '--json']);
    assert.deepEqual(JSON.parse((await undo()).out), { undone: true });
    assert.deepEqual(JSON.parse((await undo()).out), { undone: false });
    assert.equal((await list()).code, 0);
  });

  test('what cannot be moved is refused with a sentence', async context => {
    const folder = emptyFolder(context);
    await filledBy(folder);
    const secret = 'postgres://u:secret@127.0.0.1:1/x';
    const wrong: [number, RegExp, string[]][] = [
      [2, /^error: required option '--from <url>' not specified/, ['move']],
      [1, /^--to must be given, or DATABASE_URL set, to a postgres:/, ['move', '--from', SOURCE]],
      [1, /^--to must be a postgres:\/\/ url/, moveTo('sqlite:./other.db')],
      [
        1,
        /^--to must be sqlite: and a path, .* or a url that begins/,
        moveTo('mysql://u:secret@x/x'),
      ],
      [1, /^--from must be an embedded store/, ['move', '--from', secret, '--to', secret]],
      [
        1,
        /^There is no database \.\/none\.db\.$/m,
        ['move', '--from', 'sqlite:./none.db', '--to', secret],
      ],
      [1, /cannot be used: connect ECONNREFUSED/, moveTo(secret)],
    ];
    for (const [code, sentence, args] of wrong) {
      const ended = await folder.run(args);
      assert.deepEqual([ended.code, ended.out], [code, ''], args.join(' '));
      assert.match(ended.err, sentence);
      assert.ok(!ended.err.includes('secret'));
    }
    const { err } = await folder.run(moveTo(secret, '--json'));
    assert.match(JSON.parse(err).error, /cannot be used/);
    assert.equal((await folder.run(['client', 'list'])).code, 0);
  });
});

describe('the progress of a move', () => {
  const step = (rows: number): MoveStep => ({ phase: 'moving', table: 'runs', rows, of: 4_000 });

  test('is one line', () => {
    assert.equal(
      progressLine(step(1_000), 84_000),
      'moving runs      ██████░░░░░░░░░░░░░░░░░░  1,000 of 4,000, 84,000 rows/s',
    );
    assert.match(progressLine({ ...step(0), of: 0 }, null), /█{24} {2}0 of 0$/);
    assert.match(progressLine(step(5_000), null), /█{24} {2}5,000 of 4,000$/);
  });

  test('is written over itself, ten times a second at most, and taken away', () => {
    const written: string[] = [];
    let now = NOON;
    const bar = progressBar({ write: text => written.push(text) }, true, { now: () => now });
    for (const rows of [0, 10, 20]) {
      bar.show(step(rows));
      now += 60;
    }
    bar.clear();
    bar.clear();
    assert.deepEqual(
      written.map(text => text.startsWith('\r\x1b[2K')),
      [true, true, true],
    );
    assert.equal(written.at(-1), '\r\x1b[2K');
  });

  test('is not written where nobody watches', () => {
    const bar = progressBar({ write: () => assert.fail() }, false, { now: () => NOON });
    bar.show(step(1));
    bar.clear();
  });
});

const every = (interval: string, url: string) => ({
  url,
  verb: 'GET' as const,
  interval,
  timezone: 'UTC',
});

async function filledBy(folder: Folder): Promise<void> {
  assert.equal((await folder.run(['migrate'])).code, 0);
  assert.equal((await folder.run(['client', 'create', '--name', 'Ada'])).code, 0);
}

async function fillWithRuns(path: string, schedules: number, runsOfEach: number): Promise<void> {
  const store = openSqlite(path);
  const { clientRowId } = await aClient(store);
  const start = { first: NOON, second: null };
  await store.schedules.insert(
    clientRowId,
    Array.from({ length: schedules }, () => ({ schedule: aSchedule(), start })),
  );
  for (const claim of (await store.queue.claim(NOON, schedules, 0)).claims) {
    const records = Array.from({ length: runsOfEach }, (_, index) =>
      aRecord(claim.schedule.id, NOON + index * MINUTE),
    );
    void store.queue.settle([settlementOf(claim, waiting(NOON, null), { records })]);
  }
  await store.close();
}

/** Each page of runs takes a second: a test that is held up meanwhile finds the move under way all the same. */
async function slowDown(url: string): Promise<void> {
  await runOn(
    url,
    `CREATE FUNCTION slow_down() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
    CREATE TRIGGER slow_down AFTER INSERT ON runs FOR EACH STATEMENT EXECUTE FUNCTION slow_down()`,
  );
}

async function progressOf(url: string): Promise<unknown> {
  const [table] = await runOn(url, "SELECT to_regclass('punctual_move')::text AS name");
  if (table!.name === null) return null;
  return (await runOn(url, 'SELECT progress FROM punctual_move'))[0]?.progress;
}
