import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCurl } from '../src/paste/curl.ts';
import type { RequestFields } from '../src/paste/request-fields.ts';
import { shellWords } from '../src/paste/shell-words.ts';

function fields(command: string): RequestFields {
  const result = readCurl(command);
  assert.ok('fields' in result, JSON.stringify(result));
  return result.fields;
}

function problem(command: string): string {
  const result = readCurl(command);
  assert.ok('problem' in result, JSON.stringify(result));
  return result.problem;
}

test('url, verb, headers and a JSON body', () => {
  assert.deepEqual(
    fields(`$ curl -X put 'https://a.example/b?c=d' \\
      -H "X-Token: a 'b'" --header='Accept:text/plain' -d '{"a":"1","b":"x y"}'`),
    {
      url: 'https://a.example/b?c=d',
      verb: 'PUT',
      headers: { 'X-Token': "a 'b'", Accept: 'text/plain' },
      data: { a: '1', b: 'x y' },
      notes: [],
    },
  );
});

test('a body makes it a POST, unless it is a query', () => {
  assert.equal(fields('curl example.com').verb, 'GET');
  assert.equal(fields('curl example.com -d a=b').verb, 'POST');
  assert.equal(fields('curl -G example.com -d a=b').verb, 'GET');
  assert.equal(fields('curl -I example.com').verb, 'HEAD');
});

test('a form is said to be one, and its parts come together', () => {
  const { headers, data } = fields('curl example.com -d a=b -d "d=e%20f" --data-urlencode g=h+i');
  assert.deepEqual(data, { a: 'b', d: 'e f', g: 'h+i' });
  assert.equal(headers['Content-Type'], 'application/x-www-form-urlencoded');
});

test('nested JSON, a list, a repeated name and plain text are sent letter by letter', () => {
  const nested = '{"invoice": {"id": 7}, "paid": true}';
  const invoice = fields(`curl example.com --json '${nested}'`);
  assert.deepEqual([invoice.data, invoice.body, invoice.notes], [{}, nested, []]);
  assert.equal(invoice.headers['Content-Type'], undefined, 'the service says that it is JSON');
  assert.equal(fields(`curl example.com -d '[1]'`).body, '[1]');
  const repeated = fields('curl example.com -d a=b -d "a=c&d=e%20f"');
  assert.deepEqual([repeated.data, repeated.body], [{}, 'a=b&a=c&d=e%20f']);
  const text = fields('curl -X PUT example.com -d "just text"');
  assert.deepEqual([text.verb, text.body], ['PUT', 'just text']);
  for (const { headers } of [repeated, text]) {
    assert.equal(headers['Content-Type'], 'application/x-www-form-urlencoded', 'as cURL sends it');
  }
  const typed = fields('curl example.com -H "content-type: text/csv" -d "a,b"');
  assert.deepEqual([typed.headers, typed.body], [{ 'content-type': 'text/csv' }, 'a,b']);
});

test('text to encode is encoded, and its name is taken as it is', () => {
  const bodyOf = (text: string) => fields(`curl example.com --data-urlencode '${text}'`).body;
  assert.equal(bodyOf('a b'), 'a%20b');
  assert.equal(bodyOf('=a b'), 'a%20b');
  const named = fields(`curl example.com --data-urlencode 'a%5Bb%5D=c=@d'`);
  assert.deepEqual(named.data, { 'a[b]': 'c=@d' });
  const file = fields(`curl example.com --data-urlencode 'name@file'`);
  assert.deepEqual([file.data, file.notes], [{}, ['Data read from a file is left out.']]);
});

test('raw data that begins with @ is no file', () => {
  const raw = fields(`curl example.com --data-raw '@all: lunch'`);
  assert.deepEqual([raw.body, raw.notes], ['@all: lunch', []]);
});

test('an empty header is written with a semicolon', () => {
  const { headers, notes } = fields(`curl example.com -H 'X-Empty;'`);
  assert.deepEqual([headers, notes], [{ 'X-Empty': '' }, []]);
});

