/** Mutations from a seed: the same seed gives the same requests, in the same order. */

export type Random = () => number;

/** mulberry32, public domain. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)]!;

const below = (random: Random, end: number) => Math.floor(random() * end);

/** JSON texts, so that what JSON.stringify would not write is there too. */
const VALUES = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '9007199254740993',
  '1E-7',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\uffff"',
  '"\u202e\u2028"',
  '"🕐"',
  '"a\\r\\nb: c"',
  '"\\u007f"',
  '"__proto__"',
  '"deleted"',
  '"disabled"',
  '"GET"',
  '"UTC"',
  '"utc"',
  '"@daily"',
  '"0 0 31 2 *"',
  '"*/7 1-5 L * 5#2"',
  '"http://127.0.0.1/"',
  '"https://example.com:0/"',
  '"https://[::ffff:10.0.0.1]/"',
  '"https://u:p@example.com/"',
  '"HTTPS://EXAMPLE.com/%zz?#"',
  '"9999-12-31T23:59:59.999Z"',
  '"2000-01-01T00:00:00Z"',
  '"at(2026-03-29T02:30:00)"',
  '"at(9999-12-31T23:59:59)"',
  '"rate(1 second)"',
  '"rate(366 days)"',
  '"rate(0 days)"',
  '"@every 90m"',
  '"* * * * * *"',
  '1000000',
  '86400',
  '"nextDay"',
  '["de"]',
  '["de","none"]',
  '["de","de"]',
  '{"punctual.owner":"x"}',
  '{"a:b":"x"}',
  '"ext:own"',
  '"-000001-01-01T00:00:00Z"',
  `"${'x'.repeat(501)}"`,
  `"${'é'.repeat(2_048)}"`,
  '[]',
  '[[]]',
  '{}',
  '{"":""}',
  '{"__proto__":"x"}',
  '{"__proto__":{"status":"deleted"}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"a":null}',
  '{"Host":"x"}',
  '{"X-A":"1","x-a":"2"}',
  '{"toString":"x","length":"1"}',
  '['.repeat(40) + ']'.repeat(40),
  'NaN',
  'undefined',
  '',
] as const;

/** What may be added to a text that was right. */
const TAILS = ['x', ' ', 'é', '/', '?', '0', '\\n', '\\u0000', '\\ud83d\\ude00', '\\ud83d', ',1'];

const KEYS = [
  'id',
  'status',
  'label',
  'policy',
  'url',
  'externalId',
  'tags',
  'body',
  'data',
  'startsAt',
  'endsAt',
  'maxRuns',
  'exclude',
  '__proto__',
  'constructor',
  'x',
  '',
  'a\u0000',
];

/** A body that is almost `value`: one to three parts of it are something else. */
export function mutatedBody(random: Random, value: unknown): Buffer {
  let text = JSON.stringify(value);
  const changes = random() < 0.7 ? 1 : 2 + below(random, 2);
  for (let change = 0; change < changes; change++) text = mutatedText(random, text);
  const bytes = Buffer.from(text);
  return random() < 0.15 ? mutatedBytes(random, bytes) : bytes;
}

function mutatedText(random: Random, text: string): string {
  const parts = [
    ...text.matchAll(/"(?:[^"\\]|\\.)*"(?!:)|true|false|null|-?\d[\d.eE+-]*|\[\]|\{\}/g),
  ];
  const part = parts.length === 0 ? null : pick(random, parts);
  const way = random();
  if (part === null || way > 0.95) return `${text}${pick(random, VALUES)}`;
  const end = part.index + part[0].length;
  const before = text.slice(0, part.index);
  if (way < 0.25 && part[0].startsWith('"'))
    return `${text.slice(0, end - 1)}${pick(random, TAILS)}${text.slice(end - 1)}`;
  if (way < 0.75) return `${before}${pick(random, VALUES)}${text.slice(end)}`;
  if (way < 0.85) {
    const key = JSON.stringify(pick(random, KEYS));
    return text.replace('{', `{${key}:${pick(random, VALUES) || '1'},`);
  }
  return before.replace(/,?"[^"]*":$/, '') + text.slice(end);
}

/** Bytes that are almost `bytes`. */
export function mutatedBytes(random: Random, bytes: Buffer): Buffer {
  const at = below(random, bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + below(random, 8));
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(end);
  switch (below(random, 6)) {
    case 0:
      return Buffer.concat([before, Buffer.from([below(random, 256)]), bytes.subarray(at + 1)]);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, bytes.subarray(at, end), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([
        before,
        Buffer.from(pick(random, TOKENS), 'latin1'),
        bytes.subarray(at),
      ]);
    case 4:
      return before;
    default:
      return Buffer.concat([bytes.subarray(at), before]);
  }
}

const TOKENS = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  '%00',
  '%',
  '\xff\xfe',
  '\xc3',
  'HTTP/1.1',
  '\r\n\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Expect: 100-continue\r\n',
  'Connection: close\r\n',
  'Upgrade: h2c\r\nConnection: upgrade\r\n',
  '0\r\n\r\n',
];
