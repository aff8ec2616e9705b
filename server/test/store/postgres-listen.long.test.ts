import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import type { Caller } from '../../src/store/contract/keys.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { Connections } from '../../src/store/postgres/connection.ts';
import { openPostgres, type PostgresOptions, readClock } from '../../src/store/postgres/open.ts';
import {
  aClient,
  aSchedule,
  changed,
  claimOne,
  MINUTE,
  NOON,
  settled,
  stored,
  triggered,
  waiting,
} from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());
const template = await server.createDatabase();
await (await openPostgres(template)).close();

let url: string;
let a: Store;
let b: Store;
let caller: Caller;
let hearing: Hearing[] = [];

beforeEach(async () => {
  url = await server.createDatabase(template);
  a = await openPostgres(url);
  b = await openPostgres(url);
  caller = await aClient(a);
});

afterEach(async () => {
  for (const each of hearing) await each.close();
  hearing = [];
  await Promise.all([a.close(), b.close()]);
  await server.dropDatabase(url);
});

/** What a node was told, line by line. */
class Hearing {
  readonly told: string[] = [];
  readonly #listening: { close(): Promise<void> };
  #hears = false;
  #onTold = () => {};

  constructor(store: Store) {
    hearing.push(this);
    const tell = (line: string) => {
      this.told.push(line);
      this.#onTold();
    };
    this.#listening = store.cluster!.listen({
      wake: dueAt => tell(`due ${dueAt}`),
      changed: (id, changedAt) => tell(`changed ${id} ${changedAt}`),
      wakeOutbox: id => tell(`manual ${id}`),
      rotated: clientRowId => tell(`rotated ${clientRowId}`),
      listening: (isListening, why = '') => {
        // It says so again every five seconds, which on a busy machine come between any two lines.
        if (isListening && this.#hears) return;
        this.#hears = isListening;
        tell(isListening ? 'hears' : `deaf: ${why}`);
      },
    });
  }

  /** Waits until a line is told, and takes it and all before it away. */
  async hears(line: string | RegExp): Promise<string> {
    const isIt = (each: string) => (typeof line === 'string' ? each === line : line.test(each));
    await this.until(() => this.told.some(isIt));
    return this.told.splice(0, this.told.findIndex(isIt) + 1).at(-1)!;
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await new Promise<void>(resolve => {
        this.#onTold = resolve;
      });
    }
  }

  close(): Promise<void> {
    return this.#listening.close();
  }
}

describe('PostgreSQL: what one node writes, the others hear', () => {
  test('new schedules by the first that is due, changed ones by their ids, manual runs', async () => {
    const ear = new Hearing(b);
    await ear.hears('hears');
    const batch = [3, 1, 2].map(minutes => ({
      schedule: aSchedule(),
      start: { first: NOON + minutes * MINUTE, second: null },
    }));
    await a.schedules.insert(caller.clientRowId, batch);
    await ear.hears(`due ${NOON + MINUTE}`);
    const { schedule } = batch[0]!;
    await changed(a, caller, schedule, { status: 'disabled' }, NOON + 5, null);
    await ear.hears(`changed ${schedule.id} ${NOON + 5}`);
    const { version } = (await a.schedules.find(caller.clientRowId, schedule.id))!;
    const renamed = { ...schedule, label: 'new', updatedAt: NOON + 9 };
    assert.ok(await a.schedules.update(caller.clientRowId, renamed, version, 'keep'));
    await ear.hears(`changed ${schedule.id} ${NOON + 9}`);
    await triggered(a, caller, schedule);
    await ear.hears(`manual ${schedule.id}`);
  });

  test('that a client signs with other secrets', async () => {
    const ear = new Hearing(b);
    await ear.hears('hears');
    const rotation = { signingSecret: 'whsec_x', rotatedAt: NOON, replacesNew: false };
    await a.clients.rotateSecret(caller.clientId, { ...rotation, oldUntil: NOON + MINUTE });
    await ear.hears(`rotated ${caller.clientRowId}`);
    await a.clients.endOverlap(caller.clientId);
    await ear.hears(`rotated ${caller.clientRowId}`);
  });

  test('what a node that stops has not begun, the others hear of', async () => {
    const ear = new Hearing(b);
    await ear.hears('hears');
    await stored(a, caller);
    await ear.hears(`due ${NOON}`);
    const claim = await claimOne(a);
    await settled(a, claim, waiting(NOON, NOON + MINUTE));
    await ear.hears(`due ${NOON}`);
  });

  test('nobody hears what a node itself wrote, what is due later than all look, or what others write there', async () => {
    const [own, ear] = [new Hearing(a), new Hearing(b)];
    await Promise.all([own.hears('hears'), ear.hears('hears')]);
    const connections = new Connections(url, 1);
    const later = (await readClock(connections.query)) + 60 * MINUTE;
    for (const text of [
      '',
      'nonsense',
      '{}',
      '{"from":"x","changed":[[1]],"manual":true}',
      'null',
    ]) {
      await connections.query("SELECT pg_notify('punctual', $1)", [text]);
    }
    await connections.close();
    await stored(a, caller, {}, { first: later, second: null });
    await stored(a, caller, {}, null);
    const last = await stored(a, caller, {}, null);
    await changed(a, caller, last, { label: 'x' }, NOON, null);
    await ear.until(() => ear.told.length > 0);
    await triggered(b, caller, last);
    await own.until(() => own.told.length > 0);
    assert.deepEqual([own.told, ear.told], [[`manual ${last.id}`], [`changed ${last.id} ${NOON}`]]);
  });

  test('a thousand changes at once are told in some messages, each within the size that fits', async () => {
    const batch = Array.from({ length: 1_000 }, () => ({ schedule: aSchedule(), start: null }));
    await a.schedules.insert(caller.clientRowId, batch);
    const ear = new Hearing(b);
    await ear.hears('hears');
    const changes = batch.map(({ schedule }) => ({
      schedule: { ...schedule, updatedAt: NOON },
      version: 1,
      requeue: 'keep' as const,
    }));
    assert.ok(await a.schedules.updateAll(caller.clientRowId, changes));
    await a.close();
    await ear.until(() => ear.told.length === batch.length);
    assert.deepEqual(
      ear.told.toSorted(),
      batch.map(({ schedule }) => `changed ${schedule.id} ${NOON}`).toSorted(),
    );
  });
});

