import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CREDENTIALS } from '../support/crash/api.ts';
import { Survivor } from '../support/crash/survivor.ts';
import { type PostgresServer, runOn, startPostgres } from '../support/store/postgres-server.ts';
import { BIN } from './world.ts';

/**
 * Callers that race, and whose service is killed between the write and the answer: they call again, and there is one
 * schedule. The kill comes at the moment at which another connection sees what was written, and nobody reads the answer. In
 * played worlds processes die at the same moment (`server/sim/profile.ts`, `isAmidCall`); here they and the disk are real.
 *
 * CALLER_KILLS=20 is the long form.
 */
const KILLS = Number(process.env.CALLER_KILLS ?? 1);
/** Fewer than may be in one group of writes, more than the connections of a pool. */
const CALLERS = 50;

interface Answer {
  status: number;
  isReplay: boolean;
  id: string | undefined;
}

/** A service that many callers ask at once. */
class Raced extends Survivor {
  constructor(folder: string, databaseUrl: string) {
    super({ bin: BIN, folder, environment: { DATABASE_URL: databaseUrl } });
  }

  /** The answers to callers that all ask at once; null for one that got none. */
  race(method: string, path: string, headers: Record<string, string>): Promise<(Answer | null)[]> {
    const calls = Array.from({ length: CALLERS }, () =>
      this.#call(method, path, headers).catch(() => null),
    );
    return Promise.all(calls);
  }

  async #call(method: string, path: string, headers: Record<string, string>): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ClientId: CREDENTIALS.clientId,
        ApiKey: CREDENTIALS.apiKey,
        'Content-Type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(SCHEDULE),
      signal: AbortSignal.timeout(30_000),
    });
    const { id } = (await response.json()) as { id?: string };
    const isReplay = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, isReplay, id };
  }
}

const SCHEDULE = {
  url: 'https://example.com/hook',
  verb: 'POST',
  interval: '0 0 1 1 *',
  timezone: 'UTC',
};

/** How many schedules another connection sees. */
type Count = () => Promise<number>;
const COUNT = 'SELECT count(*) AS count FROM schedules';

interface Call {
  what: string;
  call: (name: string) => [method: string, path: string, headers: Record<string, string>];
  isReplayed: boolean;
}

const CALLS: Call[] = [
  {
    what: 'POST with one Idempotency-Key',
    call: (name: string) => ['POST', '/v1/schedule', { 'Idempotency-Key': name }],
    isReplayed: true,
  },
  {
    what: 'PUT by one external id',
    call: (name: string) => ['PUT', `/v1/schedule/ext:${name}`, {}],
    isReplayed: false,
  },
];

async function seen(isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 20_000;
  while (!(await isTrue())) {
    assert.ok(Date.now() < giveUpAt, 'nothing was written');
    await sleep(1);
  }
}

function survives(open: (folder: string) => Promise<{ databaseUrl: string; count: Count }>) {
  for (const { what, call, isReplayed } of CALLS) {
    test(`${what} makes one schedule, whatever is killed after it was written`, async () => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'punctual-callers-')));
      const { databaseUrl, count } = await open(folder);
      const survivor = new Raced(folder, databaseUrl);
      try {
        await survivor.start();
        for (let kill = 1; kill <= KILLS; kill++) {
          const name = `call-${kill}`;
          const before = await count();
          const unread = survivor.race(...call(name));
          await seen(async () => (await count()) > before);
          await survivor.kill();
          const early = (await unread).flatMap(answer => answer ?? []);
          await survivor.start();
          const repeated = await survivor.race(...call(name));
          const [first] = repeated;
          for (const answer of repeated) {
            assert.deepEqual(answer, { status: 200, isReplay: isReplayed, id: first!.id });
          }
          for (const { status, id } of early) if (status === 200) assert.equal(id, first!.id);
          assert.equal(await count(), before + 1, 'one schedule');
        }
      } finally {
        await survivor.dispose();
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
}

describe('embedded', () => {
  survives(async folder => {
    const path = join(folder, 'punctual.db');
    const count = async () => {
      const database = new DatabaseSync(path, { readOnly: true });
      try {
        return database.prepare(COUNT).get()!.count as number;
      } finally {
        database.close();
      }
    };
    return { databaseUrl: `sqlite:${path}`, count };
  });
});

describe('PostgreSQL', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());
  survives(async () => {
    const databaseUrl = await server.createDatabase();
    const count = async () => Number((await runOn(databaseUrl, COUNT))[0]!.count);
    return { databaseUrl, count };
  });
});
