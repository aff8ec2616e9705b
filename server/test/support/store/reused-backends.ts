import { after } from 'node:test';
import type { Store } from '../../../src/store/contract/store.ts';
import type { OpenBackend } from './backend.ts';

/** Where a store stands. */
export interface Place {
  /** @param level of the engine on it; this release's if left out */
  open(level?: number): Store | Promise<Store>;
  /** Takes away all rows, while a store is open on it. */
  empty(): void | Promise<void>;
}

/**
 * Backends of which each has the place of one before it, where one is free: to empty a store takes a tenth of what a new
 * one does, and its statements are there.
 */
export function reusedBackends(newPlace: () => Place | Promise<Place>): OpenBackend {
  const free: { place: Place; store: Store }[] = [];
  after(() => Promise.all(free.map(({ store }) => store.close())));

  async function newStore() {
    const place = await newPlace();
    const store = await place.open();
    await place.empty();
    return { place, store };
  }

  return async () => {
    const { place, ...opened } = free.pop() ?? (await newStore());
    let { store } = opened;
    let isAsOpened = true;
    const reopen = async (level?: number) => {
      await store.close();
      store = await place.open(level);
      isAsOpened = level === undefined;
      return store;
    };
    return {
      store,
      reopen,
      async close() {
        if (!isAsOpened) await reopen();
        await place.empty();
        free.push({ place, store });
      },
    };
  };
}
