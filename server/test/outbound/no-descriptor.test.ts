import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, sender } from '../support/outbound/target-server.ts';

for (const code of ['EMFILE', 'ENFILE', 'ECONNREFUSED']) {
  test(`${code} is ${code === 'ECONNREFUSED' ? "the target's fault" : 'ours'}`, async t => {
    const resolve = () => Promise.reject(Object.assign(new Error(code), { code }));
    const { outcome, unsent, error } = await sender(t, { resolve }).send(get('http://a.test/'));
    assert.equal(outcome, 'connectionError');
    if (code === 'ECONNREFUSED') return assert.equal(unsent, undefined);
    assert.equal(unsent, 'noDescriptor');
    assert.equal(
      error,
      'Punctual could not open a connection to a.test:80: it has too many files open.',
    );
  });
}
