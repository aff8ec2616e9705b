import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isPointer, valueAt } from '../../src/domain/json-pointer.ts';

/** The document of RFC 6901, section 5. */
const DOCUMENT = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

describe('a JSON pointer (RFC 6901)', () => {
  const table: [string, unknown][] = [
    ['', DOCUMENT],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ];
  for (const [pointer, value] of table) {
    test(`"${pointer}" names its value`, () =>
      assert.deepEqual(valueAt(DOCUMENT, pointer), { value }));
  }

  const nothing = ['/bar', '/foo/2', '/foo/-', '/foo/00', '/foo/1.0', '/foo/length', '/foo/0/0'];
  for (const pointer of [...nothing, '/toString', '/__proto__', '//foo', '/m~01n']) {
    test(`"${pointer}" names nothing`, () => assert.equal(valueAt(DOCUMENT, pointer), null));
  }

  test('a null is a value, and there is nothing in it', () => {
    assert.deepEqual(valueAt({ a: null }, '/a'), { value: null });
    assert.equal(valueAt({ a: null }, '/a/b'), null);
    assert.equal(valueAt(null, '/a'), null);
  });

  test('"~01" is "~1", and no slash', () => {
    assert.deepEqual(valueAt({ '~1': 1, '/': 2 }, '/~01'), { value: 1 });
  });

  test('every value of every document is found by the pointer to it', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.array(fc.dictionary(fc.string(), fc.integer()))),
        document => {
          for (const [key, items] of Object.entries(document)) {
            items.forEach((item, index) => {
              for (const [name, value] of Object.entries(item)) {
                const pointer = `/${escaped(key)}/${index}/${escaped(name)}`;
                assert.ok(isPointer(pointer));
                assert.deepEqual(valueAt(document, pointer), { value });
              }
            });
          }
        },
      ),
    );
  });

  for (const pointer of ['foo', 'foo/', '#/foo', '/~', '/~2', '/a~', '~0', ' /foo']) {
    test(`"${pointer}" is none`, () => assert.equal(isPointer(pointer), false));
  }
});

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
