import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ScheduleBody } from '../../src/domain/schedule/body.ts';
import { draftNew } from '../../src/domain/schedule/draft.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { ALLOW_PUBLIC } from '../../src/domain/schedule/target.ts';
import { TEMPLATE_NAMES, type TemplateFacts } from '../../src/domain/schedule/template/names.ts';
import { rendered } from '../../src/domain/schedule/template/render.ts';
import { buildRunRequest } from '../../src/outbound/request.ts';

/**
 * No placement and no value changes the structure of what is sent. `TEMPLATE_CASES=100000` is the long form;
 * `TEMPLATE_SEED` runs one again.
 */
const numRuns = Number(process.env.TEMPLATE_CASES ?? 2_000);
const { TEMPLATE_SEED } = process.env;
const HOW = { numRuns, ...(TEMPLATE_SEED !== undefined && { seed: Number(TEMPLATE_SEED) }) };

const NOW = Date.parse('2026-03-01T00:00:00Z');
const RUN = {
  runId: '01890a5d-ac96-774b-bcce-b302099a8057',
  scheduleId: '01890a5d-ac96-774b-bcce-b302099a8058',
  scheduledFor: NOW,
  attempt: 1,
};

/** Whatever breaks out of a place, and a few plain letters. */
const nasty = fc
  .array(
    fc.constantFrom(
      ...[
        '"',
        "'",
        '\\',
        '\\"',
        '\\u0022',
        '\r\n',
        '\n',
        '\r',
        '\t',
        '\0',
        '\u007f',
        '\u0085',
        '\u2028',
      ],
      ...[
        '&',
        '=',
        '?',
        '#',
        '/',
        '//',
        '..',
        '.',
        '%',
        '%00',
        '%2e',
        '%0d%0a',
        '+',
        ';',
        ':',
        '@',
        ',',
      ],
      ...[
        '{',
        '}',
        '{{',
        '}}',
        '{{run.id}}',
        '[',
        ']',
        '<',
        '>',
        ' ',
        'a',
        'Z',
        '0',
        'null',
        '😀',
        '\ud800',
        'č',
        'ċ',
      ],
    ),
    { maxLength: 8 },
  )
  .map(parts => parts.join(''));

const facts: fc.Arbitrary<TemplateFacts> = fc.record({
  runId: nasty,
  scheduledFor: fc.integer({ min: 0, max: 253_402_300_799_999 }),
  attempt: fc.integer({ min: 1, max: 11 }),
  trigger: nasty,
  scheduleId: nasty,
  externalId: fc.option(nasty, { nil: undefined }),
  label: nasty,
  timezone: fc.constantFrom('UTC', 'Europe/Berlin'),
  previous: fc.option(
    fc.record(
      {
        status: nasty,
        responseStatus: fc.integer(),
        scheduledFor: fc.constant(NOW),
        succeededFor: fc.constant(NOW),
      },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  ),
});

/** A text with templates, as the pieces that it is made of. */
type Pieces = ({ literal: string } | { name: (typeof TEMPLATE_NAMES)[number] })[];

const literal = (text: string) => ({ literal: text.replaceAll('{', '').replaceAll('\\', '') });
const pieces = (texts: fc.Arbitrary<string>): fc.Arbitrary<Pieces> =>
  fc.array(
    fc.oneof(
      texts.map(literal),
      fc.constantFrom(...TEMPLATE_NAMES).map(name => ({ name })),
      fc.constant({ literal: '{{' }),
    ),
    { maxLength: 5 },
  );

/** As a caller writes it. */
const written = (text: Pieces): string =>
  text
    .map(piece => ('name' in piece ? `{{${piece.name}}}` : piece.literal.replaceAll('{{', '\\{{')))
    .join('');

/** The text as it has to be read again behind all encodings. */
function meant(text: Pieces, given: TemplateFacts): string {
  return text.map(piece => ('name' in piece ? plain(piece.name, given) : piece.literal)).join('');
}

/** The value, by way of a text that nothing has to be escaped in. */
function plain(name: string, given: TemplateFacts): string {
  const parts = { url: '', delivery: { body: `{{${name}}}`, contentType: 'text/plain' } };
  return rendered(parts, given).delivery.body;
}

function sent(change: Partial<ScheduleBody>, given: TemplateFacts) {
  const drafted = draftOf(change);
  fc.pre(drafted !== null);
  return buildRunRequest(rendered(drafted!, given), {
    ...RUN,
    nowMs: NOW,
    secrets: { signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    timeoutMs: 1_000,
  });
}

/** Null where it is refused: of these a few come to dot segments by themselves. */
function draftOf(change: Partial<ScheduleBody>): Schedule | null {
  const body: ScheduleBody = {
    url: 'https://a.example/hook',
    verb: 'POST',
    interval: '@daily',
    timezone: 'UTC',
    policy: { template: true },
    ...change,
  };
  try {
    return draftNew(body, NOW, ALLOW_PUBLIC);
  } catch (error) {
    assert.match((error as Error).message, /^url: .* would be /);
    return null;
  }
}

const texts = fc.dictionary(fc.constantFrom('a', 'b', '{{x}}', '__proto__', ''), pieces(nasty), {
  maxKeys: 3,
});
const writtenAll = (all: Record<string, Pieces>) =>
  Object.fromEntries(Object.entries(all).map(([key, text]) => [key, written(text)]));
const meantAll = (all: Record<string, Pieces>, given: TemplateFacts) =>
  Object.fromEntries(Object.entries(all).map(([key, text]) => [key, meant(text, given)]));

test('data as JSON: each value is one string', () => {
  fc.assert(
    fc.property(texts, facts, (data, given) => {
      const { body } = sent({ data: writtenAll(data) }, given);
      assert.deepEqual(JSON.parse(body!), meantAll(data, given));
    }),
    HOW,
  );
});

test('data as a query or a form: each value is one parameter', () => {
  fc.assert(
    fc.property(texts, facts, (data, given) => {
      const expected = Object.entries(meantAll(data, given)).map(pair =>
        pair.map(text => text.toWellFormed()),
      );
      const { url } = sent({ verb: 'GET', data: writtenAll(data) }, given);
      assert.deepEqual([...new URL(url).searchParams], expected);
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const { body } = sent({ headers, data: writtenAll(data) }, given);
      assert.deepEqual([...new URLSearchParams(body!)], expected);
    }),
    HOW,
  );
});

test('a body that is JSON: its strings change, and nothing else', () => {
  const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      pieces(nasty).map(text => ({ text })),
      fc.constantFrom(null, true, 1.5e3, -0.1),
      fc.array(tie('tree'), { maxLength: 3 }).map(items => ({ items })),
      fc
        .dictionary(fc.constantFrom('a', 'b', '"', '__proto__'), tie('tree'))
        .map(members => ({ members })),
    ),
  }));
  fc.assert(
    fc.property(tree, facts, fc.constantFrom(undefined, 2), (root, given, indent) => {
      const body = JSON.stringify(filled(root, written), null, indent);
      const request = sent({ body }, given);
      assert.deepEqual(
        JSON.parse(request.body!),
        filled(root, text => meant(text, given)),
      );
      const skeleton = (json: string) => json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '""');
      assert.equal(skeleton(request.body!), skeleton(body));
    }),
    HOW,
  );
});

