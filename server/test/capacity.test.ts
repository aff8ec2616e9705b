import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/** The capacity model of docs/scaling.md, reckoned again and held against what was measured. */

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/scaling.md'), 'utf8');
const CORES = 2;

const number = (text: string) => Number(text.replaceAll(',', ''));

/** The cells of the rows under a heading of a table. */
function rowsUnder(heading: string): string[][] {
  const lines = PAGE.slice(PAGE.indexOf(heading)).split('\n').slice(2);
  const end = lines.findIndex(line => !line.startsWith('|'));
  return lines.slice(0, end).map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  );
}

test('the model predicts what stands in the table, and within a tenth of what was measured', () => {
  const rows = rowsUnder('| Two cores for all |');
  assert.equal(rows.length, 4);
  for (const [setup, node, store, target, predicted, measured] of rows as [string, ...string[]][]) {
    const micros = [node!, store!, target!].reduce((sum, cell) => sum + Number(cell), 0);
    const rate = (CORES * 1e6) / micros;
    assert.equal(Math.round(rate / 100) * 100, number(predicted!), setup);
    const share = rate / number(measured!);
    assert.ok(share > 0.9 && share < 1.1, `${setup}: ${share}`);
  }
});

test('what it is held against are the figures of the benchmark', () => {
  const figures = rowsUnder('| Store, nodes |').map(([setup, rate]) => [setup, rate]);
  const held = rowsUnder('| Two cores for all |').map(row => [row[0], row[5]]);
  assert.deepEqual(held, figures);
});

test('log and history of the recommended sizes follow from the costs', () => {
  const rows = rowsUnder('| Firings/s on average, at the peak |');
  assert.equal(rows.length, 4);
  for (const [rates, , , log, history] of rows as [string, ...string[]][]) {
    const perDay = number(rates.split(', ')[0]!) * 86_400;
    assert.ok(isAbout(bytesOf(log!), perDay * 1_200), `${rates}: ${log}`);
    assert.ok(isAbout(bytesOf(history!), perDay * 410 * 30), `${rates}: ${history}`);
  }
});

function bytesOf(text: string): number {
  const [, size, unit] = /^([\d.]+) (GB|TB)/.exec(text)!;
  return Number(size) * (unit === 'GB' ? 1e9 : 1e12);
}

function isAbout(said: number, reckoned: number): boolean {
  return said / reckoned > 0.9 && said / reckoned < 1.1;
}
