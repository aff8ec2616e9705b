import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScheduleBody } from '../../src/domain/schedule/body.ts';
import { draftNew, draftPatch, draftReplacement } from '../../src/domain/schedule/draft.ts';
import { problemsOf } from '../../src/domain/schedule/problems.ts';
import { NO_REFERENCES } from '../../src/domain/schedule/references.ts';
import { ALLOW_PUBLIC } from '../../src/domain/schedule/target.ts';
import {
  type PreviousRun,
  TEMPLATE_NAMES,
  templateFactsOf,
} from '../../src/domain/schedule/template/names.ts';
import { parseTemplate } from '../../src/domain/schedule/template/parse.ts';
import { rendered } from '../../src/domain/schedule/template/render.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const BODY: ScheduleBody = {
  url: 'https://a.example/hook',
  verb: 'POST',
  interval: '30 2 * * *',
  timezone: 'Europe/Berlin',
  label: 'Nightly "sync"',
  externalId: 'sync:4711',
  policy: { template: true },
};
const RUN = {
  runId: '01890a5d-ac96-774b-bcce-b302099a8057',
  // The spring gap of Berlin: 02:30 does not exist.
  scheduledFor: Date.parse('2026-03-29T01:00:00.999Z'),
  attempt: 2,
  trigger: 'schedule',
};
const PREVIOUS: PreviousRun = {
  status: 'failed',
  scheduledFor: Date.parse('2026-03-28T01:30:00Z'),
  responseStatus: 503,
  succeededFor: Date.parse('2026-03-27T01:30:00Z'),
};

const drafted = (change: Partial<ScheduleBody>) =>
  draftNew({ ...BODY, ...change }, NOW, ALLOW_PUBLIC);

function sent(change: Partial<ScheduleBody>, previous?: PreviousRun, run = RUN) {
  const schedule = drafted(change);
  return rendered(schedule, templateFactsOf(schedule, { ...run, previous }));
}

function refusal(change: Partial<ScheduleBody>): string {
  let message = '';
  assert.throws(
    () => drafted(change),
    (error: Error & { code: string }) => {
      message = error.message;
      return error.code === 'template_invalid';
    },
  );
  return message;
}

describe('the names', () => {
  const all = Object.fromEntries(TEMPLATE_NAMES.map(name => [name, `{{${name}}}`]));

  test('each has its value', () => {
    const { id, data } = sent({ data: all }, PREVIOUS);
    assert.deepEqual(data, {
      'run.id': RUN.runId,
      'run.scheduledFor': '2026-03-29T01:00:00.999Z',
      'run.unix': '1774746000',
      'run.localDate': '2026-03-29',
      'run.localTime': '03:00:00',
      'run.attempt': '2',
      'run.trigger': 'schedule',
      'schedule.id': id,
      'schedule.externalId': 'sync:4711',
      'schedule.label': 'Nightly "sync"',
      'previous.status': 'failed',
      'previous.scheduledFor': '2026-03-28T01:30:00.000Z',
      'previous.responseStatus': '503',
      'previous.succeededFor': '2026-03-27T01:30:00.000Z',
    });
  });

  test('a fact that is absent is an empty text', () => {
    const { externalId: _, label: __, ...bare } = BODY;
    const schedule = draftNew({ ...bare, data: all }, NOW, ALLOW_PUBLIC);
    const { data } = rendered(schedule, templateFactsOf(schedule, RUN));
    const empty = Object.entries(data!).filter(([, value]) => value === '');
    assert.deepEqual(
      empty.map(([name]) => name),
      TEMPLATE_NAMES.filter(name => /^previous|externalId|label/.test(name)),
    );
  });

  test('the local date and time follow the zone, also far from UTC', () => {
    const texts = { data: { at: '{{run.localDate}} {{run.localTime}}' } };
    const at = (timezone: string, instant: string) =>
      sent({ ...texts, timezone }, undefined, { ...RUN, scheduledFor: Date.parse(instant) }).data!
        .at;
    assert.equal(at('Pacific/Kiritimati', '2026-12-31T12:30:00Z'), '2027-01-01 02:30:00');
    assert.equal(at('America/New_York', '2026-01-01T03:00:00Z'), '2025-12-31 22:00:00');
    assert.equal(at('Asia/Kathmandu', '2026-01-01T00:00:00Z'), '2026-01-01 05:45:00');
  });

  test('any other name is a 400 that names it, where it stands, and the names that there are', () => {
    const places: [Partial<ScheduleBody>, string][] = [
      [{ data: { a: 'x {{run.ids}}' } }, 'data, "a"'],
      [{ headers: { 'X-A': '{{run.ids}}' } }, 'headers, "X-A"'],
      [{ body: 'x {{run.ids}}' }, 'body'],
      [{ body: '{"a": ["{{run.ids}}"]}' }, 'body'],
      [{ url: 'https://a.example/{{run.ids}}' }, 'url'],
      [{ url: 'https://a.example/?a={{run.ids}}' }, 'url'],
    ];
    const names = `The names are ${TEMPLATE_NAMES.join(', ')}.`;
    for (const [change, where] of places) {
      const sentence = `${where}: "run.ids" is not a name of a template. ${names}`;
      assert.equal(refusal(change), sentence);
      const around = { allow: ALLOW_PUBLIC, now: NOW, references: NO_REFERENCES };
      const [field] = where.split(',');
      assert.deepEqual(problemsOf({ ...BODY, ...change }, around), [{ where: field, sentence }]);
    }
    for (const name of ['', 'Run.id', 'toString', '__proto__', 'constructor', 'run', 'secret']) {
      assert.match(refusal({ data: { a: `{{${name}}}` } }), /is not a name of a template/);
    }
  });
});

