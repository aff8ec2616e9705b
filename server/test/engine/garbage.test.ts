import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

/**
 * A guard against getting slower: a collection of the whole heap is a pause for all firings of that moment,
 * and comes the sooner, the more they leave behind that no smaller one takes away.
 *
 * 125-170 on 2026-11-22; 1,020 where lines and inFlight were kept in sets and maps alone, 1,190 where V8 may
 * make what it takes for long-lived among the old at once.
 */
const MOST_BYTES_A_FIRING = 300;

test('what has ended is not kept until the whole heap is collected', async context => {
  const script = join(import.meta.dirname, '../support/engine/garbage.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  const { firings, bytes } = JSON.parse(stdout);
  assert.equal(firings, 10_000);
  const each = Math.round(bytes / firings);
  context.diagnostic(`${each} bytes a firing`);
  assert.ok(each <= MOST_BYTES_A_FIRING, `${each} bytes, at most ${MOST_BYTES_A_FIRING}`);
});
