import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { NODE_FLAGS } from '../bench/punctual.ts';
import { readConfig, SETTINGS } from '../src/config.ts';

/** The files in `deploy/`: what can be held against the code is. They are not run here. */

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, 'deploy', file), 'utf8');

/** Names that are no settings are a typing error. */
const assertSettings = (environment: Record<string, string>) => {
  const unknown = Object.keys(environment).filter(name => !Object.hasOwn(SETTINGS, name));
  assert.deepEqual(unknown, []);
  return readConfig(environment);
};

describe('deploy/compose.yaml', () => {
  const { services, volumes, configs } = parse(read('compose.yaml'));
  const { punctual, postgres, balancer } = services;

  test('sets what is a setting, and to what it may be', () => {
    const filled = Object.fromEntries(
      Object.entries(punctual.environment as Record<string, string>).map(([name, value]) => [
        name,
        value.replace(/\$\{POSTGRES_PASSWORD:\?[^}]*\}/, 'secret'),
      ]),
    );
    const { database, stopMs } = assertSettings(filled);
    const { POSTGRES_USER: user, POSTGRES_DB: name } = postgres.environment;
    assert.equal(
      database.kind === 'postgres' && database.url,
      `postgres://${user}:secret@postgres:5432/${name}`,
    );
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
    assert.ok(!content.includes('$'));
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
    const entry = /^ENTRYPOINT \["node", (.+), "\/opt\/punctual\/(.+)"\]$/m.exec(text)!;
    assert.deepEqual(JSON.parse(`[${entry[1]}]`), NODE_FLAGS);
    assert.ok(existsSync(join(ROOT, entry[2]!)));
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8'));
    assert.match(
      text,
      new RegExp(`^FROM node:${Number.parseInt(engines.node.slice(2), 10)}-slim$`, 'm'),
    );
  });
});

describe('deploy/punctual.service', () => {
  const unit = Object.fromEntries(
    [...read('punctual.service').matchAll(/^(\w+)=(.*)$/gm)].map(match => [match[1], match[2]!]),
  );

  test('starts what npm ci brings, and waits for a graceful stop', () => {
    const [node, ...rest] = unit.ExecStart!.split(' ');
    const [script, command] = rest.slice(NODE_FLAGS.length);
    assert.deepEqual(rest.slice(0, NODE_FLAGS.length), NODE_FLAGS);
    assert.equal(node, `${unit.WorkingDirectory}/node_modules/.bin/node`);
    assert.ok(existsSync(join(ROOT, script!)));
    assert.equal(command, 'serve');
    assert.ok(Number(unit.TimeoutStopSec) > Number(SETTINGS.PUNCTUAL_STOP_SECONDS.fallback));
  });

  test('its settings are settings', () => {
    const lines = read('punctual.env.example').matchAll(/^(?:# .*: )?(\w+)=(.*)$/gm);
    const given = [...lines].map(match => [match[1]!, match[2]!] as const);
    assert.ok(given.length > 4);
    assertSettings(Object.fromEntries(given.filter(([, value]) => !value.startsWith('sqlite:'))));
    for (const [name, value] of given) assertSettings({ [name]: value });
  });
});
