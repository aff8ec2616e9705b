import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  dataKeyIdOf,
  decryptText,
  encryptText,
  isEncrypted,
  newDataKey,
  parseSecretKeys,
  unwrapDataKey,
  wrapDataKey,
} from '../../src/domain/access/envelope.ts';

const KEY = newDataKey();
const PLACE = 'clients\na\nsigning_secret';

describe('a value that is encrypted', () => {
  test('is the same again, whatever it is, and never stands in its cell', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, unit: 'grapheme' }), text => {
        const cell = encryptText(text, PLACE, '7', KEY);
        assert.equal(decryptText(cell, PLACE, KEY), text);
        assert.equal(dataKeyIdOf(cell), '7');
        assert.ok(isEncrypted(cell) && !cell.includes(text));
      }),
    );
  });

  test('is another text each time', () => {
    const cells = Array.from({ length: 100 }, () => encryptText('whsec_x', PLACE, '1', KEY));
    assert.equal(new Set(cells).size, 100);
  });

  test('is refused in another place, under another key, and with any bit changed', () => {
    const cell = encryptText('whsec_x', PLACE, '1', KEY);
    assert.equal(decryptText(cell, 'clients\nb\nsigning_secret', KEY), null);
    assert.equal(decryptText(cell, PLACE, newDataKey()), null);
    const value = Buffer.from(cell.slice('enc1:1:'.length), 'base64url');
    for (let bit = 0; bit < value.length * 8; bit++) {
      const changed = Buffer.from(value);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      assert.equal(decryptText(`enc1:1:${changed.toString('base64url')}`, PLACE, KEY), null);
    }
    for (const cut of ['enc1:1:', 'enc1:1:AAAA', 'enc1:']) {
      assert.equal(decryptText(cut, PLACE, KEY), null);
    }
  });
});

describe('a data key', () => {
  const [first, second, other] = [newDataKey(), newDataKey(), newDataKey()];
  const wrapped = (by: Buffer) => ({ id: '1', wrapped: wrapDataKey(KEY, '1', by), createdAt: 0 });

  test('is unwrapped by whichever secret key has wrapped it', () => {
    assert.deepEqual(unwrapDataKey(wrapped(first), [first, second]), {
      dataKey: KEY,
      wrappedBy: 0,
    });
    assert.deepEqual(unwrapDataKey(wrapped(second), [first, second]), {
      dataKey: KEY,
      wrappedBy: 1,
    });
    assert.equal(unwrapDataKey(wrapped(other), [first, second]), null);
  });

  test('does not pass for another one', () => {
    assert.equal(unwrapDataKey({ ...wrapped(first), id: '2' }, [first]), null);
  });
});

describe('the setting', () => {
  const one = newDataKey().toString('base64');
  const two = newDataKey().toString('base64');

  test('takes one key or several, with blanks, line ends and without padding', () => {
    const plain = two.replace('=', '');
    const keys = parseSecretKeys(` ${one},\n${plain} \n`, 'PUNCTUAL_SECRET_KEY');
    assert.deepEqual(
      keys.map(key => key.toString('base64')),
      [one, two],
    );
  });

  for (const text of [
    'short',
    '',
    `${one},`,
    `${one}x`,
    'a'.repeat(32),
    Buffer.alloc(33).toString('base64'),
  ]) {
    test(`refuses ${JSON.stringify(text.slice(0, 12))} without repeating it`, () => {
      assert.throws(() => parseSecretKeys(text, 'PUNCTUAL_SECRET_KEY'), {
        code: 'setting_invalid',
        message:
          'PUNCTUAL_SECRET_KEY must be one or more keys of 32 bytes in base64, separated by commas: "openssl rand -base64 32" makes one.',
      });
    });
  }
});
