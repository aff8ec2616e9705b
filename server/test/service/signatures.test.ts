import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { PunctualClient } from '../../../client/src/index.ts';
import { sign } from '../../src/outbound/signature.ts';
import { emptyFolder } from '../support/service/command.ts';

/** Each snippet of docs/signatures.md, run on a request that the service has sent, and on others. */

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/signatures.md'), 'utf8');
const OLD_SECRET = `whsec_${Buffer.from('an old secret of 24 byte').toString('base64')}`;

/** The snippets of the chapters by language, without the commands that rotate. */
function snippet(language: string): string {
  const chapters = PAGE.slice(0, PAGE.indexOf('## Another secret'));
  const found = [
    ...chapters.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')),
  ];
  assert.equal(found.length, 1, `docs/signatures.md has ${found.length} snippets in ${language}`);
  return found[0]![1]!;
}

interface Case {
  name: string;
  secret: string;
  headers: Record<string, string>;
  body: string;
  isTaken: boolean;
}

let cases: Case[];
const folder = mkdtempSync(join(tmpdir(), 'punctual-signatures-'));
after(() => rmSync(folder, { recursive: true, force: true }));

before(async context => {
  const { newSecret, headers, body } = await firedRequest(context as TestContext);
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
  const seconds = Number(timestamp);
  const signedAt = (at: number, text = body) => ({
    ...headers,
    'webhook-timestamp': String(at),
    'webhook-signature': sign(newSecret, id!, at, text),
  });
  const good = { secret: newSecret, headers, body, isTaken: true };
  const bad = { ...good, isTaken: false };
  cases = [
    { ...good, name: 'as it came' },
    { ...good, name: 'the old secret', secret: OLD_SECRET },
    { ...good, name: 'no body', headers: signedAt(seconds, ''), body: '' },
    { ...good, name: 'line breaks at its end', headers: signedAt(seconds, '\n\n'), body: '\n\n' },
    { ...bad, name: 'another body', body: `${body} ` },
    { ...bad, name: 'another secret', secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' },
    { ...bad, name: 'another id', headers: { ...headers, 'webhook-id': `${id}0` } },
    { ...bad, name: 'too old', headers: signedAt(seconds - 400) },
    { ...bad, name: 'too new', headers: signedAt(seconds + 400) },
    { ...bad, name: 'no instant', headers: { ...headers, 'webhook-timestamp': 'soon' } },
    { ...bad, name: 'no signature', headers: { ...headers, 'webhook-signature': '' } },
    { ...bad, name: 'half a signature', headers: { ...headers, 'webhook-signature': 'v1,' } },
  ];
});

/** Sent by the service, within an overlap of two secrets. */
async function firedRequest(context: TestContext) {
  const requests: { headers: IncomingHttpHeaders; body: string }[] = [];
  const target = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    requests.push({ headers: request.headers, body });
    response.end();
    target.emit('fired');
  }).listen(0, '127.0.0.1');
  await once(target, 'listening');
  const credentials = { clientId: 'receiver-test', apiKey: 'a-key-of-more-than-twenty-characters' };
  const service = await emptyFolder(context).start(['dev'], /http:\/\/127\.0\.0\.1:\d+/, {
    PUNCTUAL_CLIENT_ID: credentials.clientId,
    PUNCTUAL_API_KEY: credentials.apiKey,
    PUNCTUAL_SIGNING_SECRET: OLD_SECRET,
  });
  const [baseUrl] = /http:\/\/127\.0\.0\.1:\d+/.exec(service.out())!;
  const client = new PunctualClient({ baseUrl, ...credentials });
  const { signingSecret: newSecret } = await client.rotateSecret({ overlapSeconds: 600 });
  const { port } = target.address() as AddressInfo;
  const { id } = await client.createSchedule({
    url: `http://127.0.0.1:${port}/hook`,
    verb: 'POST',
    interval: '@yearly',
    timezone: 'UTC',
    data: { greeting: 'Grüße ☂', quote: '\'"$(id)`\\' },
  });
  const fired = once(target, 'fired');
  await client.triggerSchedule(id);
  await fired;
  await service.stop();
  target.closeAllConnections();
  target.close();
  const [request] = requests;
  const headers = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => [
      name,
      String(request!.headers[name]),
    ]),
  );
  assert.equal(headers['webhook-signature']!.split(' ').length, 2);
  return { newSecret, headers, body: request!.body };
}