/** The value of a tree whose texts are given by `as`. */
function filled(node: unknown, as: (text: Pieces) => string): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if ('text' in node) return as(node.text as Pieces);
  if ('items' in node) return (node.items as unknown[]).map(item => filled(item, as));
  const { members } = node as { members: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [key, filled(value, as)]),
  );
}

test('a url: its host, its segments and its parameters stay as many, each with its value', () => {
  const safe = fc.constantFrom('', 'a', 'x-y', '.', '..', '~', '%41');
  const inUrl = pieces(safe).map(text =>
    text.filter(piece => !('literal' in piece && piece.literal === '{{')),
  );
  const path = fc.array(inUrl, { minLength: 1, maxLength: 3 });
  const query = fc.array(pieces(fc.constantFrom('a', '1')), { maxLength: 3 });
  fc.assert(
    fc.property(path, query, facts, (segments, parameters, given) => {
      const names = parameters.map((_, n) => `p${n}`);
      const search = parameters.map((text, n) => `p${n}=${written(text)}`).join('&');
      const url = `https://a.example:8443/${segments.map(written).join('/')}?${search}`;
      // Only a label or an external id of these could be dots, and the write knows both.
      const known = {
        label: given.label,
        runId: `r${given.runId}`,
        trigger: `t${given.trigger}`,
        scheduleId: 'id',
      };
      const own = {
        ...given,
        ...known,
        externalId: 'e',
        previous: given.previous && {
          ...given.previous,
          ...(given.previous.status !== undefined && { status: 'failed' }),
        },
      };
      const drafted = draftOf({ url, label: own.label, externalId: 'e' });
      fc.pre(drafted !== null);
      const read = new URL(sentUrl(drafted!, own));
      const bare = new URL(sentUrl(drafted!, { ...own, label: 'l' }));
      assert.equal(read.origin, 'https://a.example:8443');
      assert.equal(read.pathname.split('/').length, bare.pathname.split('/').length);
      assert.equal(read.hash, '');
      assert.deepEqual([...read.searchParams.keys()], names);
      assert.deepEqual(
        [...read.searchParams.values()],
        parameters.map(text => meant(text, own).toWellFormed()),
      );
    }),
    HOW,
  );
});

function sentUrl(schedule: Schedule, given: TemplateFacts): string {
  return rendered(schedule, given).url;
}

function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these would end a line, or a header
  return text.replace(/[\x00-\x1f\x7f]/g, '');
}

test('headers: as many as there are, each with its value on one line', () => {
  const inHeader = pieces(nasty.map(text => withoutControls(text).toWellFormed()));
  const bare = sent({}, { ...RUN, trigger: 'schedule', label: '', timezone: 'UTC' }).headers.length;
  fc.assert(
    fc.property(inHeader, inHeader, facts, (first, second, given) => {
      const all = { 'X-A': first, 'x-b': second };
      const { headers } = sent({ headers: writtenAll(all) }, given);
      assert.equal(headers.length, bare + 4);
      assert.deepEqual([headers[0], headers[2]], ['X-A', 'x-b']);
      for (const [index, text] of [first, second].entries()) {
        const value = headers[1 + 2 * index]!;
        assert.equal(withoutControls(value), value);
        const expected = withoutControls(meant(text, given)).toWellFormed();
        assert.equal(Buffer.from(value, 'latin1').toString(), expected);
      }
    }),
    HOW,
  );
});
