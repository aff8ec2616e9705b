import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { serializeDictionary } from 'structured-headers';
import type { Control } from '../../src/domain/run/control.ts';
import { readControlHeader } from '../../src/outbound/control-header.ts';

describe('Punctual-Control', () => {
  const READ: [text: string, control: Control | undefined][] = [
    ['no-retry', { noRetry: true }],
    ['pause=60', { pauseSeconds: 60 }],
    ['pause=31536000', { pauseSeconds: 31_536_000 }],
    ['disable', { disable: true }],
    ['again=1', { againSeconds: 1 }],
    ['again=86400', { againSeconds: 86_400 }],
    ['no-retry, again=60', { noRetry: true, againSeconds: 60 }],
    ['again=60, pause=30', { pauseSeconds: 30 }],
    ['again=60,pause=30,disable', { disable: true }],
    ['disable;reason="old", x=1', { disable: true }],
    ['disable=?0, again=5', { againSeconds: 5 }],
    ['disable=?1', { disable: true }],
    ['  pause=60  ', { pauseSeconds: 60 }],
    // The last of two counts, as in every dictionary.
    ['pause=60, pause=61', { pauseSeconds: 61 }],
    ['rest=1, another', undefined],
    ['', undefined],
  ];
  for (const [text, control] of READ) {
    test(`says: ${text}`, async () => {
      assert.deepEqual(await readControlHeader(text), control === undefined ? {} : { control });
    });
  }

  const SPAN = 'must be whole seconds from 1 to';
  const IGNORED: [text: string, fault: RegExp, control?: Control][] = [
    ['pause=0', new RegExp(`^Punctual-Control: pause ${SPAN} 31,536,000\\.$`)],
    ['pause=31536001', /pause must/],
    ['pause=-1', /pause must/],
    ['pause=1.5', /pause must/],
    ['pause', /pause must/],
    ['pause="60"', /pause must/],
    ['pause=(1 2)', /pause must/],
    ['again=86401', new RegExp(`again ${SPAN} 86,400\\.$`)],
    ['again=0, pause=0', /pause must .*, and again must .*\.$/],
    ['no-retry=1', /no-retry takes no value/],
    ['disable=yes, again=5', /disable takes no value/, { againSeconds: 5 }],
    ['Pause=60', /dictionary of RFC 9651/],
    ['pause=60,', /dictionary of RFC 9651/],
    ['pause:60', /dictionary of RFC 9651/],
    ['disable\u0000', /dictionary of RFC 9651/],
    [`disable;x="${'x'.repeat(1_000)}"`, /1,000 characters at most/],
  ];
  for (const [text, fault, control] of IGNORED) {
    test(`is noted: ${text.slice(0, 40)}`, async () => {
      const reading = await readControlHeader(text);
      assert.match(reading.controlFault!, fault);
      assert.deepEqual(reading.control, control);
    });
  }

  test('whatever is sent, nothing is thrown, and a span is within its bounds', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 1_100 }),
      fc.stringMatching(/^(disable|pause|again|no-retry|[a-z*;=?@:"() ,.0-9-]){0,12}$/),
    );
    await fc.assert(
      fc.asyncProperty(texts, async text => {
        const { control = {}, controlFault = '.' } = await readControlHeader(text);
        const { pauseSeconds = 1, againSeconds = 1, disable } = control;
        assert.ok(pauseSeconds >= 1 && pauseSeconds <= 31_536_000);
        assert.ok(againSeconds >= 1 && againSeconds <= 86_400);
        const spans = [disable, control.pauseSeconds, control.againSeconds];
        assert.ok(spans.filter(each => each !== undefined).length <= 1);
        assert.match(controlFault, /\.$/);
      }),
      { numRuns: 1_000 },
    );
  });

  test('what is written as RFC 9651 has it is read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 86_400 }),
        fc.constantFrom('pause', 'again'),
        fc.boolean(),
        async (seconds, name, noRetry) => {
          const members = { [name]: seconds, ...(noRetry && { 'no-retry': true }) };
          const { control } = await readControlHeader(serializeDictionary(members));
          assert.deepEqual(control, {
            [`${name}Seconds`]: seconds,
            ...(noRetry && { noRetry: true }),
          });
        },
      ),
    );
  });
});