function isInstalled(command: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`]);
    return true;
  } catch {
    return false;
  }
}

/** Writes files, runs a program once for all cases, and compares what it says of each. */
async function judge(command: string, args: string[], files: Record<string, string>) {
  const place = mkdtempSync(join(folder, `${command}-`));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), text);
  }
  writeFileSync(join(place, 'cases.json'), JSON.stringify(cases));
  const env = { ...process.env, HOME: place, GOCACHE: join(place, 'cache'), GOFLAGS: '-mod=mod' };
  const out = await new Promise<string>((resolve, reject) => {
    execFile(command, args, { cwd: place, env }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}${stderr}${stdout}`)),
    );
  });
  assert.deepEqual(JSON.parse(out), Object.fromEntries(cases.map(one => [one.name, one.isTaken])));
}

const runs = (language: string, command: string, run: () => Promise<void>) =>
  test(`${language}: the snippet takes what Punctual signed, and nothing else`, async context => {
    if (isInstalled(command)) await run();
    else context.skip(`${command} is not installed.`);
  });

/** A server in JavaScript answers 200 or 401. */
async function judgeServer(language: 'ts' | 'js'): Promise<void> {
  const place = mkdtempSync(join(folder, 'server-'));
  mkdirSync(join(place, 'node_modules/@punctual'), { recursive: true });
  symlinkSync(join(ROOT, 'client'), join(place, 'node_modules/@punctual/client'));
  symlinkSync(
    join(ROOT, 'node_modules/standardwebhooks'),
    join(place, 'node_modules/standardwebhooks'),
  );
  const file = join(place, language === 'ts' ? 'receiver.mts' : 'receiver.mjs');
  writeFileSync(file, snippet(language));
  for (const secret of new Set(cases.map(one => one.secret))) {
    const port = String(await freePort());
    const env = { ...process.env, SIGNING_SECRET: secret, PORT: port };
    const child = execFile(process.execPath, ['--conditions=punctual-source', file], { env });
    try {
      for (const { name, headers, body, isTaken } of cases.filter(one => one.secret === secret)) {
        const status = await posted(`http://127.0.0.1:${port}`, headers, body);
        assert.equal(status, isTaken ? 200 : 401, name);
      }
    } finally {
      child.kill();
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Until the receiver listens. */
async function posted(url: string, headers: Record<string, string>, body: string): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const response = await fetch(url, { method: 'POST', headers, body });
      await response.text();
      return response.status;
    } catch (error) {
      if (attempt > 200) throw error;
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }
}

test('TypeScript: the snippet takes what Punctual signed, and nothing else', () =>
  judgeServer('ts'));
test("JavaScript: so does the one with the standard's library", () => judgeServer('js'));

runs('Python', 'python3', () =>
  judge('python3', ['main.py'], {
    'webhook.py': snippet('python'),
    'main.py': `
import json
from webhook import verify
cases = json.load(open("cases.json", encoding="utf-8"))
print(json.dumps({c["name"]: verify(c["secret"], c["headers"], c["body"].encode()) for c in cases}))
`,
  }),
);

runs('PHP', 'php', () =>
  judge('php', ['main.php'], {
    'webhook.php': snippet('php'),
    'main.php': `<?php
require 'webhook.php';
$said = [];
foreach (json_decode(file_get_contents('cases.json'), true) as $c) {
    $said[$c['name']] = verify($c['secret'], $c['headers'], $c['body']);
}
echo json_encode($said);
`,
  }),
);

runs('Go', 'go', () =>
  judge('go', ['run', './main'], {
    'go.mod': 'module webhook\n\ngo 1.19\n',
    'webhook.go': snippet('go'),
    'main/main.go': `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"webhook"
)

type request struct {
	Name, Secret, Body string
	Headers            map[string]string
}

func main() {
	text, _ := os.ReadFile("cases.json")
	var cases []request
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	said := map[string]bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		said[one.Name] = webhook.Verify(one.Secret, header, []byte(one.Body))
	}
	out, _ := json.Marshal(said)
	fmt.Println(string(out))
}
`,
  }),
);

runs('Shell', 'openssl', () =>
  judge('sh', ['main.sh'], {
    'webhook.sh': snippet('sh'),
    ...shellFiles(),
  }),
);

/** A shell reads no JSON: each case is a call, with its body in a file. */
function shellFiles(): Record<string, string> {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const calls = cases.map(({ name, secret, headers }, index) => {
    const words = [secret, ...Object.values(headers), `body-${index}`].map(quoted).join(' ');
    return `verify ${words} && said=true || said=false; printf '%s "${name}": %s' "$comma" $said; comma=,`;
  });
  return {
    'main.sh': ['set -u', '. ./webhook.sh', 'comma=', "printf '{'", ...calls, "printf '}'"].join(
      '\n',
    ),
    ...Object.fromEntries(cases.map(({ body }, index) => [`body-${index}`, body])),
  };
}
