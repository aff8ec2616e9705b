import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startService } from '../../server/test/support/api/service.ts';

/** Each snippet of the README, run as a user's own program against a real service. */

const CLIENT = join(import.meta.dirname, '..');
const README = readFileSync(join(CLIENT, 'README.md'), 'utf8');
const snippets = new Map(
  [...README.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code], index) => {
    const before = README.slice(0, README.indexOf(code!));
    return [index === 0 ? 'first' : /## (.*)\n(?![\s\S]*## )/.exec(before)![1]!, code!];
  }),
);

const service = await startService();
const folder = mkdtempSync(join(tmpdir(), 'punctual-client-'));
mkdirSync(join(folder, 'node_modules/@punctual'), { recursive: true });
symlinkSync(CLIENT, join(folder, 'node_modules/@punctual/client'));
writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;

function start(name: string): { child: ChildProcess; out: () => string } {
  const code = snippets.get(name);
  assert.ok(code, `The README has no snippet under ${name}.`);
  const all =
    code.includes('client.') && name !== 'first' ? `${snippets.get('first')}\n${code}` : code;
  const file = join(folder, `${name.replace(/\W+/g, '-')}.ts`);
  writeFileSync(file, all.replace('http://127.0.0.1:8080', `http://127.0.0.1:${service.port}`));
  const { clientId, apiKey } = service.mine;
  const child = spawn(process.execPath, ['--conditions=punctual-source', file], {
    env: { CLIENT_ID: clientId, API_KEY: apiKey, SIGNING_SECRET: secret, PORT: '0' },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      text += chunk;
    });
  }
  return { child, out: () => text };
}

async function run(name: string): Promise<{ code: number; out: string }> {
  const { child, out } = start(name);
  const [code] = await once(child, 'close');
  return { code, out: out() };
}

const ran = new Set<string>();
const prints = (name: string, expected: RegExp, expectedCode = 0) =>
  test(`${name}: it runs`, { timeout: 30_000 }, async () => {
    ran.add(name);
    const { code, out } = await run(name);
    assert.match(out, expected);
    assert.equal(code, expectedCode, out);
  });

prints('first', /^[0-9a-f-]{36}\n$/);
prints('Lists', /^[0-9a-f-]{36}\n$/);
prints('Errors', /It is gone\.\n$/);
prints('Time limits, and a call that is no longer wanted', /^[0-9a-f-]{36}\n$/);
prints('Ids of your own', /\.000Z 1\n$/);
// The signal of the snippet ends it, with its reason.
prints('Events', /TimeoutError/, 1);

test('Receivers: a signed callback is taken, another one is refused', {
  timeout: 30_000,
}, async context => {
  ran.add('Receivers');
  // Port 0 is any free one; the snippet prints only that it listens.
  const code = snippets.get('Receivers')!;
  const printsPort = 'function () { console.log(this.address().port); }';
  snippets.set('Receivers', code.replace("() => console.log('listening')", printsPort));
  const { child, out } = start('Receivers');
  context.after(() => child.kill());
  while (!/^\d+\n/.test(out())) await once(child.stdout!, 'data');
  const url = `http://127.0.0.1:${parseInt(out(), 10)}`;
  const body = JSON.stringify({
    type: 'schedule.run.failed',
    data: { run: { scheduledFor: '2026-01-01T00:00:00.000Z' } },
  });
  const now = new Date();
  const headers = {
    'webhook-id': 'an-id',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('an-id', now, body),
  };
  const taken = await fetch(url, { method: 'POST', headers, body });
  assert.deepEqual([taken.status, await taken.text()], [200, 'ok']);
  const refused = await fetch(url, { method: 'POST', headers, body: `${body} ` });
  assert.equal(refused.status, 401);
  // What it prints may arrive behind its answer.
  while (!/signatureInvalid No signature fits/.test(out())) await once(child.stdout!, 'data');
  assert.match(out(), /an-id schedule\.run\.failed 2026-01-01/);
});

test('no snippet of the README is left out', () => {
  assert.deepEqual([...ran], [...snippets.keys()]);
});
