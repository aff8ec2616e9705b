import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { PunctualClient } from '../../client/src/index.ts';
import { readConfig, unknownSettings } from '../src/config.ts';
import { checkInterval } from '../src/domain/calendar/times.ts';
import { isTimezone } from '../src/domain/calendar/zones/zone.ts';
import { judgeAddress } from '../src/domain/schedule/target.ts';
import { TEMPLATE_NAMES } from '../src/domain/schedule/template/names.ts';
import { readControlHeader } from '../src/outbound/control-header.ts';
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

test('docs/destinations.md shows a destination as it may be put', async context => {
  const service = await startService();
  context.after(() => service.close());
  const [shown] = blocks('docs/destinations.md', 'json');
  const { status, body } = await service.call('PUT', '/v1/destination/billing', { body: shown });
  assert.deepEqual([status, body.hosts], [200, JSON.parse(shown!).hosts]);
});

test('docs/retries.md shows policies that a schedule can have', async context => {
  const service = await startService();
  context.after(() => service.close());
  const shown = blocks('docs/retries.md', 'json');
  assert.equal(shown.length, 2);
  for (const text of shown) {
    const own = JSON.parse(text);
    assert.deepEqual((await service.create(own)).policy, own.policy);
  }
});

test('docs/templates.md: its body is taken and rendered, and it has each name', async context => {
  const service = await startService();
  context.after(() => service.close());
  const [text] = blocks('docs/templates.md', 'json');
  const { body } = await service.call('POST', '/v1/check', { body: JSON.parse(text!) });
  assert.deepEqual(body.problems, []);
  assert.equal(body.request.url, 'https://example.com/export?since=');
  assert.equal(JSON.parse(body.request.body).job, 'Nightly export');
  const rows = [
    ...read('docs/templates.md').matchAll(/^\| (`(?:run|schedule|previous)\.[^|]+) \|/gm),
  ];
  const named = rows.flatMap(([, names]) => names!.split(', ').map(name => name.slice(1, -1)));
  assert.deepEqual(named, TEMPLATE_NAMES);
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
      checkInterval({ interval: interval!, timezone: 'UTC' });
      looked += 1;
    }
    for (const [, interval] of read(page).matchAll(/`((?:at|rate)\([^…)]+\))`/g)) {
      checkInterval({ interval: interval!, timezone: 'UTC' });
      looked += 1;
    }
    for (const [, zone] of rows.matchAll(/"timezone": ?"([^"]+)"/g)) assert.ok(isTimezone(zone!));
  }
  assert.ok(looked >= 6, `${looked} intervals`);
});

test('docs/schedules.md and docs/calendars.md: their bodies are taken', async context => {
  const service = await startService();
  context.after(() => service.close());
  const baseUrl = `http://127.0.0.1:${service.port}`;
  const client = new PunctualClient({ baseUrl, ...service.mine });
  const bodies = blocks('docs/schedules.md', 'json').map(text => JSON.parse(text));
  assert.equal(bodies.length, 3);
  for (const body of bodies) {
    const { problems, times } = await client.checkSchedule(body);
    assert.deepEqual(problems, []);
    assert.ok(times.length > 0);
  }
  const [periods] = blocks('docs/calendars.md', 'json').map(text => JSON.parse(text));
  const { entries } = await client.putCalendar('freeze', periods);
  assert.deepEqual(entries, periods.periods);
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

test('docs/operations.md: the settings of the first internal target are taken as they stand', () => {
  const shown = blocks('docs/operations.md').filter(block =>
    block.includes('NODE_EXTRA_CA_CERTS='),
  );
  assert.equal(shown.length, 1);
  const settings = Object.fromEntries(
    shown[0]!
      .trim()
      .split('\n')
      .map(line => line.split('=')),
  );
  assert.deepEqual(Object.keys(settings), ['PUNCTUAL_ALLOW_TARGETS', 'NODE_EXTRA_CA_CERTS']);
  const { allowTargets } = readConfig(settings);
  assert.deepEqual(judgeAddress('10.1.2.3', allowTargets), { allowed: true });
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

/** A program per language that runs the block of docs/targets.md, and prints what `passes` answers to these fences. */
const FENCES = ['5', '5', '4', '6', '1780315200004', '7'];
const PASSED = 'true false false true true false';

test('docs/targets.md keeps the highest fence, in TypeScript', context => {
  const [code] = blocks('docs/targets.md', 'ts');
  const calls = FENCES.map(fence => `passes('a', '${fence}')`).join(', ');
  const told = runProgram(context, 'fence.ts', process.execPath, `${code}console.log(${calls});`);
  assert.equal(told, PASSED);
});

const whyNoPython = spawnSync('python3', ['-c', '']).status === 0 ? false : 'there is no python3';

test('docs/targets.md keeps the highest fence, in Python', { skip: whyNoPython }, context => {
  const [code] = blocks('docs/targets.md', 'python');
  const calls = FENCES.map(fence => `str(passes("a", "${fence}")).lower()`).join(', ');
  assert.equal(runProgram(context, 'fence.py', 'python3', `${code}print(${calls})`), PASSED);
});

const hasPhp = "exit(extension_loaded('pdo_sqlite') ? 0 : 1);";
const whyNoPhp =
  spawnSync('php', ['-r', hasPhp]).status === 0 ? false : 'there is no php with pdo_sqlite';

test('docs/targets.md keeps the highest fence, in PHP', { skip: whyNoPhp }, context => {
  const [code] = blocks('docs/targets.md', 'php');
  const calls = FENCES.map(fence => `passes($database, 'a', '${fence}')`).join(', ');
  const told = `echo implode(' ', array_map('json_encode', [${calls}]));`;
  assert.equal(runProgram(context, 'fence.php', 'php', code + told), PASSED);
});

/** What the blocks say of each job, and what Punctual makes of it. */
const JOBS = { running: 'again=30', overloaded: 'no-retry, pause=3600', gone: 'disable' };

test('docs/targets.md: what its programs say is obeyed', async context => {
  const [, code] = blocks('docs/targets.md', 'ts');
  const jobs = [...Object.keys(JOBS), 'done'];
  const calls = `${JSON.stringify(jobs)}.map(job => headersOf(job as never))`;
  const program = `${code}console.log(JSON.stringify(${calls}));`;
  const told = JSON.parse(runProgram(context, 'control.ts', process.execPath, program));
  assert.deepEqual(told, [...Object.values(JOBS).map(text => ({ 'Punctual-Control': text })), {}]);
  const readings = await Promise.all(Object.values(JOBS).map(readControlHeader));
  assert.deepEqual(readings, [
    { control: { againSeconds: 30 } },
    { control: { noRetry: true, pauseSeconds: 3_600 } },
    { control: { disable: true } },
  ]);
  const [go] = blocks('docs/targets.md', 'go');
  for (const [job, text] of Object.entries(JOBS)) assert.ok(go!.includes(`"${job}": "${text}"`));
});

test('docs/targets.md: its Python says the same', { skip: whyNoPython }, context => {
  const [, code] = blocks('docs/targets.md', 'python');
  const calls = [...Object.keys(JOBS), 'done'].map(job => `headers_of("${job}")`).join(', ');
  const program = `${code}import json\nprint(json.dumps([${calls}]))`;
  const told = JSON.parse(runProgram(context, 'control.py', 'python3', program));
  assert.deepEqual(told, [...Object.values(JOBS).map(text => ({ 'Punctual-Control': text })), {}]);
});

/** It answers 200, and then 410. */
async function completedBy(context: TestContext, file: string, command: string, code: string) {
  const said: string[] = [];
  const server = createServer(async (request, response) => {
    said.push(await text(request));
    response.writeHead(said.length === 1 ? 200 : 410).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const folder = folderOf(context);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/complete/x`;
  writeFileSync(join(folder, file), code.replaceAll('URL', JSON.stringify(url)));
  const { stdout } = await promisify(execFile)(command, [file], { cwd: folder });
  return { said: said.map(body => JSON.parse(body)), told: stdout.toLowerCase().trim() };
}
const COMPLETED = { said: [{ status: 'failed' }, {}], told: 'true false' };

test('docs/targets.md completes later, in TypeScript', async context => {
  const code = blocks('docs/targets.md', 'ts').at(-1)!;
  const calls = `const first = await complete(URL, { status: 'failed' });
console.log(first, await complete(URL));`;
  assert.deepEqual(
    await completedBy(context, 'complete.ts', process.execPath, `${code}${calls}`),
    COMPLETED,
  );
});

test('docs/targets.md completes later, in Python', { skip: whyNoPython }, async context => {
  const code = blocks('docs/targets.md', 'python').at(-1)!;
  const calls = 'print(complete(URL, status="failed"), complete(URL))';
  assert.deepEqual(
    await completedBy(context, 'complete.py', 'python3', `${code}${calls}`),
    COMPLETED,
  );
});

function runProgram(context: TestContext, file: string, command: string, code: string): string {
  const folder = folderOf(context);
  writeFileSync(join(folder, file), code);
  const env = { ...process.env, FENCES: join(folder, 'fences.db') };
  const { stdout, stderr } = spawnSync(command, [file], { cwd: folder, env, encoding: 'utf8' });
  assert.equal(stderr.replace(/^.*ExperimentalWarning.*\n.*--trace-warnings.*\n/m, ''), '');
  return stdout.trim();
}
