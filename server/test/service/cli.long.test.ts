import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SETTINGS } from '../../src/config.ts';
import { isId } from '../../src/domain/id.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { emptyFolder, type Folder, folderWithStore, urlOf } from '../support/service/command.ts';
import { startPostgres } from '../support/store/postgres-server.ts';

describe('every command', () => {
  const commands = [
    [],
    ['serve'],
    ['client'],
    ['key', 'revoke'],
    ['dev'],
    ['migrate'],
    ['move'],
    ['backup'],
    ['doctor'],
    ['pause'],
    ['resume'],
    ['client', 'create'],
    ['client', 'list'],
    ['client', 'rename'],
    ['client', 'suspend'],
    ['client', 'resume'],
    ['client', 'delete'],
    ['key'],
    ['key', 'create'],
    ['key', 'list'],
  ];
  for (const command of commands) {
    test(`punctual ${command.join(' ')} --help explains itself and exits with 0`, async context => {
      const { code, out } = await emptyFolder(context).run([...command, '--help']);
      assert.equal(code, 0);
      assert.match(out, /^Usage: punctual/);
    });
  }

  test('an unknown command, option or missing value exits with 2 and a sentence', async context => {
    const folder = emptyFolder(context);
    for (const args of [['nope'], ['serve', '--nope'], ['client', 'create']]) {
      const { code, err } = await folder.run(args);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, /^error: /);
    }
  });
});

describe('a store that is not there', () => {
  const wrong = { DATABASE_URL: 'sqlite:./elsewhere/p.db' };
  const commands = [
    ['client', 'create', '--name', 'Ada'],
    ['key', 'list', '--client', 'x'],
    ['backup', './copy.db'],
    ['pause'],
    ['client', 'list'],
    ['client', 'rename', 'x', '--name', 'Ada'],
    ['client', 'suspend', 'x'],
    ['client', 'resume', 'x'],
    ['client', 'delete', 'x', '--confirm', 'Ada'],
    ['key', 'create', '--client', 'x'],
    ['key', 'revoke', 'x'],
    ['secret', 'show', '--client', 'x'],
    ['secret', 'rotate', '--client', 'x'],
    ['secret', 'end-overlap', '--client', 'x'],
    ['resume'],
  ];
  for (const command of commands) {
    test(`punctual ${command.join(' ')} makes none, and names what it looked for`, async context => {
      const folder = emptyFolder(context);
      const { code, out, err } = await folder.run(command, wrong);
      assert.deepEqual([code, out], [1, '']);
      const path = join(folder.path, 'elsewhere/p.db');
      assert.match(err, /^DATABASE_URL names .+, and there is no store: .+\n$/);
      assert.ok(err.includes(path), err);
      assert.deepEqual(readdirSync(folder.path), []);
    });
  }

  test('encrypt makes none either', async context => {
    const folder = emptyFolder(context);
    const key = randomBytes(32).toString('base64');
    const { code, err } = await folder.run(['encrypt'], { ...wrong, PUNCTUAL_SECRET_KEY: key });
    assert.equal(code, 1);
    assert.match(err, /there is no store/);
    assert.deepEqual(readdirSync(folder.path), []);
  });

  test('nor on PostgreSQL, and no password is told', async context => {
    const server = await startPostgres();
    context.after(() => server.stop());
    const url = await server.createDatabase();
    const folder = emptyFolder(context);
    const refused = await folder.run(['client', 'list'], { DATABASE_URL: url });
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /^DATABASE_URL names PostgreSQL, database \w+ at [\w.]+:\d+, and there is no store/,
    );
    assert.ok(!refused.err.includes(new URL(url).password || '//'));
    assert.equal((await folder.run(['migrate'], { DATABASE_URL: url })).code, 0);
    const { code, err } = await folder.run(['client', 'list'], { DATABASE_URL: url });
    assert.deepEqual([code, /^Store: PostgreSQL, database /.test(err)], [0, true]);
    const backup = await folder.run(['backup', 'x.db'], { DATABASE_URL: url });
    assert.equal(backup.code, 1);
    assert.match(backup.err, /pg_dump/);
  });
});

test('a command says on standard error which store it used, but not to programs', async context => {
  const folder = await folderWithStore(context);
  const { out, err } = await folder.run(['client', 'list']);
  assert.equal(err, `Store: ${join(folder.path, 'data/punctual.db')}\n`);
  assert.match(out, /^CLIENT/);
  assert.equal((await folder.run(['client', 'list', '--json'])).err, '');
});

test('the help of punctual, serve and dev names every setting', async context => {
  const folder = emptyFolder(context);
  for (const command of [[], ['serve'], ['dev']]) {
    const { out } = await folder.run([...command, '--help']);
    for (const name of Object.keys(SETTINGS)) assert.match(out, new RegExp(`^  ${name} `, 'm'));
  }
});

