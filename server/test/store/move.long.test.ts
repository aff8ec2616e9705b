import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { knowCalendar } from '../../src/domain/calendar/known-calendars.ts';
import type { PunctualError } from '../../src/domain/errors.ts';
import { runId } from '../../src/domain/id.ts';
import type { ManualClaim } from '../../src/store/contract/queue.ts';
import { moveStore, openMove, undoMove } from '../../src/store/open.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { lockSqlite } from '../../src/store/sqlite/lock.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { MovedTable, MoveStep } from '../../src/store/transfer/move.ts';
import { TABLES } from '../../src/store/transfer/tables.ts';
import {
  aClient,
  anAttempt,
  anId,
  aRecord,
  aSchedule,
  changed,
  claimManual,
  claimOne,
  MINUTE,
  NOON,
  outboxSettlementOf,
  settled,
  stored,
  triggered,
  waiting,
} from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';
import { contents, fill, steps, taken } from '../support/store/random-store.ts';
import { TEXTS } from '../support/store/search-texts.ts';

const server = await startPostgres();
after(() => server.stop());
const template = await server.createDatabase();
await (await openPostgres(template)).close();

const DAY = 24 * 60 * MINUTE;
const LATER = NOON + DAY;

let folder: string;
let path: string;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'punctual-move-'));
  path = join(folder, 'punctual.db');
  url = await server.createDatabase(template);
});
afterEach(async () => {
  await server.dropDatabase(url);
  rmSync(folder, { recursive: true });
});

const sqlite = () => ({ kind: 'sqlite', path }) as const;
const postgres = () => ({ kind: 'postgres', url }) as const;

