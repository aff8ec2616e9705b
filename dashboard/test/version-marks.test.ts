import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScheduleVersion } from '@punctual/client';
import {
  beforePresent,
  MARK_PX,
  versionMarksOf,
  versionText,
  withNewest,
} from '../src/version/version-marks.ts';

const at = (ms: number) => new Date(ms).toISOString();
const window = { from: 0, to: 1_000_000 };

function version(number: number, ms: number, more: Partial<ScheduleVersion> = {}): ScheduleVersion {
  return { version: number, at: at(ms), until: at(ms + 1), ...more };
}

test('changes that lie over each other are one mark, and none is lost or outside of the window', () => {
  const versions = [
    version(5, 999_999),
    version(4, 520_000),
    version(3, 510_000),
    version(2, 0),
    version(1, -1),
    version(6, 1_000_000),
  ];
  const marks = versionMarksOf(versions, window, 1_000);
  assert.deepEqual(
    marks.map(mark => mark.versions.map(one => one.version)),
    [[2], [4, 3], [5]],
  );
  assert.equal(marks[0]!.x, MARK_PX / 2);
  assert.equal(marks[2]!.x, 1_000 - MARK_PX / 2);
});

test('marks never overlap, at any zoom', () => {
  const versions = Array.from({ length: 200 }, (_, number) =>
    version(number + 1, (number * 7_919 * 13) % 1_000_000),
  );
  for (const width of [40, 300, 1_000, 20_000]) {
    const marks = versionMarksOf(versions, window, width);
    assert.equal(marks.flatMap(mark => mark.versions).length, 200);
    marks.slice(1).forEach((mark, index) => {
      assert.ok(mark.x - marks[index]!.x >= MARK_PX, `${width} px`);
    });
  }
});

test('after a change the newest versions go before those that are known, unless some are missing', () => {
  const { until: _, ...present } = version(3, 3);
  const known = [{ items: [present, version(2, 2)], nextCursor: 'n' }, { items: [version(1, 1)] }];
  const { until: __, ...next } = version(4, 4);
  const newest = [next, version(3, 3), version(2, 2)];
  assert.deepEqual(withNewest(known, newest), [
    { items: newest, nextCursor: 'n' },
    { items: [version(1, 1)] },
  ]);
  assert.deepEqual(
    withNewest(known, [version(7, 7), version(3, 3)])![0]!.items.map(one => one.version),
    [7, 3, 2],
  );
  assert.equal(withNewest(known, [version(5, 5), version(4, 4)]), null);
  assert.equal(withNewest([], newest), null);
  const many = Array.from({ length: 1_000 }, (_, index) => version(1_000 - index, 1));
  assert.equal(withNewest([{ items: many }], [version(1_001, 2), version(1_000, 1)]), null);
});

test('a mark says who and what, and no value that may be a secret', () => {
  const by = { by: 'key', key: { keyId: 'k', name: 'CI' } } as const;
  const change = { path: 'interval', before: '0 * * * *', after: '5 * * * *' };
  assert.equal(
    versionText(version(4, 0, { ...by, changes: [change] })),
    'Version 4, by the key CI: interval from 0 * * * * to 5 * * * *',
  );
  const secret = { path: 'headers["Authorization"]', before: 'Bearer a', after: 'Bearer b' };
  assert.doesNotMatch(versionText(version(4, 0, { ...by, changes: [secret] })), /Bearer/);
  const fields = [
    { path: 'data.api_key', before: 'key a', after: 'key b' },
    { path: 'data.shop', before: '1', after: '2' },
  ];
  assert.equal(
    versionText(version(4, 0, { changes: fields })),
    'Version 4: data.api_key, data.shop from 1 to 2',
  );
  assert.equal(versionText(version(1, 0, { changes: [] })), 'Version 1: created');
});

test('of the present version the one before can be restored, where it is known', () => {
  const { until: _, ...present } = version(5, 0);
  const known = [present, version(3, 0), version(1, 0)];
  assert.equal(beforePresent([present], known), 3);
  assert.equal(beforePresent([present, version(3, 0)], known), null);
  assert.equal(beforePresent([version(3, 0)], known), null);
  assert.equal(beforePresent([present], [present]), null);
});