describe('the client of the settings', () => {
  const credentials = {
    PUNCTUAL_CLIENT_ID: 'billing',
    PUNCTUAL_API_KEY: 'a-key-of-more-than-twenty',
  };
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const signedWith = async (folder: Folder) => {
    const path = join(folder.path, 'data/punctual.db');
    const store = openSqlite(path);
    try {
      return (await store.clients.findClient('billing'))!.signingSecret;
    } finally {
      await store.close();
    }
  };

  test('is made with PUNCTUAL_SIGNING_SECRET, and keeps it when the setting changes', async context => {
    const folder = emptyFolder(context);
    const serve = async (environment: Record<string, string>) => {
      const service = await folder.start(['serve'], /"listening"/, {
        ...credentials,
        ...environment,
      });
      await service.stop();
      return service.out();
    };
    await serve({ PUNCTUAL_SIGNING_SECRET: secret });
    assert.equal(await signedWith(folder), secret);
    assert.ok(!(await serve({ PUNCTUAL_SIGNING_SECRET: secret })).includes('is not what signs'));
    const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
    const told = await serve({ PUNCTUAL_SIGNING_SECRET: other });
    assert.match(told, /PUNCTUAL_SIGNING_SECRET is not what signs/);
    assert.ok(!told.includes(other) && !told.includes(secret));
    assert.equal(await signedWith(folder), secret);
  });

  for (const [what, environment] of Object.entries<Record<string, string>>({
    'too short': { ...credentials, PUNCTUAL_SIGNING_SECRET: 'whsec_c2hvcnQ=' },
    'without whsec_': { ...credentials, PUNCTUAL_SIGNING_SECRET: secret.slice(6) },
    'no base64': { ...credentials, PUNCTUAL_SIGNING_SECRET: `${secret}!` },
    alone: { PUNCTUAL_SIGNING_SECRET: secret },
  })) {
    test(`a secret that is ${what} is refused, and not repeated`, async context => {
      const { code, err } = await emptyFolder(context).run(['serve'], environment);
      assert.equal(code, 1);
      assert.match(err, /^PUNCTUAL_SIGNING_SECRET /);
      assert.ok(!err.includes(environment.PUNCTUAL_SIGNING_SECRET!));
    });
  }
});

