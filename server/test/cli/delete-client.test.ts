import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { mock, test } from 'node:test';
import { deleteClient } from '../../src/cli/delete-client.ts';
import type { Client } from '../../src/store/contract/clients.ts';
import type { Store } from '../../src/store/contract/store.ts';

const NOW = 1_000_000;

for (const [agoMs, looks] of [
  [undefined, 2],
  [2_000, 2],
  [3_000, 1],
] as const) {
  const when = agoMs === undefined ? 'not yet deleted' : `deleted ${agoMs} ms ago`;
  test(`the schedules of a client that was ${when} are looked for ${looks} times`, async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    // Also for who has imported it by its name.
    syncBuiltinESMExports();
    let looked = 0;
    const store = {
      clients: { delete: async () => 1 },
      schedules: {
        list: async () => {
          looked += 1;
          return { schedules: [] };
        },
      },
    } as unknown as Store;
    const client = { id: 'ada', ...(agoMs !== undefined && { deletedAt: NOW - agoMs }) } as Client;
    const deleted = deleteClient(store, client, async () => NOW);
    while (looked < looks) {
      await new Promise(setImmediate);
      mock.timers.tick(3_000);
    }
    assert.equal(await deleted, 0);
    assert.equal(looked, looks);
    mock.timers.reset();
    syncBuiltinESMExports();
  });
}
