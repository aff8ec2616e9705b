import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { PunctualClient } from '../../../client/src/index.ts';
import { emptyFolder, type Running, urlOf } from '../support/service/command.ts';

const CREDENTIALS = { PUNCTUAL_CLIENT_ID: 'ada', PUNCTUAL_API_KEY: 'the-key-of-ada-lovelace' };
const HEADERS = {
  ClientId: 'ada',
  ApiKey: 'the-key-of-ada-lovelace',
  'Content-Type': 'application/json',
};

// biome-ignore lint/suspicious/noExplicitAny: whatever was answered
async function json(response: Response): Promise<any> {
  return response.json();
}

interface Arrival {
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** A target on loopback that keeps what arrives. */
async function target(context: { after(end: () => void): void }) {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    arrivals.push({ headers: request.headers, body });
    response.end('ok');
    server.emit('arrival');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const arrival = async (count: number) => {
    while (arrivals.length < count) await once(server, 'arrival');
    return arrivals[count - 1]!;
  };
  return { url, arrival };
}

function schedule(url: string) {
  return JSON.stringify({
    url,
    verb: 'POST',
    interval: '* * * * * *',
    timezone: 'UTC',
    headers: { Authorization: 'Bearer of-the-target' },
    data: { hello: 'world' },
  });
}

/** Two starts on one database: one that fires, and the next one, a while later and with another key. */
describe('punctual serve, and the next start', () => {
  const folder = emptyFolder({ after });
  const listening = target({ after });
  const environment = { ...CREDENTIALS, PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8' };
  const changed = { ...environment, PUNCTUAL_API_KEY: 'another-key-of-ada-lovelace' };
  let made: { id: string };
  let fired: Arrival;
  let first: Running;
  let second: Running;

  before(async () => {
    const { url: hook, arrival } = await listening;
    first = await folder.start(['serve'], /"url":"/, {
      ...environment,
      PUNCTUAL_LOG_LEVEL: 'trace',
    });
    const url = `${urlOf(first.out())}/v1/schedule`;
    const policy = { catchUpSeconds: 0, maxRetries: 0 };
    const body = JSON.stringify({ ...JSON.parse(schedule(hook)), policy });
    const post = { method: 'POST', headers: HEADERS, body };
    made = await json(await fetch(url, post));
    await fetch(url, { ...post, body: '{"url":' });
    fired = await arrival(1);
    assert.equal(await first.stop(), 0);
    await new Promise(resolve => setTimeout(resolve, 1_500));
    // The service may say either of them first.
    const both =
      /(time was|times were) missed"[\s\S]*"url":"|"url":"[\s\S]*(time was|times were) missed"/;
    second = await folder.start(['serve'], both, changed);
  });

  test('a schedule made over HTTP fires, and its run stands in history', async () => {
    assert.deepEqual(JSON.parse(fired.body), { hello: 'world' });
    assert.equal(fired.headers['punctual-schedule-id'], made.id);
    assert.equal(fired.headers['punctual-attempt'], '1');
    const id = fired.headers['webhook-id'];
    const url = `${urlOf(second.out())}/v1/run/${id}`;
    assert.equal((await json(await fetch(url, { headers: HEADERS }))).id, id);
  });

  test('no secret stands in the logs, at any level', () => {
    for (const secret of ['the-key-of-ada-lovelace', 'of-the-target', 'whsec_']) {
      assert.ok(!(first.out() + first.err()).includes(secret), `${secret} stands in the logs`);
    }
    for (const line of first.out().trim().split('\n')) JSON.parse(line);
  });

  test('what was missed while it was down is counted, and told in the log', async () => {
    const metrics = await (await fetch(`${urlOf(second.out())}/metrics`)).text();
    const [, missed] = /^punctual_runs_total\{status="missed"\} (\d+)$/m.exec(metrics)!;
    assert.ok(Number(missed) >= 1);
    assert.match(metrics, /^punctual_engine_running 1$/m);
    assert.match(metrics, /^punctual_schedules\{status="enabled"\} 1$/m);
    assert.match(metrics, /^punctual_disk_free_bytes [1-9]/m);
    assert.match(
      metrics,
      /^punctual_http_requests_total\{method="GET",route="\/v1\/run",status="401"\} 0$/m,
    );
    assert.doesNotMatch(metrics, /punctual_listening|punctual_database_connections/);
  });

  // It ends the service, so it is the last one.
  test('a changed PUNCTUAL_API_KEY names the key of before, which works until it is revoked', async () => {
    assert.doesNotMatch(first.out(), /earlier value/);
    const line = second.out().match(/^.*earlier value of PUNCTUAL_API_KEY.*$/m)![0];
    const { keyId, level } = JSON.parse(line);
    assert.equal(level, 'warn');
    const statusOf = async (service: Running) =>
      (await fetch(`${urlOf(service.out())}/v1/run`, { headers: HEADERS })).status;
    assert.equal(await statusOf(second), 200);
    const { code } = await folder.run(['key', 'revoke', keyId]);
    assert.equal(code, 0);
    assert.equal(await second.stop(), 0);
    const third = await folder.start(['serve'], /"url":"/, changed);
    assert.doesNotMatch(third.out(), /earlier value/);
    assert.equal(await statusOf(third), 401);
    await third.stop();
  });
});

describe('punctual serve', () => {
  test('a wrong setting, and a database that cannot be opened, end the start with one sentence', async context => {
    const wrong: [Record<string, string>, RegExp][] = [
      [{ PORT: '65536' }, /^PORT must be a whole number from 0 to 65535, not "65536"\.$/],
      [{ DATABASE_URL: 'sqlite:/dev/null/x.db' }, /cannot be opened/],
    ];
    for (const [environment, sentence] of wrong) {
      const { code, err } = await emptyFolder(context).run(['serve'], environment);
      assert.equal(code, 1);
      assert.match(err.trim(), sentence);
      assert.equal(err.trim().split('\n').length, 1, err);
    }
  });
});

describe('a service that nobody has set up further', () => {
  const proxy = 'http://user:hunter2@10.0.0.9:3128';
  const proxies = { HTTPS_PROXY: proxy, http_proxy: proxy, NO_PROXY: '10.0.0.1', ALL_PROXY: '' };
  const folder = emptyFolder({ after });
  let service: Running;
  before(async () => {
    const environment = { ...CREDENTIALS, PUNCTUAL_ALOW_TARGETS: '*', ...proxies };
    service = await folder.start(['serve'], /"url":"/, environment);
  });

  test('private targets are refused unless the setting opens them', async () => {
    const post = { method: 'POST', headers: HEADERS, body: schedule('http://127.0.0.1:9/') };
    const response = await fetch(`${urlOf(service.out())}/v1/schedule`, post);
    assert.equal(response.status, 400);
    assert.match((await json(response)).error, /PUNCTUAL_ALLOW_TARGETS/);
  });

  test('health, readiness and metrics answer without a key', async () => {
    const base = urlOf(service.out());
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/timezones']) {
      assert.equal((await fetch(base + path)).status, 200, path);
    }
    const metrics = await (await fetch(`${base}/metrics`)).text();
    for (const name of ['lateness_seconds', 'queue_depth', 'in_flight', 'settle_seconds']) {
      assert.match(metrics, new RegExp(`^punctual_${name}`, 'm'));
    }
  });

  test('the log begins with the version and the settings, and no secret', async () => {
    const [first] = service.out().split('\n');
    const { msg, version, node, settings } = JSON.parse(first!);
    assert.deepEqual([msg, node], ['starting', process.version]);
    assert.match(version, /^\d+\.\d+\.\d+/);
    assert.equal(settings.PUNCTUAL_CLIENT_ID, 'ada');
    assert.equal(settings.PUNCTUAL_API_KEY, 'set');
    assert.equal(settings.PUNCTUAL_LOG_LEVEL, 'info');
    assert.ok(!service.out().includes(CREDENTIALS.PUNCTUAL_API_KEY));
  });

  test('a second engine on the same database is refused with a sentence', async () => {
    const { code, err } = await folder.run(['serve']);
    assert.equal(code, 1);
    assert.match(err, /^Another Punctual is already running on the database/);
  });

  test('a name that looks like a setting and is none is warned about, and a proxy once', async () => {
    assert.match(service.out(), /PUNCTUAL_ALOW_TARGETS.*no setting of Punctual/);
    const told = service
      .out()
      .split('\n')
      .filter(line => line.includes('go out directly'));
    assert.equal(told.length, 1);
    assert.match(told[0]!, /"level":"warn".*"names":\["HTTPS_PROXY","http_proxy"\]/);
    assert.doesNotMatch(service.out(), /hunter2/);
  });

  // It ends the service, so it is the last one.
  test('a request that never ends, with or without a key, does not hold up the end', async context => {
    const { port, hostname } = new URL(urlOf(service.out()));
    const halves = [
      'GET / HTTP/1.1\r\nHo',
      `POST /v1/schedule HTTP/1.1\r\nHost: a\r\nClientId: ada\r\nApiKey: the-key-of-ada-lovelace\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    ];
    for (const half of halves) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      context.after(() => socket.destroy());
      await new Promise(resolve => socket.write(half, resolve));
    }
    assert.equal(await service.stop(), 0);
  });
});

/** Two starts in one folder: one for a program, and the next one for people. */
describe('punctual dev', () => {
  const folder = emptyFolder({ after });
  let printed: { url: string; clientId: string; apiKey: string };
  let service: Running;

  test('a schedule made as it says fires at /echo within seconds', async () => {
    const first = await folder.start(['dev', '--json'], /\}\n/);
    printed = JSON.parse(first.out());
    const { url, clientId, apiKey } = printed;
    const headers = { ClientId: clientId, ApiKey: apiKey, 'Content-Type': 'application/json' };
    const body = schedule(`${url}/echo`);
    await fetch(`${url}/v1/schedule`, { method: 'POST', headers, body });
    let runs: { status: string; id: string }[] = [];
    while (!runs.some(run => run.status === 'succeeded')) {
      await new Promise(resolve => setTimeout(resolve, 100));
      runs = (await json(await fetch(`${url}/v1/run`, { headers }))).items;
      assert.ok(!runs.some(run => run.status === 'failed'), JSON.stringify(runs));
    }
    const ended = runs.find(run => run.status === 'succeeded')!;
    const run = await json(await fetch(`${url}/v1/run/${ended.id}`, { headers }));
    assert.deepEqual(JSON.parse(run.attempts[0].responseBody).body, '{"hello":"world"}');
    assert.equal(await first.stop(), 0);
  });

  test('the next start keeps client and key', async () => {
    service = await folder.start(['dev'], /Ctrl\+C/);
    const [, clientId] = /ClientId: (\S+)/.exec(service.out())!;
    const [, apiKey] = /ApiKey: +(\S+)/.exec(service.out())!;
    assert.deepEqual([clientId, apiKey], [printed.clientId, printed.apiKey]);
  });

  test('it prints credentials and two commands to paste', async () => {
    assert.match(service.out(), /curl -s http:\/\/127\.0\.0\.1:\d+\/v1\/schedule/);
    assert.match(service.out(), /curl -s http:\/\/127\.0\.0\.1:\d+\/v1\/run/);
  });

  test('each firing is a line, without its query', async () => {
    const [, url] = /listens on (\S+) /.exec(service.out())!;
    const { clientId, apiKey } = printed;
    const client = new PunctualClient({ baseUrl: url!, clientId, apiKey });
    const schedule = { verb: 'POST' as const, interval: '* * * * * *', timezone: 'UTC' };
    await client.createSchedule({ ...schedule, url: `${url}/echo?token=hidden` });
    await client.createSchedule({ ...schedule, url: `${url}/nowhere` });
    const lines = [
      /^\d\d:\d\d:\d\d\.\d{3} {2}POST {2}http:\/\/127\.0\.0\.1:\d+\/echo {2}200 {2}\d+ ms {2}\(\d+ ms late\)$/m,
      /^\d\d:\d\d:\d\d\.\d{3} {2}POST {2}http:\/\/127\.0\.0\.1:\d+\/nowhere {2}404 {2}\d+ ms {2}\(\d+ ms late\)$/m,
    ];
    while (!lines.every(line => line.test(service.out())))
      await once(service.child.stdout!, 'data');
    assert.ok(!service.out().includes('hidden'));
  });

  test('its link signs in once', async () => {
    const [, url, token] = /(http:\/\/127\.0\.0\.1:\d+)\/#sign-in=(\S+)/.exec(service.out())!;
    const open = () =>
      fetch(`${url}/sign-in`, { method: 'POST', headers: { 'Punctual-Sign-In': token! } });
    const wrong = await fetch(`${url}/sign-in`, {
      method: 'POST',
      headers: { 'Punctual-Sign-In': 'x' },
    });
    assert.equal(wrong.status, 401);
    const first = await open();
    assert.equal(first.status, 200);
    const [cookie] = first.headers.getSetCookie();
    assert.match(cookie!, /HttpOnly; SameSite=Strict/);
    const headers = { Cookie: cookie!.split(';')[0]!, 'Punctual-Session': '1' };
    const session = await fetch(`${url}/v1/session`, { headers });
    assert.deepEqual([session.status, await session.json()], [200, await first.json()]);
    const again = await open();
    assert.equal(again.status, 401);
    assert.match(
      ((await again.json()) as { error: string }).error,
      /has signed in once, or is too old/,
    );
  });
});
