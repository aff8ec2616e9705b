import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readCrontab } from '../src/paste/crontab.ts';
import { inputOfLine, refusedItem } from '../src/paste/crontab-inputs.ts';
import { readFetch } from '../src/paste/fetch-call.ts';
import { readHttpFile } from '../src/paste/http-file.ts';
import { formOfPaste, readPaste } from '../src/paste/paste.ts';
import type { RequestFields, RequestResult } from '../src/paste/request-fields.ts';
import { readWget } from '../src/paste/wget.ts';

function fieldsIn(result: RequestResult): RequestFields {
  assert.ok('fields' in result, JSON.stringify(result));
  return result.fields;
}

function problemIn(result: object): string {
  assert.ok('problem' in result, JSON.stringify(result));
  return String(result.problem);
}

test('each form is known by its beginning', () => {
  for (const [text, form] of [
    ['curl https://a.example', 'curl'],
    ['  $ wget -q https://a.example', 'wget'],
    ['await fetch("https://a.example", {})', 'fetch'],
    ['const answer = await fetch("https://a.example")', 'fetch'],
    ['POST https://a.example/x HTTP/1.1\nA: b', 'http'],
    ['# a comment\n\nGET https://a.example', 'http'],
    ['*/5 * * * * curl https://a.example', 'crontab'],
    ['CRON_TZ=Europe/Berlin\n0 9 * * MON-FRI curl https://a.example', 'crontab'],
    ['https://a.example/x?y=z', 'url'],
    ['hello world', null],
    ['a b c d e f', null],
    ['', null],
  ] as const) {
    assert.equal(formOfPaste(text), form, text);
  }
});

describe('wget', () => {
  test('verb, headers, data and a user', () => {
    const { url, verb, headers, data } = fieldsIn(
      readWget(
        `wget -qO- --method=PUT --header 'X-A: b' --body-data '{"a":"1"}' --user ada --password x https://a.example`,
      ),
    );
    assert.deepEqual([url, verb, data], ['https://a.example', 'PUT', { a: '1' }]);
    assert.deepEqual(headers, { 'X-A': 'b', Authorization: `Basic ${btoa('ada:x')}` });
  });
  test('posted data is a form', () => {
    const { verb, headers, data } = fieldsIn(readWget('wget --post-data "a=b&c=d" a.example'));
    assert.deepEqual([verb, data], ['POST', { a: 'b', c: 'd' }]);
    assert.equal(headers['Content-Type'], 'application/x-www-form-urlencoded');
  });
  test('it fetches by GET, and looks by HEAD with --spider', () => {
    assert.equal(fieldsIn(readWget('wget a.example')).verb, 'GET');
    assert.equal(fieldsIn(readWget('wget --spider a.example')).verb, 'HEAD');
  });
});

describe('fetch()', () => {
  test('as a browser copies it', () => {
    const text = `fetch("https://a.example/x", {
      "headers": { "accept": "*/*", "content-type": "application/json" },
      "referrer": "https://a.example/", "body": "{\\"a\\":{\\"b\\":1}}", "method": "POST",
      "mode": "cors", "credentials": "include" });`;
    const { url, verb, headers, body, notes } = fieldsIn(readFetch(text));
    assert.deepEqual([url, verb, body], ['https://a.example/x', 'POST', '{"a":{"b":1}}']);
    assert.deepEqual(headers, { accept: '*/*', 'content-type': 'application/json' });
    assert.match(notes.join(), /Cookies of the browser/);
  });
  test('as somebody writes it', () => {
    const text = `const answer = await fetch('https://a.example/' + 'x', {
      method: 'PATCH', headers: new Headers({ Authorization: \`Bearer \${'t'}\` }),
      body: JSON.stringify({ a: 'b', 'c': "d" }),
    }).then(answer => answer.json())`;
    const { url, verb, headers, data } = fieldsIn(readFetch(text));
    assert.deepEqual([url, verb, data], ['https://a.example/x', 'PATCH', { a: 'b', c: 'd' }]);
    assert.deepEqual(headers, { Authorization: 'Bearer t' });
  });
  test('search parameters are a form', () => {
    const { data, headers } = fieldsIn(
      readFetch(
        `fetch('https://a.example', { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })`,
      ),
    );
    assert.deepEqual(data, { a: 'b c' });
    assert.equal(headers['Content-Type'], 'application/x-www-form-urlencoded');
  });
  test('a plain text is sent as it is, and is no form', () => {
    const { body, headers } = fieldsIn(
      readFetch(`fetch('https://a.example', { method: 'POST', body: 'a=b' })`),
    );
    assert.deepEqual([body, headers], ['a=b', {}]);
  });
  test('values that are not there are named', () => {
    assert.match(problemIn(readFetch('fetch(url)')), /write its values out/);
    assert.match(
      problemIn(readFetch(`fetch('https://a.example', { headers: { a: token() } })`)),
      /token\(\)/,
    );
    assert.match(problemIn(readFetch('fetch("https://a.example", {')), /no complete call/);
    assert.match(problemIn(readFetch('alert(1)')), /does not call fetch/);
    assert.match(
      problemIn(readFetch('fetch("https://a.example", {...x})')),
      /write its values out/,
    );
  });
});