/** @param tell may throw, which ends the move in the middle */
async function move(tell: (step: MoveStep) => unknown = () => {}): Promise<MovedTable[]> {
  const { source, target } = await openMove(sqlite(), postgres(), NOON);
  try {
    return await moveStore(source, target, tell);
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

const refusal = async (work: () => Promise<unknown>): Promise<[string, string]> => {
  try {
    await work();
  } catch (error) {
    return [(error as PunctualError).code, (error as PunctualError).message];
  }
  return assert.fail('nothing was refused');
};

/** One of each, and a key that the other key made: what has a row in every table. */
async function filled(): Promise<void> {
  const store = openSqlite(path);
  const caller = await aClient(store);
  const version = anId();
  const de = { version, name: 'de', periods: [] };
  knowCalendar(de);
  const source = { kind: 'url', url: 'https://x', ics: 'BEGIN' } as const;
  await store.calendars.put(caller.clientRowId, { ...de, source }, NOON, NOON + MINUTE);
  await store.zoneRules.put([{ zone: 'UTC', release: '2026a', changes: [[NOON, 0]] }]);
  const timing = { exclude: ['de'], calendars: [version] };
  const schedule = aSchedule({ label: 'Straße', timing });
  const made = { schedule, start: { first: NOON, second: NOON + MINUTE } };
  const call = { key: 'key', fingerprint: 'print', at: NOON };
  assert.ok(await store.schedules.insert(caller.clientRowId, [made], call));
  const record = aRecord(schedule.id, NOON);
  await settled(store, await claimOne(store), waiting(NOON + MINUTE, null), { records: [record] });
  await triggered(store, caller, schedule);
  const start = { first: NOON + MINUTE, second: null };
  await changed(store, caller, schedule, { interval: '1 * * * *' }, NOON, start);
  const rotation = { signingSecret: 'whsec_new', rotatedAt: NOON, replacesNew: false };
  await store.clients.rotateSecret(caller.clientId, { ...rotation, oldUntil: NOON + MINUTE });
  const host = { origin: 'https://x', since: NOON, openedAt: NOON };
  await store.breakers.note([{ id: anId(), clientRowId: caller.clientRowId, ...host }], NOON);
  const { keyId, clientId } = caller;
  const times = { createdAt: NOON, lastUsedAt: NOON + MINUTE };
  await store.sessions.insertSession({ id: anId(), hash: 'session', keyId, ...times });
  await store.keys.insertKey({
    id: anId(),
    clientId,
    hash: 'h',
    createdAt: NOON,
    createdBy: keyId,
  });
  await store.dataKeys.insert({ id: '1', wrapped: 'wrapped', createdAt: NOON });
  await store.installation.pause(NOON);
  const destination = { config: { hosts: ['x'] }, secrets: 'enc1:1:x', version: anId() };
  await store.destinations.put(caller, 'billing', null, destination, NOON);
  await store.close();
  const database = new DatabaseSync(path);
  database.exec(`
    INSERT INTO completions (run_id, attempt, client_key, schedule_key, said_at)
    VALUES ('run', 1, 1, 1, ${NOON});
    INSERT INTO fences (schedule_key, fence) VALUES (1, ${NOON})`);
  database.close();
}

/** As a superuser: what is shut for all others is not for this one. */
const tampered = (sql: string) => runOn(url, `SET session_replication_role = replica; ${sql}`);

class Killed extends Error {}

const END_NODES =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'punctual level %'";
const ANOTHER_SCHEDULE = `
  INSERT INTO schedules (schedule_key, client_key, id, status, url, verb, interval, timezone,
    created_at, label, url_folded, label_folded)
  VALUES (99, 1, 'x', 'deleted', '', 'GET', '', '', 0, '', '', '')`;

describe('move', () => {
  test('whatever a store holds, the other one then tells the same and has the same to do', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async history => {
        const random = mkdtempSync(join(folder, 'random-'));
        path = join(random, 'punctual.db');
        url = await server.createDatabase(template);
        const before = openSqlite(path);
        await fill(before, history);
        const expected = await contents(before);
        await before.close();
        await move();
        await undoMove(sqlite());
        const [there, here] = [openSqlite(path), await openPostgres(url)];
        try {
          assert.deepEqual(await contents(here), expected);
          assert.deepEqual(await taken(here, LATER), await taken(there, LATER));
        } finally {
          await Promise.all([there.close(), here.close()]);
          await server.dropDatabase(url);
        }
      }),
      { numRuns: Number(process.env.PUNCTUAL_TEST_HISTORIES ?? 20), endOnFailure: true },
    );
    url = await server.createDatabase(template);
  });

  test('runs that await their completion end with it in the other store', async () => {
    const before = openSqlite(path);
    const caller = await aClient(before);
    const policy = { completion: { deadlineSeconds: 600 } };
    const until = NOON + 10 * MINUTE;
    const attempts = [{ ...anAttempt(1, { responseStatus: 202 }), completion: { until } }];
    const fired = await stored(before, caller, { policy });
    const claim = await claimOne(before);
    const { scheduledFor, nextFor } = claim;
    const row = { scheduledFor, nextFor, attempt: 1, attempts, dueAt: until };
    await settled(before, claim, { ...row, state: 'awaiting' });
    const byHand = await stored(before, caller, { policy }, null);
    const manualId = await triggered(before, caller, byHand);
    const manual = await claimManual(before);
    const next = { dueAt: until, awaits: true } as const;
    await before.outbox.settle([outboxSettlementOf(manual, next, { attempts })]);
    // It waits for its turn, and needs an engine that knows destinations.
    const other = await stored(before, caller, { delivery: { destination: 'billing' } }, null);
    const queuedId = await triggered(before, caller, other, NOON + MINUTE);
    await before.close();
    await move();
    const store = await openPostgres(url);
    const now = NOON + MINUTE;
    const ticket = { clientId: caller.clientId, attempt: 1 };
    const tickets = [
      { ...ticket, scheduleId: fired.id, runId: runId(fired.id, NOON) },
      { ...ticket, scheduleId: byHand.id, runId: manualId },
    ];
    for (const each of tickets) {
      assert.deepEqual((await store.completions.say(each, {}, now))?.dueAt, now);
      const asked = [{ runId: each.runId, attempt: 1 }];
      assert.equal((await store.completions.of(asked))[0]!.status, 'succeeded');
    }
    const again = await claimOne(store, now);
    assert.deepEqual([again.was, again.begun, again.attempts], ['awaiting', false, attempts]);
    const claims = (await store.outbox.claim(now, 10)) as ManualClaim[];
    assert.deepEqual(
      claims.map(({ id, awaits }) => [id, awaits]),
      [
        [manualId, true],
        [queuedId, undefined],
      ],
    );
    await store.close();
  });

  test('every text comes over as it is', async () => {
    const before = openSqlite(path);
    const caller = await aClient(before);
    for (const text of Object.values(TEXTS)) {
      await stored(before, caller, {
        label: text,
        url: text,
        headers: { x: text },
        data: { x: text },
      });
    }
    const expected = await before.schedules.list(caller.clientRowId, {}, 100);
    await before.close();
    await move();
    const moved = await openPostgres(url);
    assert.deepEqual(await moved.schedules.list(caller.clientRowId, {}, 100), expected);
    await moved.close();
  });

  test('keys that were not drawn yet are drawn next', async () => {
    await filled();
    await move();
    const store = await openPostgres(url);
    const caller = await aClient(store);
    assert.equal(caller.clientRowId, 2);
    const schedule = await stored(store, caller);
    assert.ok(await store.schedules.find(caller.clientRowId, schedule.id));
    await store.close();
  });

  test('an empty store can be moved, and drawing keys begins at the first', async () => {
    await openSqlite(path).close();
    const tables = await move();
    assert.deepEqual(
      tables.map(({ table, rows }) => [table, rows]),
      TABLES.map(({ name }) => [name, 0]),
    );
    const store = await openPostgres(url);
    assert.equal((await aClient(store)).clientRowId, 1);
    await store.close();
  });

  test('runs stand in tables of their days, and retention drops these', async () => {
    const now = Date.now();
    const store = openSqlite(path);
    const caller = await aClient(store);
    const schedule = await stored(store, caller);
    const records = [0, 1, 40, 399, 900].flatMap(days => [
      aRecord(schedule.id, now - days * DAY),
      aRecord(schedule.id, now - days * DAY - 1, { status: 'failed' }),
    ]);
    await settled(store, await claimOne(store), null, { records });
    await store.close();
    await move();
    const moved = await openPostgres(url);
    const days = await runOn(
      url,
      `SELECT tableoid::regclass::text AS name FROM runs WHERE scheduled_for < ${now - 30 * DAY}
      ORDER BY 1`,
    );
    const day = (ago: number) =>
      new Date(now - ago * DAY).toISOString().slice(0, 10).replaceAll('-', '');
    assert.deepEqual(
      days.map(({ name }) => name),
      [
        ...[`runs_long_${day(399)}`, `runs_long_${day(40)}`, 'runs_long_default'],
        ...[`runs_short_${day(399)}`, `runs_short_${day(40)}`, 'runs_short_default'],
      ],
    );
    const limits = { succeededBefore: now - 30 * DAY, failedBefore: now - 90 * DAY };
    assert.equal(await moved.runs.prune(limits), 5);
    await moved.close();
  });

  test('the tables that are carried have every column of both backends, but for what nodes share', async () => {
    await openSqlite(path).close();
    await (await openPostgres(url)).close();
    const database = new DatabaseSync(path);
    const ofSqlite = Object.fromEntries(
      TABLES.map(({ name }) => [
        name,
        database
          .prepare(`SELECT name FROM pragma_table_info('${name}')`)
          .all()
          .map(row => row.name),
      ]),
    );
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all()
      // The other side makes texts of the schedules, and its own engines note themselves.
      .filter(({ name }) => name !== 'schedule_texts' && name !== 'engines');
    database.close();
    assert.deepEqual(
      tables.map(({ name }) => name),
      TABLES.map(({ name }) => name as string).sort(),
    );
    for (const { name, columns } of TABLES) {
      const rows = await runOn(
        url,
        `SELECT attname::text AS column FROM pg_attribute
        WHERE attrelid = '${name}'::regclass AND attnum > 0 AND NOT attisdropped`,
      );
      const shared = ['claimed_by', 'lease_until', ...(name === 'outbox' ? ['needs'] : [])];
      const ofPostgres = rows
        .map(row => row.column as string)
        .filter(column => !shared.includes(column));
      assert.deepEqual([...columns].sort(), ofPostgres.sort(), name);
      const derived = ['url_folded', 'label_folded', ...(name === 'runs' ? ['keep'] : [])];
      const own = columns.filter(column => !derived.includes(column));
      assert.deepEqual(own.sort(), ofSqlite[name]!.sort(), name);
    }
  });
});

