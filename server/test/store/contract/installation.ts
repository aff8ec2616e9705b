import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PAUSES_KEPT } from '../../../src/store/contract/installation.ts';
import { backendOfEachTest, NOON, type OpenBackend } from '../../support/store/backend.ts';

export function installationContract(name: string, open: OpenBackend): void {
  describe(`${name}: secrets of the installation`, () => {
    const backend = backendOfEachTest(open);

    test('are written by one of those that have read the same', async () => {
      const { installation } = backend.store;
      assert.equal(await installation.findSecret('issuer'), null);
      const made = await Promise.all(
        ['a', 'b', 'c'].map(secret => installation.replaceSecret('issuer', null, secret)),
      );
      assert.deepEqual(made.filter(Boolean), [true]);
      const first = (await installation.findSecret('issuer'))!;
      assert.equal(await installation.replaceSecret('issuer', 'x', 'd'), false);
      assert.equal(await installation.findSecret('issuer'), first);
      assert.equal(await installation.replaceSecret('issuer', first, 'e'), true);
      assert.equal(await installation.findSecret('issuer'), 'e');
      assert.equal(await installation.findSecret('completion'), null);
    });
  });

  describe(`${name}: the clock by which history was pruned`, () => {
    const backend = backendOfEachTest(open);

    test('is what was noted last, also where that is earlier', async () => {
      const { installation } = backend.store;
      assert.equal(await installation.believedClock(), null);
      for (const at of [NOON, NOON - 5]) {
        await installation.noteBelievedClock(at);
        assert.equal(await installation.believedClock(), at);
      }
    });
  });

  describe(`${name}: a pause of all nodes`, () => {
    const backend = backendOfEachTest(open);

    test('is remembered until it ends, and since when it began', async () => {
      const { installation } = backend.store;
      assert.equal(await installation.pausedSince(), null);
      assert.equal(await installation.pause(NOON), NOON);
      assert.equal(await installation.pause(NOON + 5), NOON, 'again changes nothing');
      assert.equal(await installation.pausedSince(), NOON);
      assert.equal(await installation.resume(NOON + 9), true);
      assert.equal(await installation.resume(NOON + 10), false);
      assert.equal(await installation.pausedSince(), null);
      assert.deepEqual(await installation.pauses(), [{ since: NOON, until: NOON + 9 }]);
    });

    test('is known after its end, and the latest hundred are', async () => {
      const { installation } = backend.store;
      assert.deepEqual(await installation.pauses(), []);
      await installation.notePause({ since: NOON - 2, until: NOON - 1 });
      for (let index = 0; index < PAUSES_KEPT; index += 1) {
        await installation.pause(NOON + index * 10);
        await installation.resume(NOON + index * 10 + 5);
      }
      await installation.pause(NOON + 99_999);
      const pauses = await installation.pauses();
      assert.equal(pauses.length, PAUSES_KEPT);
      assert.deepEqual(pauses.slice(0, 2), [
        { since: NOON, until: NOON + 5 },
        { since: NOON + 10, until: NOON + 15 },
      ]);
      assert.equal(await installation.pausedSince(), NOON + 99_999);
    });
  });
}
