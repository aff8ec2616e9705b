import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shownSettings } from '../../src/cli/shown-settings.ts';
import { readConfig, SETTINGS } from '../../src/config.ts';
import { senderThreadsFor } from '../../src/outbound/sender-pool.ts';

const PAGE = join(import.meta.dirname, '../../../docs/configuration.md');

test('the table of settings in docs/configuration.md is the table in config.ts', () => {
  const rows = Object.entries(SETTINGS).map(
    ([name, { fallback, unit, about }]) =>
      `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${unit} | ${about} |`,
  );
  const readme = readFileSync(PAGE, 'utf8').replaceAll(/ {2,}/g, ' ');
  const missing = rows.filter(row => !readme.includes(row.replaceAll(/ {2,}/g, ' ')));
  assert.deepEqual(missing, []);
});

test('an empty value counts as unset', () => {
  assert.equal(readConfig({ PORT: '' }).port, 8080);
});

test('the database is a path behind sqlite:, relative, absolute or with three slashes', () => {
  for (const [url, path] of [
    ['sqlite:./data/x.db', './data/x.db'],
    ['sqlite:/var/x.db', '/var/x.db'],
    ['sqlite:///var/x.db', '/var/x.db'],
  ]) {
    assert.deepEqual(readConfig({ DATABASE_URL: url }).database, { kind: 'sqlite', path });
  }
});

test('or a url of PostgreSQL, kept as it is', () => {
  for (const url of ['postgres://u:p%40@db.example/x?sslmode=verify-full', 'postgresql://db/x']) {
    const { database } = readConfig({ DATABASE_URL: url, PUNCTUAL_LEASE_SECONDS: '7' });
    assert.deepEqual(database, { kind: 'postgres', url, leaseMs: 7_000 });
  }
});

test('a role is for PostgreSQL, where the other half may run elsewhere', () => {
  assert.equal(readConfig({}).role, 'all');
  const url = 'postgres://db/x';
  assert.equal(readConfig({ DATABASE_URL: url, PUNCTUAL_ROLE: 'api' }).role, 'api');
  assert.throws(() => readConfig({ PUNCTUAL_ROLE: 'api' }), /must be all on the embedded store/);
});

test('the public url is a url that paths can be put behind, or unset', () => {
  const urlOf = (value: string) => readConfig({ PUNCTUAL_URL: value }).publicUrl;
  assert.equal(urlOf(''), null);
  assert.equal(urlOf('https://Punctual.example.com/'), 'https://punctual.example.com');
  assert.equal(urlOf('http://10.0.0.1:8080'), 'http://10.0.0.1:8080');
  assert.equal(urlOf('https://example.com/punctual//'), 'https://example.com/punctual');
  for (const url of [
    'punctual',
    'ftp://a.b',
    'https://a.b/?x=1',
    'https://a.b/#',
    'https://u:hid@a.b',
  ]) {
    assert.throws(
      () => urlOf(url),
      (error: Error) =>
        /^.*PUNCTUAL_URL must be an http or https url/.test(error.message) &&
        !error.message.includes('hid'),
    );
  }
});

test('as many threads send as one says, or as the cores make worth while', () => {
  const threads = (value: string) => readConfig({ PUNCTUAL_SENDER_THREADS: value }).senderThreads;
  assert.deepEqual([threads('0'), threads('5'), threads('auto'), threads('')], [0, 5, null, null]);
  for (const value of ['65', '-1', 'all', '1.5']) {
    assert.throws(() => threads(value), /PUNCTUAL_SENDER_THREADS must be auto or a whole/);
  }
  assert.deepEqual([1, 2, 3, 4, 64].map(senderThreadsFor), [0, 2, 2, 2, 2]);
});