describe('a move that ends in the middle', () => {
  test('goes on where it was, after whichever page, and ends with the same', async () => {
    await filled();
    const whole = await move();
    const copy = url;
    url = await server.createDatabase(template);
    await undoMove(sqlite());
    const seen: string[] = [];
    let tables: MovedTable[] | null = null;
    for (let lives = 0; tables === null; lives += 1) {
      let left = lives;
      tables = await move(({ phase, table, rows }) => {
        if (phase === 'moving') seen.push(`${table} ${rows}`);
        if (left-- === 0) throw new Killed();
      }).catch(error => {
        if (error instanceof Killed) return null;
        throw error;
      });
    }
    assert.deepEqual(tables, whole);
    assert.ok(seen.length > 20, String(seen.length));
    await server.dropDatabase(copy);
  });

  test('and nobody uses either side until it has', async () => {
    await filled();
    await assert.rejects(
      move(({ table }) => {
        if (table === 'runs') throw new Killed();
      }),
      Killed,
    );
    assert.deepEqual(await refusal(async () => openSqlite(path)), [
      'store_moved',
      'This database was moved to PostgreSQL, or its move has not ended: start Punctual on the ' +
        'other one, or take this one back with "punctual move --from … --undo".',
    ]);
    assert.deepEqual(await refusal(() => openPostgres(url)), [
      'store_moved',
      'A move into this database has not ended: run "punctual move" again until it says so, or empty ' +
        'the database.',
    ]);
    await move();
    assert.equal((await refusal(async () => openSqlite(path)))[0], 'store_moved');
    await (await openPostgres(url)).close();
  });

  test('a node that was there before, and sleeps, can write nothing', async () => {
    await filled();
    const node = await openPostgres(url);
    const caller = await aClient(node);
    await runOn(url, 'DELETE FROM api_keys; DELETE FROM clients');
    await runOn(url, END_NODES);
    const { source, target } = await openMove(sqlite(), postgres(), NOON);
    // The first call meets the connection that was ended.
    await node.check().catch(() => {});
    for (const call of [
      () => aClient(node),
      () => stored(node, caller),
      () => node.queue.claim(LATER, 1, 0),
      () => node.outbox.claim(LATER, 1),
      () => node.queue.settle([]).then(() => node.queue.recover(NOON)),
    ]) {
      const refused = await call().then(
        () => null,
        error => [error.code, String(error.cause)],
      );
      // What finds nothing to do writes nothing.
      if (refused === null) continue;
      assert.equal(refused[0], 'store_unavailable');
      assert.match(refused[1], /A move into this database has not ended/);
    }
    await moveStore(source, target, () => {});
    await Promise.all([source.close(), target.close()]);
    assert.equal((await node.queue.claim(LATER, 10, 0)).claims.length, 1);
    await node.close();
  });

  test('where the database goes away, it says so and goes on the next time', async () => {
    await filled();
    const { source, target } = await openMove(sqlite(), postgres(), NOON);
    const write: typeof target.write = async (table, ...rest) => {
      if (table.name === 'runs') await server.halt();
      return target.write(table, ...rest);
    };
    const cut = {
      write,
      progress: target.progress,
      ended: null,
      page: target.page.bind(target),
      end: target.end.bind(target),
      close: target.close.bind(target),
    };
    const [code] = await refusal(() => moveStore(source, cut, () => {}));
    assert.equal(code, 'store_unavailable');
    await Promise.all([source.close(), target.close()]);
    await server.start();
    const tables = await move();
    assert.deepEqual(
      tables.map(({ rows }) => rows),
      TABLES.map(({ name }) => (name === 'api_keys' ? 2 : 1)),
    );
  });
});