describe('client and key', () => {
  test('client create gives id, name, key and secret, and with --json under these names', async context => {
    const folder = await folderWithStore(context);
    const { code, out } = await folder.run(['client', 'create', '--name', 'Ada', '--json']);
    const made = JSON.parse(out);
    assert.equal(code, 0);
    assert.deepEqual(Object.keys(made).sort(), [
      'apiKey',
      'clientId',
      'keyId',
      'name',
      'signingSecret',
    ]);
    assert.ok(isId(made.clientId));
    assert.match(made.signingSecret, /^whsec_/);
    assert.equal(made.name, 'Ada');
  });

  test('client list and key list show what was made, and no secret', async context => {
    const folder = await folderWithStore(context);
    const made = JSON.parse(
      (await folder.run(['client', 'create', '--name', 'Ada', '--json'])).out,
    );
    const more = JSON.parse(
      (await folder.run(['key', 'create', '--client', made.clientId, '--json'])).out,
    );
    const clients = await folder.run(['client', 'list', '--json']);
    assert.equal(JSON.parse(clients.out)[0].clientId, made.clientId);
    const keys = await folder.run(['key', 'list', '--client', made.clientId, '--json']);
    assert.deepEqual(
      JSON.parse(keys.out).map((key: { keyId: string }) => key.keyId),
      [made.keyId, more.keyId],
    );
    const shown = clients.out + keys.out;
    for (const secret of [made.apiKey, more.apiKey, made.signingSecret]) {
      assert.ok(!shown.includes(secret));
    }
  });

  test('key list says which key made a key, and revoke takes along what came of it', async context => {
    const folder = await folderWithStore(context);
    const json = async (...args: string[]) =>
      JSON.parse((await folder.run([...args, '--json'])).out);
    const { clientId, apiKey, keyId } = await json('client', 'create', '--name', 'Ada');
    const service = await folder.start(['serve'], /"url":"/);
    const make = async (key: string) => {
      const response = await fetch(`${urlOf(service.out())}/v1/key`, {
        method: 'POST',
        headers: { ClientId: clientId, ApiKey: key, 'Content-Type': 'application/json' },
        body: '{"name":"made"}',
      });
      return (await response.json()) as { id: string; apiKey: string };
    };
    const child = await make(apiKey);
    const grandchild = await make(child.apiKey);
    await service.stop();
    const keys = () => json('key', 'list', '--client', clientId);
    const makers = (await keys()).map((key: { createdBy?: string }) => key.createdBy);
    assert.deepEqual(makers, [undefined, keyId, child.id]);
    const { out } = await folder.run(['key', 'list', '--client', clientId]);
    assert.match(out, new RegExp(`^${child.id} +\\S+ +${keyId} +-$`, 'm'));
    const revoked = await json('key', 'revoke', keyId, '--with-descendants');
    assert.deepEqual(revoked.descendants, [child.id, grandchild.id]);
    assert.ok((await keys()).every((key: { revokedAt?: string }) => key.revokedAt !== undefined));
  });

  test('an unknown client or key is a sentence and exit code 1, as JSON with --json', async context => {
    const folder = await folderWithStore(context);
    const plain = await folder.run(['key', 'create', '--client', 'nobody']);
    assert.equal(plain.code, 1);
    assert.match(plain.err, /^There is no client nobody in .+punctual\.db\.\n$/);
    const json = await folder.run(['key', 'revoke', 'nothing', '--json']);
    assert.equal(json.code, 1);
    assert.deepEqual(JSON.parse(json.err), {
      error: `There is no key nothing in ${join(folder.path, 'data/punctual.db')}.`,
    });
  });

  test('a key made beside a running service works, and a revoked one stops within 5 s', async context => {
    const folder = await folderWithStore(context);
    const service = await folder.start(['serve'], /"url":"/);
    const url = urlOf(service.out());
    const { clientId, apiKey, keyId } = JSON.parse(
      (await folder.run(['client', 'create', '--name', 'Ada', '--json'])).out,
    );
    const status = async () => {
      const headers = { ClientId: clientId, ApiKey: apiKey };
      return (await fetch(`${url}/v1/schedule`, { headers })).status;
    };
    assert.equal(await status(), 200);
    const { code } = await folder.run(['key', 'revoke', keyId]);
    assert.equal(code, 0);
    const revokedAt = Date.now();
    while ((await status()) === 200) assert.ok(Date.now() - revokedAt < 5_000);
    assert.equal(await status(), 401);
    assert.equal(await service.stop(), 0);
  });
});

describe('secret', () => {
  test('it is rotated with an overlap, which is shown and ended; a second time is refused', async context => {
    const folder = await folderWithStore(context);
    const json = async (...args: string[]) =>
      JSON.parse((await folder.run([...args, '--json'])).out);
    const { clientId, signingSecret } = await json('client', 'create', '--name', 'Ada');
    const client = ['--client', clientId];
    const made = await json('secret', 'rotate', ...client, '--overlap', '3600');
    assert.match(made.signingSecret, /^whsec_/);
    assert.notEqual(made.signingSecret, signingSecret);
    assert.equal(Date.parse(made.overlapEndsAt) - Date.parse(made.createdAt), 3_600_000);
    const { signingSecret: _, ...shown } = made;
    assert.deepEqual(await json('secret', 'show', ...client), shown);
    const second = await folder.run(['secret', 'rotate', ...client]);
    assert.equal(second.code, 1);
    assert.match(second.err, /^The secret was rotated before, and the old one signs too until 2/);
    const replaced = await json('secret', 'rotate', ...client, '--replace-new');
    assert.notEqual(replaced.signingSecret, made.signingSecret);
    const ended = await json('secret', 'end-overlap', ...client);
    assert.deepEqual(ended, { clientId, createdAt: replaced.createdAt });
  });

  test('an unknown client and an overlap out of bounds are sentences', async context => {
    const folder = await folderWithStore(context);
    const { out } = await folder.run(['client', 'create', '--name', 'Ada', '--json']);
    const { clientId } = JSON.parse(out);
    for (const command of ['rotate', 'show', 'end-overlap']) {
      const { code, err } = await folder.run(['secret', command, '--client', 'nobody']);
      assert.equal(code, 1);
      assert.match(err, /^There is no client nobody in .+punctual\.db\.\n$/);
    }
    const rotate = (overlap: string) =>
      folder.run(['secret', 'rotate', '--client', clientId, '--overlap', overlap]);
    const tooLong = await rotate('2592001');
    assert.equal(tooLong.code, 1);
    assert.equal(tooLong.err, 'The overlap is a whole number of seconds from 0 to 2592000.\n');
    assert.equal((await rotate('soon')).code, 2);
  });
});

describe('migrate', () => {
  test('it says from which version to which, and a second time that there is nothing to do', async context => {
    const folder = emptyFolder(context);
    const first = JSON.parse((await folder.run(['migrate', '--json'])).out);
    assert.equal(first.from, 0);
    const second = JSON.parse((await folder.run(['migrate', '--json'])).out);
    assert.deepEqual(second, { from: first.to, to: first.to });
  });
});