test('short options in one word, a user, a cookie', () => {
  const { headers, verb } = fields('curl -sSLXDELETE -u ada:p\u00e4ss -b a=b https://example.com');
  assert.equal(verb, 'DELETE');
  assert.equal(headers.Authorization, `Basic ${Buffer.from('ada:p\u00e4ss').toString('base64')}`);
  assert.equal(headers.Cookie, 'a=b');
});

test('what a schedule cannot say is told', () => {
  const told = (command: string) => fields(command).notes.join(' ');
  assert.match(told('curl -k example.com'), /Certificates are always checked/);
  assert.match(told('curl -L example.com'), /Redirects are not followed/);
  assert.match(told('curl example.com -F file=@x'), /multipart/);
  assert.match(told('curl example.com -d @file'), /read from a file/);
  assert.match(told('curl -X DELETE example.com -d "just text"'), /a DELETE request has none/);
  assert.match(told('curl example.com -H "Host: x"'), /Host is set by the service/);
  assert.match(told('curl example.com other.example'), /Only the first url/);
});

test('what is no cURL command has a sentence', () => {
  assert.match(problem('wget example.com'), /does not begin with curl/);
  assert.match(problem(''), /does not begin with curl/);
  assert.match(problem('curl'), /no url/);
  assert.match(problem('curl -X'), /option -X has no value/);
  assert.match(problem('curl example.com | sh'), /more of the shell/);
  assert.match(problem('curl -X BREW example.com'), /BREW cannot be used/);
});

/** As POSIX has it: all but the quote itself stands for itself. */
const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

test('words as the shell splits them', () => {
  assert.deepEqual(shellWords(`a 'b c'"d \\"e\\" \\x"\\ f  g`), ['a', 'b cd "e" \\x f', 'g']);
  assert.deepEqual(shellWords(`$'a\\n\\u00e4\\'\\x41' ''`), ["a\n\u00e4'A", '']);
  assert.deepEqual(shellWords('a\\\n b "c\\\nd"'), ['a', 'b', 'cd']);
  for (const more of [
    'a $b',
    'a "$b"',
    'a `b`',
    'a | b',
    'a > b',
    'a; b',
    'a &',
    '"a',
    "'a",
    'a $(b)',
  ]) {
    assert.equal(shellWords(more), null, more);
  }
  assert.deepEqual(shellWords('a $ "$" 5$'), ['a', '$', '$', '5$']);
});

test('whatever is quoted for the shell is read back', () => {
  const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/);
  const text = fc.string({ maxLength: 30 }).filter(value => !/[\0\r\n]/.test(value));
  fc.assert(
    fc.property(
      fc.dictionary(token, text),
      fc.dictionary(token, text, { minKeys: 1 }),
      fc.constantFrom('POST', 'PUT', 'PATCH'),
      (headers, data, verb) => {
        const names = Object.keys(headers).map(name => name.toLowerCase());
        fc.pre(new Set(names).size === names.length);
        fc.pre(!names.some(name => /^(host|content-length|connection)$/.test(name)));
        const words = [
          'curl',
          '-X',
          verb,
          'https://example.com/',
          '--data-raw',
          JSON.stringify(data),
        ];
        for (const [name, value] of Object.entries(headers)) words.push('-H', `${name}: ${value}`);
        const read = fields(words.map(quoted).join(' '));
        assert.equal(read.verb, verb);
        assert.deepEqual(read.data, { ...data });
        for (const [name, value] of Object.entries(headers)) {
          assert.equal(read.headers[name], value.trim());
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('anything at all has an answer', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      ' -d ',
      ' -H ',
      ' "',
      "'",
      ' $x ',
      ' `ls` ',
      '\\',
      ' -',
      ' --=',
      ' https://a ',
      ' $(',
      '\n',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      const result = readCurl(`curl ${pieces.join('')}`);
      assert.ok('fields' in result || result.problem.length > 0);
    }),
    { numRuns: 2_000 },
  );
});