describe('the check at the end', () => {
  const changes: [string, string][] = [
    ['a changed name', "UPDATE clients SET name = name || ' '"],
    ['a key that was revoked', 'UPDATE api_keys SET revoked_at = 0'],
    ['a changed version', 'UPDATE schedules SET version = version + 1'],
    ['other timing', "UPDATE schedules SET timing = '{}'"],
    ['a missing mark', 'DELETE FROM schedule_marks'],
    ['a calendar that was counted', 'UPDATE calendars SET recount_before = NULL'],
    ['another source', "UPDATE calendar_versions SET source = '{}'"],
    ['a call that was forgotten', 'DELETE FROM idempotency'],
    ['other rules of a zone', "UPDATE zone_rules SET release = ''"],
    ['a fence that was forgotten', 'DELETE FROM fences'],
    ['a row for another level', 'UPDATE queue SET needs = 7'],
    ['a wrong folded copy', "UPDATE schedules SET label_folded = 'straße'"],
    ['a missing schedule', 'DELETE FROM schedules'],
    ['one schedule too many', ANOTHER_SCHEDULE],
    ['a run in the wrong days', "UPDATE runs SET keep = 'long'"],
    ['a run with other attempts', "UPDATE runs SET attempts = '[]'"],
    ['a changed due time', 'UPDATE queue SET due_at = due_at + 1'],
    ['a missing row of the outbox', 'DELETE FROM outbox'],
  ];
  for (const [name, sql] of changes) {
    test(`notices ${name}, and the target stays closed`, async () => {
      await filled();
      const { source, target } = await openMove(sqlite(), postgres(), NOON);
      const tampering = async () => {
        const page = source.page.bind(source);
        let reads = 0;
        // Each table is read to its end once to be carried, and then once more to be checked.
        source.page = async (table, after, rows) => {
          if (table.name === 'clients' && after === null && ++reads === 2) await tampered(sql);
          return page(table, after, rows);
        };
        await moveStore(source, target, () => {});
      };
      const [code, sentence] = await refusal(tampering);
      await Promise.all([source.close(), target.close()]);
      assert.equal(code, 'move_refused');
      assert.match(sentence, /^The two sides differ in \w+: /);
      assert.equal((await refusal(() => openPostgres(url)))[0], 'store_moved');
    });
  }
});

