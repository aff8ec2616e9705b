import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInLink } from '../../src/api/access/sign-in-link.ts';
import type { Caller } from '../../src/store/contract/keys.ts';

const CALLER: Caller = { clientRowId: 1, clientId: 'c', keyId: 'k' };

function aLink() {
  let now = 0;
  return {
    link: new SignInLink(() => now),
    pass: (minutes: number) => {
      now += minutes * 60_000;
    },
  };
}

test('a link signs in once, and no other text does', () => {
  const { link } = aLink();
  assert.equal(link.take(''), null);
  const token = link.make(CALLER);
  assert.equal(link.take(`${token}x`), null);
  assert.equal(link.take(token), CALLER);
  assert.equal(link.take(token), null);
});

test('a link is good for ten minutes', () => {
  const { link, pass } = aLink();
  const token = link.make(CALLER);
  pass(9.9);
  assert.equal(link.take(token), CALLER);
  const late = link.make(CALLER);
  pass(10);
  assert.equal(link.take(late), null);
});

test('another link ends the one before', () => {
  const { link } = aLink();
  const first = link.make(CALLER);
  const second = link.make(CALLER);
  assert.equal(link.take(first), null);
  assert.equal(link.take(second), CALLER);
});
