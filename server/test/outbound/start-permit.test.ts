import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LeaseDeadline, monotonicMs } from '../../src/outbound/lease-deadline.ts';
import { StartPermit } from '../../src/outbound/start-permit.ts';

describe('a permit goes to whoever comes first', () => {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const kinds: [string, () => [engine: StartPermit, sender: StartPermit]][] = [
    ['in one thread', () => pair(new StartPermit())],
    ['between two', () => [sharedPermit(), StartPermit.at(shared, 1)]],
  ];

  function pair(permit: StartPermit): [StartPermit, StartPermit] {
    return [permit, permit];
  }

  function sharedPermit(): StartPermit {
    const permit = new StartPermit();
    permit.share(shared, 1);
    return permit;
  }

  for (const [where, make] of kinds) {
    test(`${where}: cancelled, it does not start`, () => {
      const [engine, sender] = make();
      engine.cancel();
      assert.equal(sender.start(), false);
      assert.equal(sender.start(), false);
    });

    test(`${where}: started, it cannot be cancelled`, () => {
      const [engine, sender] = make();
      assert.equal(sender.start(), true);
      engine.cancel();
      assert.equal(sender.start(), true);
      assert.equal(sender.isCancelled, false);
    });

    test(`${where}: abandoned, it shows although it has started`, () => {
      const [engine, sender] = make();
      assert.equal(sender.start(), true);
      engine.abandon();
      assert.equal(sender.isCancelled, true);
    });
  }

  test('after the leaseDeadline of its node it does not start, seen from the other thread too', () => {
    const leaseDeadline = new LeaseDeadline(60_000);
    const seenThere = new LeaseDeadline(0, leaseDeadline.shared);
    const permits = () => {
      sharedPermit();
      return [new StartPermit(leaseDeadline), StartPermit.at(shared, 1, seenThere)];
    };
    leaseDeadline.renewed(monotonicMs());
    for (const permit of permits()) assert.equal(permit.start(), true);
    leaseDeadline.renewed(monotonicMs() - 60_000);
    for (const permit of permits()) {
      assert.equal(permit.start(), false);
      assert.equal(permit.isCancelled, true);
    }
  });

  test('started before the lease deadline, it does not leave after it', () => {
    const leaseDeadline = new LeaseDeadline(60_000);
    sharedPermit();
    for (const permit of [
      new StartPermit(leaseDeadline),
      StartPermit.at(shared, 1, leaseDeadline),
    ]) {
      leaseDeadline.renewed(monotonicMs());
      assert.deepEqual([permit.start(), permit.leave()], [true, true]);
      leaseDeadline.renewed(monotonicMs() - 60_000);
      assert.deepEqual([permit.leave(), permit.isCancelled], [false, true]);
    }
  });

  test('cancelled before it is shared, it stays so', () => {
    const permit = new StartPermit();
    permit.cancel();
    permit.share(shared, 1);
    assert.equal(StartPermit.at(shared, 1).start(), false);
  });

  test('no longer shared, it leaves its place alone', () => {
    const old = sharedPermit();
    old.unshare();
    const next = sharedPermit();
    old.cancel();
    assert.equal(next.start(), true);
  });
});