describe('an HTTP file', () => {
  test('verb, url, headers and a body', () => {
    const text =
      '### first\n# a comment\nPOST https://a.example/x\n  ?a=b\n  &c=d HTTP/1.1\nX-A: b\nContent-Type: application/json\n\n{"a": [1]}\n\n### second\nGET https://b.example';
    const { url, verb, headers, body, notes } = fieldsIn(
      readHttpFile(text.replace('&c=d HTTP/1.1', '&c=d')),
    );
    assert.deepEqual([url, verb, body], ['https://a.example/x?a=b&c=d', 'POST', '{"a": [1]}']);
    assert.deepEqual(headers, { 'X-A': 'b', 'Content-Type': 'application/json' });
    assert.match(notes.join(), /first request/);
  });
  test('a path takes its host from the header', () => {
    const { url, headers } = fieldsIn(
      readHttpFile('GET /x HTTP/1.1\r\nHost: a.example\r\nA: b\r\n\r\n'),
    );
    assert.deepEqual([url, headers], ['https://a.example/x', { A: 'b' }]);
    assert.match(problemIn(readHttpFile('GET /x HTTP/1.1\n\n')), /no host/);
  });
});

describe('a crontab', () => {
  const CRONTAB = `# m h dom mon dow command
SHELL=/bin/bash
MAILTO=ops@example.com
CRON_TZ=Europe/Berlin

# Invoices
0 2 * * 1-5  curl -fsS -X POST https://a.example/invoices >/dev/null 2>&1
*/10 * * * *	root	/usr/bin/wget -qO- https://a.example/ping || true
CRON_TZ="America/New_York"
@daily curl https://a.example/day\\%2Fend
@every 90m curl https://a.example/rate
@reboot curl https://a.example/boot
5 4 * * sun /usr/local/bin/backup.sh
0 0 * * * curl https://a.example -d @- %hello
0 0 * * * curl https://a.example | jq .
nonsense here
`;
  const lines = readCrontab(CRONTAB);
  test('lines with a request have their interval, time zone and label', () => {
    const found = lines.filter(line => line.fields !== undefined);
    assert.deepEqual(
      found.map(({ number, interval, timezone, label, fields }) => [
        number,
        interval,
        timezone,
        label,
        fields!.verb,
        fields!.url,
      ]),
      [
        [7, '0 2 * * 1-5', 'Europe/Berlin', 'Invoices', 'POST', 'https://a.example/invoices'],
        [8, '*/10 * * * *', 'Europe/Berlin', 'GET a.example/ping', 'GET', 'https://a.example/ping'],
        [
          10,
          '@daily',
          'America/New_York',
          'GET a.example/day%2Fend',
          'GET',
          'https://a.example/day%2Fend',
        ],
        [
          11,
          'rate(90 minutes)',
          'America/New_York',
          'GET a.example/rate',
          'GET',
          'https://a.example/rate',
        ],
      ],
    );
  });
  test('each other line says why it becomes none', () => {
    const problems = new Map(
      lines.filter(({ problem }) => problem).map(({ number, problem }) => [number, problem]),
    );
    assert.match(problems.get(12)!, /such as @reboot/);
    assert.match(problems.get(13)!, /runs a command/);
    assert.match(problems.get(14)!, /input after a %/);
    assert.match(problems.get(15)!, /more of the shell/);
    assert.match(problems.get(16)!, /no line of a crontab/);
    assert.equal(problems.size, 5);
  });
  test('one line alone fills the form in', async () => {
    const pasted = await readPaste('0 9 * * * curl https://a.example/x');
    assert.ok('fields' in pasted);
    assert.deepEqual([pasted.interval, pasted.fields.url], ['0 9 * * *', 'https://a.example/x']);
    assert.match(problemIn(await readPaste('0 9 * * * rm -rf /')), /runs a command/);
  });
});

test('whatever is pasted is read or refused in a sentence', async () => {
  const piece = fc.constantFrom(
    'curl ',
    'wget ',
    'fetch(',
    'https://a.example',
    '* * * * * ',
    '{',
    '}',
    '"',
    "'",
    '\\',
    '\n',
    '%',
    '$(',
    ')',
    ' -d ',
    'GET ',
    'CRON_TZ=',
    '@every ',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(piece, fc.string({ maxLength: 8 })), { maxLength: 20 }),
      async parts => {
        const pasted = await readPaste(parts.join(''));
        if ('problem' in pasted) assert.match(pasted.problem, /^[A-Z].*\.$/s);
        else if ('crontab' in pasted)
          for (const line of pasted.crontab) assert.ok(line.fields ?? line.problem);
        else assert.ok(pasted.fields.url !== '');
      },
    ),
    { numRuns: 3_000 },
  );
});

test('a line becomes the input of a schedule, in the time zone of its crontab or the one that is chosen', () => {
  const lines = readCrontab(`0 9 * * * curl https://a.example -H 'A: b' -d '[1]' -X POST
CRON_TZ=Asia/Tokyo
@daily curl https://b.example
* * * * * ls`);
  assert.deepEqual(
    lines.map(line => inputOfLine(line, 'Europe/Berlin')),
    [
      {
        label: 'POST a.example/',
        url: 'https://a.example',
        verb: 'POST',
        interval: '0 9 * * *',
        timezone: 'Europe/Berlin',
        headers: { A: 'b' },
        body: '[1]',
      },
      {
        label: 'GET b.example/',
        url: 'https://b.example',
        verb: 'GET',
        interval: '@daily',
        timezone: 'Asia/Tokyo',
      },
      null,
    ],
  );
});

test('a refusal of a batch names one of its items', () => {
  assert.deepEqual(refusedItem('items[3]: The interval is empty.'), {
    index: 3,
    sentence: 'The interval is empty.',
  });
  assert.equal(refusedItem('The body is too large.'), null);
});
