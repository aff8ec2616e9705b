import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PAUSES_KEPT } from '../../../src/store/contract/installation.ts';
import { backendOfEachTest, NOON, type OpenBackend } from '../../support/store/backend.ts';

export function installationContract(name: string, open: OpenBackend): void {
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
