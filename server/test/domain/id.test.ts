import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { instantOf, isId, lowestIdAt, newId, runId, tailOf } from '../../src/domain/id.ts';

const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const instant = fc.integer({ min: 0, max: LAST });
const SCHEDULE = '019cb000-0000-7000-8000-000000000001';

describe('UUID version 7 (RFC 9562 5.7)', () => {
  const hasForm = (id: string, at: number) => {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(isId(id));
    assert.equal(instantOf(id), at);
  };

  test('a new id has the form, lower case, and carries its instant', () => {
    fc.assert(fc.property(instant, at => hasForm(newId(at), at)));
  });

  test("a run's id has the form and carries its nominal time", () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), instant, (id, at) => hasForm(runId(id, at), at)),
    );
  });

  test('the first 48 bits are the instant, as in the example of appendix A.6', () => {
    assert.equal(instantOf('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), 0x017f22e279b0);
    assert.ok(newId(0x017f22e279b0).startsWith('017f22e2-79b0-7'));
  });

  test('anything else is no id: upper case, another version or variant, blanks', () => {
    const id = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
    const others = [
      id.toUpperCase(),
      id.replace('-7cc3', '-4cc3'),
      id.replace('-98c4', '-c8c4'),
      id.replaceAll('-', ''),
      ` ${id}`,
      `${id}\n`,
      `{${id}}`,
      id.slice(1),
      '',
    ];
    assert.ok(isId(id));
    for (const other of others) assert.equal(isId(other), false, JSON.stringify(other));
  });
});

describe('order', () => {
  test('ids sort by the instant they carry', () => {
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        if (a < b) assert.ok(newId(a) < newId(b) && runId(SCHEDULE, a) < runId(SCHEDULE, b));
      }),
    );
  });

  test('2,048 ids of one millisecond sort in the order they were made, and all differ', () => {
    for (let round = 0; round < 20; round += 1) {
      const ids = Array.from({ length: 2_048 }, () => newId(1_800_000_000_000 + round));
      assert.deepEqual(ids.toSorted(), ids);
      assert.equal(new Set(ids).size, ids.length);
    }
  });

  test('what stands behind the instant goes on from one millisecond to the next', () => {
    const tails = Array.from({ length: 20_000 }, (_, at) => tailOf(newId(1_800_000_000_000 + at)));
    const falls = tails.filter((tail, at) => at > 0 && tail < tails[at - 1]!);
    assert.ok(falls.length <= 1, `${falls.length} of them stand before the one made before`);
  });

  test('a clock that is set back gives ids of the time that it shows', () => {
    newId(LAST);
    assert.equal(instantOf(newId(1_800_000_000_000)), 1_800_000_000_000);
  });

  test('the lowest id of an instant is below every id of it and above every id before', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), fc.integer({ min: 1, max: LAST }), (id, at) => {
        const lowest = lowestIdAt(at);
        assert.ok(lowest <= runId(id, at) && lowest <= newId(at));
        assert.ok(lowest > runId(id, at - 1) && lowest > newId(at - 1));
      }),
    );
  });
});

describe('the identity of a run', () => {
  test('is schedule and nominal time, and nothing else', () => {
    const at = Date.UTC(2026, 0, 1);
    assert.equal(runId(SCHEDULE, at), runId(SCHEDULE, at));
    // The identity is stored and sent: should this ever change, a crash during the upgrade sends
    // one firing under two ids.
    assert.equal(runId(SCHEDULE, at), '019b76da-a800-7000-8000-000000000001');
  });

  test('leads back to the schedule and to the nominal time', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), instant, (id, at) => {
        assert.equal(tailOf(runId(id, at)), tailOf(id));
        assert.equal(instantOf(runId(id, at)), at);
      }),
    );
  });

  test('another schedule or another time is another run', () => {
    fc.assert(
      fc.property(
        fc.uuid({ version: 7 }),
        fc.uuid({ version: 7 }),
        instant,
        instant,
        (a, b, one, other) => {
          assert.equal(runId(a, one) === runId(b, other), tailOf(a) === tailOf(b) && one === other);
        },
      ),
    );
  });
});
