import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cellFrom,
  cellPart,
  firingsIn,
  lookedText,
  lookOn,
  stillChosen,
} from '../src/forecast/cell-firings.ts';
import {
  busiestCell,
  cellAt,
  cellByKey,
  cellOf,
  firstCell,
  heatGridOf,
  rowName,
} from '../src/forecast/heat-grid.ts';
import { heatScaleOf, heatText, SHADES, shadeOf } from '../src/forecast/heat-scale.ts';
import { spreadEffectOf } from '../src/forecast/spread-effect.ts';

const STRONGEST = SHADES - 1;
const shadesOf = (counts: number[]) => {
  const scale = heatScaleOf(counts);
  return counts.map(count => shadeOf(count, scale));
};

test('an even load is calm, however high it is', () => {
  const even = Array.from({ length: 168 }, (_, hour) => 4_968 + ((hour * 7) % 49));
  assert.deepEqual(new Set(shadesOf(even)), new Set([1]));
});

test('a small bump on an even load is seen, and a herd is the strongest', () => {
  const load = new Array<number>(168).fill(5_000);
  load[20] = 5_150;
  load[40] = 5_500;
  const shades = shadesOf(load);
  assert.equal(shades[0], 1);
  assert.ok(shades[20]! > 1 && shades[20]! < STRONGEST, `${shades[20]}`);
  assert.equal(shades[40], STRONGEST);
});

test('nothing is shade 0; below the base is as calm as the base; a few firings are no herd', () => {
  assert.deepEqual(shadesOf([0, 0, 0]), [0, 0, 0]);
  assert.deepEqual(shadesOf([60, 60, 60, 30, 0]), [1, 1, 1, 1, 0]);
  const few = shadesOf([0, 0, 0, 1]);
  assert.ok(few[3]! > 0 && few[3]! < STRONGEST);
  assert.equal(shadesOf([0, 0, 0, 231])[3], STRONGEST);
  assert.deepEqual(shadesOf([]), []);
});

test('a count says how far it is from the base', () => {
  const scale = heatScaleOf([60, 60, 60, 1_291, 50]);
  assert.equal(heatText(1_291, scale), '1,291, 1,231 above the base');
  assert.equal(heatText(50, scale), '50, 10 below the base');
  assert.equal(heatText(60, scale), '60');
  assert.equal(heatText(3, heatScaleOf([0, 0, 3])), '3');
});

test('keys go from cell to cell and stop at the edges, before the first step too', () => {
  const from = new Date(2026, 5, 1, 6, 58).toISOString();
  const counts = Array.from({ length: 1_440 }, (_, minute) => (minute === 122 ? 9 : 1));
  const grid = heatGridOf({ counts, from, stepSeconds: 60 });
  assert.equal(cellOf(grid, 57), null);
  assert.equal(cellOf(grid, 58), 1);
  assert.equal(busiestCell(grid), 180);
  assert.equal(cellByKey(grid, 58, 'ArrowLeft'), 58);
  assert.equal(cellByKey(grid, 58, 'ArrowRight'), 59);
  assert.equal(cellByKey(grid, 59, 'ArrowRight'), 60);
  assert.equal(cellByKey(grid, 61, 'ArrowUp'), 61);
  assert.equal(cellByKey(grid, 118, 'ArrowUp'), 58);
  assert.equal(cellByKey(grid, 58, 'ArrowDown'), 118);
  assert.equal(cellByKey(grid, 59, 'Home'), 58);
  assert.equal(cellByKey(grid, 60, 'End'), 119);
  assert.equal(cellByKey(grid, 58 + 1_439, 'ArrowRight'), 58 + 1_439);
  assert.equal(cellByKey(grid, 60, 'x'), null);
});

test('an instant stays in its cell while the hours pass, and has none before the first step', () => {
  const at = new Date(2026, 5, 1, 7, 10).getTime();
  const counts = Array.from({ length: 1_440 }, (_, minute) => minute);
  const before = heatGridOf({
    counts,
    from: new Date(2026, 5, 1, 6, 58).toISOString(),
    stepSeconds: 60,
  });
  const after = heatGridOf({
    counts,
    from: new Date(2026, 5, 1, 7, 1).toISOString(),
    stepSeconds: 60,
  });
  assert.equal(cellAt(before, at), 70);
  assert.equal(cellAt(after, at), 10);
  assert.equal(cellAt(after, at + 59_999), 10);
  assert.equal(cellAt(after, new Date(2026, 5, 1, 7, 0).getTime()), null);
  assert.equal(cellAt(after, new Date(2026, 5, 1, 6, 59).getTime()), null);
  assert.equal(cellAt(after, at + 2 * 86_400_000), null);
  assert.deepEqual([before, after].map(firstCell), [58, 1]);
});

