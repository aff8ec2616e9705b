import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { StoreSize } from '../contract/store.ts';
import { storeFault } from './fault.ts';

/** @throws PunctualError `store_unavailable` */
export async function sizeOf(database: DatabaseSync, path: string): Promise<StoreSize> {
  const disk = path === ':memory:' ? null : await diskOf(dirname(path));
  try {
    const pageBytes = pragma(database, 'page_size');
    const bytes = pageBytes * pragma(database, 'page_count');
    return { bytes, freeBytes: pageBytes * pragma(database, 'freelist_count'), disk };
  } catch (cause) {
    throw storeFault(cause);
  }
}

/** Free is what a process without rights may still take. */
async function diskOf(folder: string): Promise<StoreSize['disk']> {
  try {
    const { bsize, blocks, bavail } = await statfs(folder);
    return { bytes: bsize * blocks, freeBytes: bsize * bavail };
  } catch (cause) {
    throw storeFault(cause);
  }
}

function pragma(database: DatabaseSync, name: string): number {
  return database.prepare(`PRAGMA ${name}`).get()![name] as number;
}
