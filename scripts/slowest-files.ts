import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** Reporter of `node --test`: the test files that took longest, by the sum of their tests. */

const MOST = 10;

export default async function* slowestFiles(source: AsyncIterable<TestEvent>) {
  const seconds = new Map<string, number>();
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.nesting !== 0 || data.file === undefined) continue;
    const file = relative('.', data.file);
    seconds.set(file, (seconds.get(file) ?? 0) + data.details.duration_ms / 1_000);
  }
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, MOST);
  yield `\nThe ${slowest.length} slowest of ${seconds.size} test files:\n`;
  for (const [file, took] of slowest) yield `${took.toFixed(1).padStart(8)} s  ${file}\n`;
}
