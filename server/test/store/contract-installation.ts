import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keeperOfEachTest, NOON, type OpenKeeper } from './keeper.ts';

export function installationContract(name: string, open: OpenKeeper): void {
  describe(`${name}: a pause of all nodes`, () => {
    const keeper = keeperOfEachTest(open);

    test('is remembered until it ends, and since when it began', async () => {
      const { installation } = keeper.store;
      assert.equal(await installation.pausedSince(), null);
      assert.equal(await installation.pause(NOON), NOON);
      assert.equal(await installation.pause(NOON + 5), NOON, 'again changes nothing');
      assert.equal(await installation.pausedSince(), NOON);
      assert.equal(await installation.resume(), true);
      assert.equal(await installation.resume(), false);
      assert.equal(await installation.pausedSince(), null);
    });
  });
}