describe('the braces', () => {
  test('blanks beside a name count for nothing', () => {
    assert.equal(sent({ data: { a: '{{ run.attempt }}{{\trun.attempt}}' } }).data!.a, '22');
  });

  test('a backslash makes them a text', () => {
    const { data } = sent({
      data: { a: String.raw`\{{run.id}} \\{{x}} {{run.attempt}} } }} { {a}` },
    });
    assert.equal(data!.a, String.raw`{{run.id}} \{{x}} 2 } }} { {a}`);
    assert.equal(sent({ body: String.raw`a \{{b}}` }).delivery!.body, 'a {{b}}');
    assert.equal(sent({ body: String.raw`{"a":"\\{{b}}"}` }).delivery!.body, '{"a":"{{b}}"}');
    const { url } = sent({ url: String.raw`https://a.example/?a=\{{b}}` });
    assert.equal(url, 'https://a.example/?a={{b}}');
  });

  test('braces that are not closed are a 400', () => {
    assert.match(refusal({ data: { a: '{{run.id' } }), /^data, "a": {{ is not closed by }}/);
    assert.match(refusal({ body: '{{run.id}} {{' }), /^body: {{ is not closed/);
    assert.match(refusal({ data: { a: '{{{run.id}}}' } }), /"{run.id" is not a name/);
  });

  test('a long text of braces is read once', () => {
    assert.deepEqual(parseTemplate('{{'.repeat(500_000)), [{ name: null }]);
    assert.equal(parseTemplate('{{a}}'.repeat(100_000)).length, 100_000);
  });

  test('a value with braces is not a template', () => {
    assert.equal(
      sent({ label: '{{run.id}}', data: { a: '{{schedule.label}}' } }).data!.a,
      '{{run.id}}',
    );
  });

  test('without policy.template they stay what they are', () => {
    const raw = {
      headers: { 'X-A': '{{nothing}}' },
      data: { a: '{{run.id' },
      url: 'https://a.example/{{b}}',
    };
    for (const policy of [undefined, {}, { template: false }]) {
      const schedule = draftNew({ ...BODY, policy: policy!, ...raw }, NOW, ALLOW_PUBLIC);
      assert.deepEqual([schedule.headers, schedule.data, schedule.url], Object.values(raw));
    }
  });
});

describe('the places', () => {
  const label = '"a" & b/ü\r\nX: 1\u0000\u007f';

  test('in data the value is a text', () => {
    assert.deepEqual(sent({ label, data: { a: '<{{schedule.label}}>' } }).data, {
      a: `<${label}>`,
    });
  });

  test('keys of data and names of headers are no place for a template', () => {
    const { data } = sent({ data: { '{{run.id}}': '1' } });
    assert.deepEqual(data, { '{{run.id}}': '1' });
  });

  test('in a body that is JSON it is escaped, and all else stays as it is written', () => {
    const body = String.raw`{ "a" : 1.0, "b":["{{schedule.label}}", "\u00e4", "\u007b{run.attempt}}"] }`;
    const { delivery } = sent({ label, body });
    const expected = String.raw`{ "a" : 1.0, "b":[${JSON.stringify(label)}, "\u00e4", "2"] }`;
    assert.equal(delivery!.body, expected);
    assert.equal(delivery!.contentType, 'application/json');
  });

  test('in a body that is JSON a template outside of a string is a 400', () => {
    const message = 'body: it is no JSON: within JSON, templates may stand in strings only.';
    for (const body of [
      '{"a":{{run.unix}}}',
      '[{{run.unix}}]',
      ' {"a": "{{run.id}}", "b": {{run.id}}}',
    ])
      assert.equal(refusal({ body }), message);
    const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
    assert.equal(refusal({ headers, body: 'run {{run.id}}' }), message);
    assert.equal(sent({ body: '{{run.unix}}' }).delivery!.body, '1774746000');
    const text = { headers: { 'Content-Type': 'text/plain' }, body: '{"a":{{run.unix}}}' };
    assert.equal(sent(text).delivery!.body, '{"a":1774746000}');
  });

  test('in any other body it is as it is, and in a form percent-encoded', () => {
    assert.equal(sent({ label, body: 'a {{schedule.label}}' }).delivery!.body, `a ${label}`);
    const headers = { 'Content-TYPE': 'application/x-www-form-urlencoded' };
    const { delivery } = sent({ label: 'a&b=c d', headers, body: 'x={{schedule.label}}&y=1' });
    assert.equal(delivery!.body, 'x=a%26b%3Dc%20d&y=1');
  });

  test('a Content-Type that a template makes decides about the body as any other', () => {
    const headers = { 'Content-Type': '{{schedule.label}}' };
    const form = 'application/x-www-form-urlencoded;&b=1';
    const { delivery } = sent({ headers, label: form, body: 'a={{schedule.label}}' });
    assert.equal(delivery!.body, `a=${encodeURIComponent(form)}`);
    const json = { headers, label: 'application/json;', body: '{"a":{{schedule.label}}}' };
    assert.match(refusal(json), /^body: it is no JSON/);
  });

  test('in a url it is percent-encoded', () => {
    const { url } = sent({
      label: 'a/b?c&d=ü#\ud800',
      url: 'https://a.example/{{schedule.label}}/x?q={{schedule.label}}&z#f',
    });
    const value = 'a%2Fb%3Fc%26d%3D%C3%BC%23%EF%BF%BD';
    assert.equal(url, `https://a.example/${value}/x?q=${value}&z#f`);
  });

  test('in front of the path it is a 400', () => {
    const urls = [
      'https://{{run.id}}.example/',
      'https://a.example{{run.id}}/',
      'https://a.example:{{run.unix}}/',
    ];
    for (const url of [...urls, 'https://{{schedule.label}}@a.example/']) {
      assert.match(refusal({ url }), /^url: a template may stand in the path and the query/);
    }
    assert.throws(() => drafted({ url: '{{run.id}}://a.example/' }), { code: 'target_invalid' });
  });

  test('a value that would be a dot segment is a 400, at each write that makes it one', () => {
    const url = 'https://a.example/x/{{schedule.label}}{{previous.status}}/y';
    for (const label of ['.', '..']) assert.match(refusal({ url, label }), /lead to another path/);
    for (const dots of ['.', '%2E', '.%2e']) {
      const beside = `https://a.example/${dots}{{previous.status}}?a={{run.id}}`;
      assert.match(refusal({ url: beside }), /lead to another path/);
    }
    const schedule = drafted({ url, label: '...' });
    const patch = () => draftPatch({ label: '..' }, schedule, NOW, ALLOW_PUBLIC);
    assert.throws(patch, { code: 'template_invalid' });
    drafted({ url: 'https://a.example/?a={{schedule.label}}', label: '..' });
  });

  test('in a header control characters are dropped', () => {
    const { headers } = sent({ label, headers: { 'X-A': '[{{schedule.label}}]' } });
    assert.equal(headers!['X-A'], '["a" & b/üX: 1]');
  });

  test('integrations have no templates', () => {
    const integrations = [{ type: 'WEBHOOK', url: 'https://a.example/{{x}}' } as const];
    assert.equal(drafted({ integrations }).integrations![0]!.url, 'https://a.example/{{x}}');
  });
});

describe('the limits', () => {
  const label = 'x'.repeat(200);
  const many = (count: number) => '{{schedule.label}}'.repeat(count);

  test('hold for what is sent, whatever the values are', () => {
    assert.match(
      refusal({ label, url: `https://a.example/${many(11)}` }),
      /more than 2,048 characters/,
    );
    assert.match(refusal({ label, body: many(656) }), /more than 128 KiB/);
    assert.throws(() => drafted({ label, data: { a: many(656) } }), { code: 'body_too_large' });
    assert.throws(() => drafted({ label, headers: { a: many(82) } }), { code: 'headers_invalid' });
    drafted({
      label,
      url: `https://a.example/${many(10)}`,
      body: many(655),
      headers: { a: many(81) },
    });
  });

  test('hold for a patch that changes only the label', () => {
    const schedule = drafted({ label: 'x', body: many(656) });
    assert.throws(() => draftPatch({ label }, schedule, NOW, ALLOW_PUBLIC), /more than 128 KiB/);
  });
});

describe('what a firing needs for them', () => {
  const needs = (change: Partial<ScheduleBody>) => drafted(change).delivery;

  test('the facts of the run before that they name, and the external id', () => {
    assert.equal(needs({ data: { a: '{{run.id}}' } }), undefined);
    assert.deepEqual(
      needs({ data: { a: '{{previous.succeededFor}}{{previous.status}}' } })!.previous,
      ['status', 'succeededFor'],
    );
    const headers = { a: '{{previous.responseStatus}}' };
    assert.deepEqual(needs({ headers })!.previous, ['responseStatus']);
    const body = String.raw`{"a":"\u007b{previous.scheduledFor}}"}`;
    assert.deepEqual(needs({ body })!.previous, ['scheduledFor']);
    assert.deepEqual(needs({ url: 'https://a.example/?a={{schedule.externalId}}' }), {
      externalId: 'sync:4711',
    });
  });

  test('nothing for escaped names, and nothing without policy.template', () => {
    assert.equal(needs({ data: { a: String.raw`\{{previous.status}}` } }), undefined);
    assert.equal(needs({ data: { a: '{{previous.status}}' }, policy: {} }), undefined);
  });

  test('a change of any field counts them anew', () => {
    const schedule = drafted({ data: { a: '{{previous.status}}' } });
    const patched = (patch: object) => draftPatch(patch, schedule, NOW, ALLOW_PUBLIC).delivery;
    assert.deepEqual(patched({ label: 'y' }), { previous: ['status'] });
    assert.equal(patched({ data: { a: 'b' } }), undefined);
    assert.equal(patched({ policy: { template: false } }), undefined);
    const replaced = draftReplacement({ ...BODY, policy: {} }, schedule, NOW, ALLOW_PUBLIC);
    assert.equal(replaced.delivery, undefined);
  });
});