test('the number of threads for names is a whole number, as libuv takes it', () => {
  const lookups = (value: string) => readConfig({ UV_THREADPOOL_SIZE: value }).sender.maxLookups;
  assert.deepEqual([lookups('128'), lookups('1024'), lookups('1'), lookups('')], [60, 508, 1, 1]);
  for (const value of ['abc', '0', '-4', '1025', '12.5', '64 threads']) {
    assert.throws(
      () => lookups(value),
      /^.*UV_THREADPOOL_SIZE must be a whole number from 1 to 1024, not "/,
    );
  }
});

test('failed runs are kept at least as long as the others', () => {
  const { retention } = readConfig({ PUNCTUAL_KEEP_RUNS_DAYS: '100' }).engine;
  assert.deepEqual(retention, { runsDays: 100, failedRunsDays: 100 });
});

test('what is no such url is refused, and not repeated: it may carry a password', () => {
  for (const url of ['postgres://u:secret@:x:y/', 'mysql://u:secret@db/x', 'postgres:secret']) {
    assert.throws(
      () => readConfig({ DATABASE_URL: url }),
      (error: Error) =>
        !error.message.includes('secret') && /sqlite: .*postgres:/.test(error.message),
    );
  }
});

test('the settings are shown without a secret, whatever holds one', () => {
  const shown = (environment: Record<string, string>) => JSON.stringify(shownSettings(environment));
  for (const url of [
    'postgres://ada:hidden@db:5432,db2/x?sslmode=require',
    'postgres://ada:hid@hidden@db/x',
    'postgres://ada:hidden/hidden?@db/x',
    'postgres://db/x?password=hidden',
  ]) {
    assert.doesNotMatch(shown({ DATABASE_URL: url }), /hid/, url);
    assert.match(shown({ DATABASE_URL: url }), /postgres:\/\/db/);
  }
  for (const name of ['PUNCTUAL_API_KEY', 'PUNCTUAL_SECRET_KEY']) {
    assert.equal(shownSettings({ [name]: 'hidden' })[name], 'set');
  }
  const { PORT, DATABASE_URL, PUNCTUAL_ROLE, PUNCTUAL_API_KEY } = shownSettings({ PORT: '99' });
  assert.deepEqual(
    [PORT, DATABASE_URL, PUNCTUAL_ROLE, PUNCTUAL_API_KEY],
    ['99', 'sqlite:./data/punctual.db', 'all', undefined],
  );
});

test('a wrong value is refused with one sentence that names the setting, and repeats no key', () => {
  const client = { PUNCTUAL_CLIENT_ID: 'ada' };
  const wrong: [Record<string, string>, RegExp][] = [
    [{ PORT: 'http' }, /^PORT must be/],
    [{ PUNCTUAL_MAX_IN_FLIGHT: '0' }, /^PUNCTUAL_MAX_IN_FLIGHT must be/],
    [{ PUNCTUAL_LOG_LEVEL: 'loud' }, /^PUNCTUAL_LOG_LEVEL must be one of/],
    [{ PUNCTUAL_MAX_CONNECTIONS: '0' }, /^PUNCTUAL_MAX_CONNECTIONS must be/],
    [{ PUNCTUAL_ALLOW_TARGETS: '10.0.0.0/33' }, /PUNCTUAL_ALLOW_TARGETS/],
    [{ DATABASE_URL: 'mysql://root:hidden@localhost/' }, /^DATABASE_URL must be/],
    [client, /must be set together/],
    [{ ...client, PUNCTUAL_API_KEY: 'hidden in blanks' }, /^PUNCTUAL_API_KEY must be/],
    [
      { ...client, PUNCTUAL_API_KEY: 'nineteen-and-hidden' },
      /^PUNCTUAL_API_KEY must have at least 20 characters, and has 19: /,
    ],
  ];
  for (const [environment, sentence] of wrong) {
    assert.throws(
      () => readConfig(environment),
      ({ message }: Error) =>
        sentence.test(message) && !message.includes('hidden') && !message.includes('\n'),
      JSON.stringify(environment),
    );
  }
});