describe('a move is refused', () => {
  const NOTHING = 'Nothing can be moved into this PostgreSQL database: ';

  test('while an engine runs on the source', async () => {
    await filled();
    const lock = lockSqlite(path);
    const [code, sentence] = await refusal(move);
    lock.release();
    assert.equal(code, 'store_in_use');
    assert.match(sentence, /^Another Punctual is already running on the database /);
    await move();
  });

  test('of a database that is not there, and makes none', async () => {
    assert.deepEqual(await refusal(move), ['store_unavailable', `There is no database ${path}.`]);
    assert.ok(!existsSync(path));
  });

  test('of a file that is broken, with a sentence, and the target stays closed', async () => {
    await filled();
    const database = new DatabaseSync(path);
    database.exec('DROP TABLE runs');
    database.close();
    const [code, sentence] = await refusal(move);
    assert.equal(code, 'store_unavailable');
    assert.match(sentence, /^The database .*punctual\.db cannot be moved: no such table: runs\.$/);
    assert.equal((await refusal(() => openPostgres(url)))[0], 'store_moved');
  });

  test('into one that holds anything, and the source stays as it was', async () => {
    await filled();
    const other = await openPostgres(url);
    await other.clients.insertClient({
      id: 'x',
      name: 'x',
      signingSecret: 'x',
      createdAt: NOON,
    });
    await other.close();
    assert.deepEqual(await refusal(move), [
      'move_refused',
      `${NOTHING}it is not empty, there are clients in it.`,
    ]);
    await openSqlite(path).close();
    await (await openPostgres(url)).close();
  });

  test('beside a node on the target', async () => {
    await filled();
    const node = await openPostgres(url);
    assert.deepEqual(await refusal(move), [
      'move_refused',
      `${NOTHING}a Punctual is running on it: stop it first.`,
    ]);
    await node.close();
    await openSqlite(path).close();
  });

  test('into one that holds a part of another store', async () => {
    await filled();
    await assert.rejects(
      move(({ table }) => {
        if (table === 'runs') throw new Killed();
      }),
      Killed,
    );
    path = join(folder, 'other.db');
    await filled();
    assert.deepEqual(await refusal(move), [
      'move_refused',
      `${NOTHING}it holds a part of another move: empty it first.`,
    ]);
    await openSqlite(path).close();
  });

  test('where the other move wrote nothing yet, it gives way', async () => {
    await filled();
    await assert.rejects(
      move(() => {
        throw new Killed();
      }),
      Killed,
    );
    path = join(folder, 'other.db');
    await filled();
    await move();
  });

  test('where two move at the same moment: one of them goes on', async () => {
    await filled();
    const { source, target } = await openMove(sqlite(), postgres(), NOON);
    await target.write(TABLES[0]!, await source.page(TABLES[0]!, null, 1), {
      clients: { rows: 1, after: [1] },
    });
    await runOn(url, `UPDATE punctual_move SET progress = '{"clients":{"rows":7,"after":[7]}}'`);
    const [code, sentence] = await refusal(() => moveStore(source, target, () => {}));
    await Promise.all([source.close(), target.close()]);
    assert.deepEqual(
      [code, sentence],
      ['move_refused', `${NOTHING}another move into it is running.`],
    );
  });

  test('of what was moved already: it tells what it did, and does nothing', async () => {
    await filled();
    const tables = await move();
    const node = await openPostgres(url);
    await aClient(node);
    assert.deepEqual(await move(), tables);
    await node.close();
  });

  test('when it was undone: the source is another one then', async () => {
    await filled();
    await move();
    assert.equal(await undoMove(sqlite()), true);
    assert.equal(await undoMove(sqlite()), false);
    await openSqlite(path).close();
    assert.equal((await refusal(move))[0], 'move_refused');
  });
});
