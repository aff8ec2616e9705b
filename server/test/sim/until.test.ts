import '../../sim/globals.ts';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

const { play, playUntil } = await import('../../sim/world.ts');

const SEED = 3;
const UNTIL_MS = 15_500;

test('a world that is stopped is the same world until then, and leaves its store', async () => {
  const whole = await play(SEED);
  const { trace, picture } = await playUntil(SEED, UNTIL_MS);
  const before = whole.trace.filter(line => Number(line.slice(0, 8)) * 1_000 <= UNTIL_MS);
  assert.deepEqual(trace, before);
  assert.ok(trace.length < whole.trace.length);
  const database = new DatabaseSync(':memory:');
  database.deserialize(picture);
  const { latest } = database.prepare('SELECT max(finished_at) AS latest FROM runs').get()!;
  const stoppedAt = whole.evidence.lives[0]!.spawnedAt + UNTIL_MS;
  assert.ok(Number(latest) <= stoppedAt && Number(latest) > stoppedAt - 10_000, `${latest}`);
});

test('a world that ends before says so', async () => {
  await assert.rejects(playUntil(SEED, 1e9), /^RangeError: The world ended before\.$/);
});

test('the command writes the store into a file that opens', t => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-sim-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.db');
  const command = join(import.meta.dirname, '../../sim/sim.ts');
  const told = execFileSync(
    process.execPath,
    [command, '--seed', `${SEED}`, '--until', '5.5s', '--keep', path],
    { encoding: 'utf8' },
  );
  assert.match(told, /^ {3}0\.000 {2}start n1$/m);
  const database = new DatabaseSync(path, { readOnly: true });
  t.after(() => database.close());
  assert.ok(database.prepare('SELECT count(*) AS count FROM queue').get()!.count);
});
