import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Arrivals, Ledger } from '../../bench/arrivals.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;

describe('the ledger of arrivals', () => {
  const aLedger = () => new Ledger({ schedules: 3, from: NOON, periodMs: MINUTE, periods: 2 });

  test('what did not arrive is lost, each firing by itself', () => {
    const ledger = aLedger();
    for (const schedule of [0, 1, 2]) ledger.note(schedule, NOON + schedule, NOON + schedule + 5);
    ledger.note(1, NOON + MINUTE + 1, NOON + MINUTE + 9);
    assert.deepEqual(ledger.counted, { expected: 6, arrived: 4, lost: 2, twice: 0, early: 0 });
    assert.equal(ledger.isComplete, false);
  });

  test('a firing that arrives again counts as twice, and hides no lost one', () => {
    const ledger = aLedger();
    for (let arrival = 0; arrival < 6; arrival += 1) ledger.note(2, NOON, NOON + arrival);
    assert.deepEqual(ledger.counted, { expected: 6, arrived: 1, lost: 5, twice: 5, early: 0 });
    assert.equal(ledger.latenessMs(1), 0);
  });

  test('what arrives before its time is early', () => {
    const ledger = aLedger();
    ledger.note(0, NOON, NOON - 1);
    assert.equal(ledger.counted.early, 1);
  });

  test('nominal times outside of the window do not count', () => {
    const ledger = aLedger();
    ledger.note(0, NOON - 1, NOON);
    ledger.note(0, NOON + 2 * MINUTE, NOON + 2 * MINUTE);
    assert.equal(ledger.counted.arrived, 0);
    assert.ok(Number.isNaN(ledger.latenessMs(0.5)));
  });

  test('lateness is that of the given share', () => {
    const ledger = new Ledger({ schedules: 100, from: NOON, periodMs: MINUTE, periods: 1 });
    for (let schedule = 0; schedule < 100; schedule += 1) {
      ledger.note(schedule, NOON, NOON + schedule);
    }
    assert.deepEqual(
      [0, 0.5, 0.99, 1].map(share => ledger.latenessMs(share)),
      [0, 49, 98, 99],
    );
    assert.equal(ledger.lastAt, NOON + 99);
    assert.ok(ledger.isComplete);
  });
});

describe('the log of a target', () => {
  let folder: string;
  let log: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'punctual-arrivals-'));
    log = join(folder, 'arrivals.log');
    writeFileSync(log, '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const line = (schedule: string, arrivedAt: number, scheduledFor = NOON) =>
    `${(arrivedAt / 1_000).toFixed(3)} ${schedule} ${new Date(scheduledFor).toISOString()}\n`;

  test('is read on from where it was, also where a line was not finished', async () => {
    const arrivals = await Arrivals.of({ log });
    const window = { schedules: 2, from: NOON, periodMs: MINUTE, periods: 1 };
    const ledger = await arrivals.expect('a', window);
    const text = line('a0', NOON + 12) + line('a1', NOON + 34);
    appendFileSync(log, text.slice(0, 60));
    await arrivals.read();
    assert.equal(ledger.counted.arrived, 1);
    appendFileSync(log, text.slice(60));
    await arrivals.read();
    await arrivals.close();
    assert.ok(ledger.isComplete);
    assert.deepEqual([ledger.latenessMs(0), ledger.latenessMs(1)], [12, 34]);
  });

  test('what arrived before a window was expected belongs to the one before; others are no firings', async () => {
    const arrivals = await Arrivals.of({ log });
    const window = { schedules: 1, from: NOON, periodMs: MINUTE, periods: 1 };
    const first = await arrivals.expect('a', window);
    const other = await arrivals.expect('b', window);
    appendFileSync(log, `${line('a0', NOON)}1780315200.000 - -\n${line('c0', NOON)}`);
    const second = await arrivals.expect('a', window);
    await arrivals.read();
    await arrivals.close();
    assert.deepEqual(
      [first, second, other].map(({ counted }) => counted.arrived),
      [1, 0, 0],
    );
  });
});
