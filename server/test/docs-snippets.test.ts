import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { PunctualClient } from '../../client/src/index.ts';
import { readConfig, unknownSettings } from '../src/config.ts';
import { parseInterval } from '../src/domain/calendar/interval.ts';
import { isTimezone } from '../src/domain/calendar/zones/zone.ts';
import { startService } from './support/api/service.ts';
import { startPgbouncer, whyNoPgbouncer } from './support/store/pgbouncer.ts';
import { runOn, startPostgres } from './support/store/postgres-server.ts';

/**
 * Blocks of the docs that are no commands: settings, configuration and code are used as they stand. Those of
 * docs/signatures.md and client/README.md have tests of their own.
 */

const ROOT = join(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** The blocks of a page in a language, or those that name none. */
function blocks(page: string, language = ''): string[] {
  return [...read(page).matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)]
    .filter(([, of]) => of === language)
    .map(([, , text]) => text!);
}

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-snippets-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('docs/errors.md shows an error as the interface answers it', async context => {
  const service = await startService();
  context.after(() => service.close());
  const [shown] = blocks('docs/errors.md', 'json');
  const client = new PunctualClient({
    baseUrl: `http://127.0.0.1:${service.port}`,
    ...service.mine,
  });
  const wrong = { interval: '60 * * * *', timezone: 'UTC' };
  await assert.rejects(client.previewTimes(wrong), { message: JSON.parse(shown!).error });
});

test('docs/from-bullmq.md: the program makes its schedule', async context => {
  const service = await startService();
  context.after(() => service.close());
  const folder = folderOf(context);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const [code] = blocks('docs/from-bullmq.md', 'ts');
  const ours = code!.replace('http://127.0.0.1:8080', `http://127.0.0.1:${service.port}`);
  const { clientId, apiKey } = service.mine;
  writeFileSync(
    join(folder, 'program.mts'),
    `const { clientId, apiKey } = ${JSON.stringify({ clientId, apiKey })};\n${ours}`,
  );
  const client = new PunctualClient({
    baseUrl: `http://127.0.0.1:${service.port}`,
    clientId,
    apiKey,
  });
  const ended = await new Promise<string>(resolve =>
    execFile(
      process.execPath,
      ['--conditions=punctual-source', join(folder, 'program.mts')],
      (error, _, stderr) => resolve(error ? stderr : ''),
    ),
  );
  assert.equal(ended, '');
  const { items } = await client.listSchedules();
  assert.deepEqual(
    items.map(({ url, interval }) => [url, interval]),
    [['https://api.example.com/cleanup', '0 * * * *']],
  );
});

test('docs/from-cron.md: the crontab and the schedule are the same', () => {
  const [crontab] = blocks('docs/from-cron.md');
  const [, interval, url] = /^((?:\S+ ){5}) *curl .* (\S+)\n$/.exec(crontab!)!;
  const [command] = blocks('docs/from-cron.md', 'sh');
  const body = JSON.parse(/-d '(.+)'/.exec(command!)![1]!);
  assert.deepEqual([body.interval, body.url], [interval!.trim(), url]);
});

test('intervals and time zones that the pages of those who come from elsewhere name are taken', () => {
  let looked = 0;
  for (const page of ['cron', 'qstash', 'eventbridge', 'bullmq'].map(
    from => `docs/from-${from}.md`,
  )) {
    const rows = read(page).replaceAll(/^\| [^|]+\|/gm, '');
    for (const [, interval] of rows.matchAll(/["`]((?:[\d*/,A-Z-]+ ){4,5}[\d*/,A-Z#-]+)["`]/g)) {
      parseInterval(interval!);
      looked += 1;
    }
    for (const [, zone] of rows.matchAll(/"timezone": ?"([^"]+)"/g)) assert.ok(isTimezone(zone!));
  }
  assert.ok(looked >= 6, `${looked} intervals`);
});

test('docs/monitoring.md: Prometheus takes the configuration, with the rules beside it', context => {
  const [text] = blocks('docs/monitoring.md', 'yaml');
  const { rule_files, scrape_configs } = parse(text!);
  assert.deepEqual([rule_files, scrape_configs[0].job_name], [['alerts.yml'], 'punctual']);
  if (spawnSync('promtool', ['--version']).status !== 0) return context.diagnostic('no promtool');
  const folder = folderOf(context);
  writeFileSync(join(folder, 'prometheus.yml'), text!);
  writeFileSync(join(folder, 'alerts.yml'), read('docs/monitoring/alerts.yml'));
  const checked = spawnSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')], {
    encoding: 'utf8',
  });
  assert.equal(checked.status, 0, checked.stderr);
});

test('docs/scaling.md: the settings are taken as they stand', () => {
  const shown = blocks('docs/scaling.md');
  for (const block of shown) {
    const settings = block
      .trim()
      .split('\n')
      .map(line => /^(\w+)=(\S+)/.exec(line)!.slice(1, 3));
    assert.deepEqual(unknownSettings(Object.fromEntries(settings)), []);
    assert.equal(readConfig(Object.fromEntries(settings)).database.kind, 'postgres');
  }
  assert.equal(shown.length, 2);
});

test('docs/scaling.md: pgBouncer starts with the settings, and lets statements through', {
  skip: whyNoPgbouncer() ?? false,
}, async context => {
  const [ini] = blocks('docs/scaling.md', 'ini');
  const [, section] = ini!.split('[pgbouncer]\n');
  const settings = Object.fromEntries(
    section!
      .trim()
      .split('\n')
      .map(line => line.split(' = ')),
  );
  assert.deepEqual(Object.keys(settings), ['pool_mode', 'default_pool_size', 'server_login_retry']);
  const postgres = await startPostgres();
  context.after(() => postgres.stop());
  const pooler = await startPgbouncer(postgres.port, settings);
  context.after(() => pooler.stop());
  const rows = await runOn(pooler.through(await postgres.createDatabase()), 'SELECT 1 AS one');
  assert.deepEqual(rows, [{ one: 1 }]);
  const told = await pooler.command('SHOW CONFIG');
  const used = Object.fromEntries(told.map(({ key, value }) => [key, value]));
  for (const [name, value] of Object.entries(settings))
    assert.equal(String(used[name as string]), value);
});