describe('PostgreSQL: a node that cannot hear', () => {
  const endListener = () =>
    runOn(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'punctual listener' AND datname = current_database()`,
    );

  test('says so, listens anew, and hears again', async () => {
    const ear = new Hearing(b);
    await ear.hears('hears');
    await endListener();
    await ear.hears(/^deaf: /);
    await ear.hears('hears');
    await stored(a, caller);
    await ear.hears(`due ${NOON}`);
  });

  test('notices it, where its connection is there and nothing comes over it', async t => {
    const ear = new Hearing(b);
    await ear.hears('hears');
    t.diagnostic('this one waits for a beat: five seconds, and two more');
    // As after a failover that left an old primary running: what is told, is told elsewhere.
    await runOn(
      url,
      `CREATE SCHEMA before; CREATE FUNCTION before.pg_notify(text, text) RETURNS void
        LANGUAGE sql AS 'SELECT NULL::void';
      ALTER ROLE postgres SET search_path = before, public, pg_catalog`,
    );
    await runOn(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE 'punctual level %' AND datname = current_database()`,
    );
    assert.match(await ear.hears(/^deaf: /), /does not tell what is written/);
    await runOn(url, 'ALTER ROLE postgres RESET search_path; DROP SCHEMA before CASCADE');
    await runOn(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE 'punctual level %' AND datname = current_database()`,
    );
    await ear.hears('hears');
  });

  test('where there is no connection for it, all else goes on', async () => {
    await runOn(
      url,
      `DROP ROLE IF EXISTS few;
      CREATE ROLE few LOGIN PASSWORD 'password' CONNECTION LIMIT 2;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO few; GRANT CREATE ON SCHEMA public TO few`,
    );
    const options: PostgresOptions = { connections: 2 };
    const few = await openPostgres(url.replace('postgres:password', 'few:password'), options);
    await Promise.all([few.queue.nextDueAt(), few.queue.nextDueAt(), few.queue.nextDueAt()]);
    const ear = new Hearing(few);
    assert.match(await ear.hears(/^deaf: /), /too many connections/);
    await stored(a, caller);
    await claimOne(few);
    await ear.close();
    await few.close();
  });

  test('closing waits for nothing, also while there is no server', async () => {
    const ear = new Hearing(b);
    await ear.hears('hears');
    await server.halt();
    await ear.hears(/^deaf: /);
    const startedAt = performance.now();
    await ear.close();
    await server.start();
    assert.ok(performance.now() - startedAt < 30_000);
  });
});