test('a chosen cell stays when its time has passed, and goes with its step or its host', () => {
  const start = Date.parse('2026-06-01T09:00:00.000Z');
  const forecast = (minute: number, counts: number[], more = {}) => ({
    ...{ counts, from: new Date(start + minute * 60_000).toISOString(), stepSeconds: 60 },
    ...{ host: null, ...more },
  });
  const chosen = cellFrom(forecast(0, [5, 6]), start);
  assert.deepEqual(chosen, { at: start, stepSeconds: 60, host: null, count: 5 });
  assert.equal(cellFrom(forecast(0, [5, 6]), start + 120_000), null);
  assert.equal(stillChosen(chosen, forecast(0, [7, 6]))?.count, 7);
  assert.deepEqual(stillChosen(chosen, forecast(1, [6])), chosen);
  assert.equal(stillChosen(chosen, forecast(0, [3], { host: 'a' }))?.host, 'a');
  assert.equal(stillChosen(chosen, forecast(1, [3], { host: 'a' })), null);
  assert.equal(stillChosen(chosen, forecast(0, [3], { stepSeconds: 3_600 })), null);
  assert.equal(stillChosen(null, forecast(0, [3])), null);
});

test('schedules are looked through until all firings of a cell are found, and no further unasked', () => {
  const more = { expected: 10, looked: 50, hasMore: true };
  assert.equal(lookOn({ ...more, found: 4 }, 1_000), 'look');
  assert.equal(lookOn({ ...more, found: 10 }, 1_000), 'all');
  const far = { ...more, found: 4, looked: 1_000 };
  assert.equal(lookOn(far, 1_000), 'ask');
  assert.equal(
    lookedText(far, 'ask'),
    'These are 4 of 10 firings: the newest 1,000 schedules were looked through.',
  );
  // The forecast was counted before, so more than it has end nothing.
  assert.equal(lookOn({ ...more, found: 12 }, 1_000), 'look');
  assert.equal(
    lookedText({ ...more, found: 12 }, 'look'),
    'Looking through the schedules. So far: 12 firings, 2 more than the heat map has.',
  );
  assert.equal(lookOn({ ...far, found: 12 }, 1_000), 'ask');
  assert.equal(lookOn({ ...more, found: 12, hasMore: false }, 1_000), 'all');
  const end = { ...more, found: 4, hasMore: false };
  assert.equal(lookOn(end, 1_000), 'all');
  assert.match(lookedText(end, 'all'), /^4 firings are to come, and the heat map has 10\./);
  assert.equal(lookedText({ ...end, found: 10 }, 'all'), '');
});

test('those who fire are told with their times, most firings first', () => {
  const schedule = (id: string) => ({ id }) as never;
  const lane = (scheduleId: string, steps: number[], due: number[]) => {
    const nothing = steps.map(() => 0);
    const past = { succeeded: nothing, failed: nothing, skipped: nothing, missed: nothing };
    return { scheduleId, from: '', steps, due, ...past };
  };
  const from = '2026-06-01T09:00:00.000Z';
  const start = Date.parse(from);
  const part = cellPart(
    { items: [schedule('a'), schedule('b'), schedule('c')], nextCursor: 'n' },
    {
      ...{ from, to: '2026-06-01T09:01:00.000Z', stepSeconds: 1, now: from },
      items: [lane('a', [5], [1]), lane('b', [0, 30], [1, 2]), lane('c', [7], [0])],
    },
  );
  assert.deepEqual(firingsIn([part]), [
    { schedule: { id: 'b' }, count: 3, times: [start, start + 30_000] },
    { schedule: { id: 'a' }, count: 1, times: [start + 5_000] },
  ]);
  assert.equal(part.looked, 3);
});

test('the effect of a window: the peak and the bars before and after, and those that stay', () => {
  const change = (nextBefore: string, nextAfter: string, sentence?: string) => ({
    ...{ action: 'patch' as const, firingsBefore: 1, firingsAfter: 1, clockNotes: [] },
    ...{ nextBefore, nextAfter },
    problems: sentence === undefined ? [] : [{ where: 'windowSeconds', sentence }],
  });
  const at = '2026-06-01T09:00:00.000Z';
  const { nextBefore: _, nextAfter: __, ...paused } = change(at, at);
  const effect = spreadEffectOf(
    {
      changes: [
        change(at, '2026-06-01T09:00:10.000Z'),
        change(at, '2026-06-01T09:00:10.000Z'),
        change(at, '2026-06-01T09:00:59.000Z'),
        change(at, at, 'The window is too long.'),
        paused,
      ],
    },
    ['a', 'b', 'c', 'd', 'e'],
  );
  assert.deepEqual(effect.peakBefore, { at: Date.parse(at), count: 3 });
  assert.deepEqual(effect.peakAfter, { at: Date.parse(at) + 10_000, count: 2 });
  assert.deepEqual([...effect.refused], [['The window is too long.', ['d']]]);
  assert.deepEqual(effect.idle, ['e']);
  assert.equal(effect.bars.from, Date.parse(at));
  assert.equal(effect.bars.before[0], 3);
  assert.deepEqual(
    effect.bars.after.flatMap((count, bar) => (count > 0 ? [[bar, count]] : [])),
    [
      [5, 2],
      [29, 1],
    ],
  );
});

test('a row of minutes is named by its hour, and by its day where that begins', () => {
  const at = (hour: number) => new Date(2026, 5, 2, hour).getTime();
  assert.equal(rowName({ columns: 60 }, at(9)), '09:00');
  assert.match(rowName({ columns: 60 }, at(0)), /^Tue,? 2 Jun$/);
  assert.match(rowName({ columns: 24 }, at(9)), /^Tue,? 2 Jun$/);
});
