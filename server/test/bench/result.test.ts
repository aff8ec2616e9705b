import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ledger } from '../../bench/arrivals.ts';
import { warningsOfSpread } from '../../bench/machine.ts';
import { pictureOf } from '../../bench/picture.ts';
import { profileTable } from '../../bench/profile.ts';
import { reportOf, summaryOf, withReport } from '../../bench/report.ts';
import {
  curveOf,
  median,
  ms,
  must,
  mustAllArrive,
  type Result,
  tells,
} from '../../bench/result.ts';

const NOON = Date.UTC(2026, 5, 1, 12);

function aLedger(latenesses: number[]): Ledger {
  const schedules = latenesses.length;
  const ledger = new Ledger({ schedules, from: NOON, periodMs: 60_000, periods: 1 });
  for (const [schedule, late] of latenesses.entries()) ledger.note(schedule, NOON, NOON + late);
  return ledger;
}

function aResult(fields: Partial<Result> = {}): Result {
  return {
    scene: 'burst',
    date: '2026-06-01T12:00:00.000Z',
    commit: 'abc1234',
    machine: { processor: 'Some CPU', cores: 2, memoryGb: 8, system: 'Linux 6' },
    versions: { node: '26.10.0' },
    target: 'nginx/1.22.1',
    settings: { store: 'sqlite', schedules: 20_000 },
    bare: [
      { perSecond: 40_000, cpuMicros: 20 },
      { perSecond: 50_000, cpuMicros: 22 },
    ],
    rounds: [],
    figures: [must('first arrival', '3 ms', '10 ms', true), tells('memory', '300 MB')],
    lateness: [curveOf('burst', aLedger([1, 5, 900]))],
    warnings: [],
    ...fields,
  };
}

describe('a report', () => {
  test('has each figure with its target, the bare client, and on what it was measured', () => {
    const report = reportOf([aResult()]);
    assert.match(report, /^### burst$/m);
    assert.match(report, /^\| first arrival \| 3 ms \| 10 ms \| pass \|$/m);
    assert.match(report, /^\| memory \| 300 MB \| {2}\| {2}\|$/m);
    assert.match(report, /bare client, same run \| 40,000-50,000 requests\/s, 21 µs each/);
    assert.match(report, /2026-06-01, commit abc1234; store sqlite, schedules 20000; .*2 cores/);
  });

  test('says which targets were missed, and why figures should not be believed', () => {
    const figures = [must('first arrival', '30 ms', '10 ms', false)];
    const report = reportOf([aResult({ figures, warnings: ['Too noisy.'] })]);
    assert.match(report, /\*\*miss\*\*/);
    assert.match(report, /\*\*Warning\.\*\* Too noisy\./);
  });

  test('in short it has the first target of a scene, and each that was missed', () => {
    const figures = [
      must('first arrival', '3 ms', '10 ms', true),
      must('last arrival', '3 s', '2 s', false),
    ];
    const summary = summaryOf([aResult({ figures })]);
    const missed = 'last arrival: 3 s (wanted: 2 s)';
    const row = `| \`burst\` on sqlite | first arrival: 3 ms (wanted: 10 ms) | 1 of 2, **missed:** ${missed} |`;
    assert.ok(summary.includes(row), summary);
  });

  test('takes the place of the one before in a page, and nothing else', () => {
    const begin =
      '<!-- figures: npm run bench -- report docs/performance/*.json --write page.md -->';
    const page = (inside: string) => `before\n${begin}${inside}<!-- end of figures -->\nafter\n`;
    const once = withReport(page('old'), 'new\n');
    assert.equal(once, page('\n\nnew\n\n'));
    assert.equal(withReport(once, 'new\n'), once);
    assert.throws(() => withReport('a page', 'new'), /needs the lines/);
  });
});

describe('figures', () => {
  test('all arrived is a pass only where each arrived once and none early', () => {
    const counted = { expected: 3, arrived: 3, lost: 0, twice: 0, early: 0 };
    assert.equal(mustAllArrive('arrived', [counted]).pass, true);
    const bad = [{ arrived: 2 }, { twice: 1 }, { early: 1 }];
    for (const fields of bad) {
      assert.equal(mustAllArrive('arrived', [counted, { ...counted, ...fields }]).pass, false);
    }
  });

  test('a median of an even number of rounds lies between the two in the middle', () => {
    assert.deepEqual([median([3, 1, 2]), median([4, 1, 2, 3])], [2, 2.5]);
  });

  test('milliseconds read well', () => {
    const texts = [3, 3.25, 1_234, 12_345, Number.NaN].map(ms);
    assert.deepEqual(texts, ['3 ms', '3.3 ms', '1,234 ms', '12.3 s', 'none']);
  });

  test('bare runs that differ by more than a quarter are a warning', () => {
    assert.deepEqual(warningsOfSpread([40_000, 49_000]), []);
    assert.equal(warningsOfSpread([40_000, 51_000]).length, 1);
  });
});

test('a picture has a curve for each distribution, within its bounds', () => {
  const lateness = [
    curveOf('quiet', aLedger([1, 2, 3])),
    curveOf('nothing came', new Ledger({ schedules: 1, from: 0, periodMs: 1, periods: 1 })),
    curveOf('loud', aLedger([0, 70, 59_000])),
  ];
  const picture = pictureOf(aResult({ lateness }));
  const curves = [...picture.matchAll(/<polyline class="curve c\d" points="([^"]+)"/g)];
  assert.equal(curves.length, 2);
  const places = curves.flatMap(([, points]) => points!.split(' ').map(pair => pair.split(',')));
  for (const [x, y] of places) {
    assert.ok(Number(x) >= 56 && Number(x) <= 696, `x ${x}`);
    assert.ok(Number(y) >= 64 && Number(y) <= 278, `y ${y}`);
  }
  assert.match(picture, /quiet: p50 2 ms, p99 3 ms/);
  assert.doesNotMatch(picture, /NaN|undefined|Infinity/);
});

test('a profile counts what ran, of each thread, and what is native to who called it', () => {
  const frame = (functionName: string, url = '') => ({ functionName, url });
  const nodes = [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 4] },
    { id: 2, callFrame: frame('(idle)') },
    {
      id: 3,
      callFrame: frame('settle', 'file:///x/server/src/store/sqlite/queue.ts'),
      children: [5],
    },
    { id: 4, callFrame: frame('write', 'file:///x/server/src/store/sqlite/worker/worker.ts') },
    { id: 5, callFrame: frame('run') },
  ];
  const table = profileTable(
    [{ nodes, samples: [4, 2, 3, 5, 4], timeDeltas: [0, 70, 500, 500, 100], startTime: 1_000 }],
    { firings: 10, sinceMicros: 1_070 },
  );
  assert.match(table, /\*\*the thread that writes\*\* \| 60\.0 \| 100 %/);
  assert.match(table, /^\| store\/sqlite\/ \| 50\.0 \| 83 % \|$/m);
  assert.match(table, /^\| store\/sqlite\/, native \| 10\.0 \| 17 % \|$/m);
});
