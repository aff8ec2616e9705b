import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** When something stood still, epoch ms. */
export interface Stall {
  from: number;
  to: number;
}

/** A machine that stands still for about this long may have a service miss a time of every second. */
const STALL_MS = 800;

/**
 * Notes when this process stands still, and with it probably all others of its machine.
 *
 * @returns how to end that
 */
export function watchStalls(stalls: Stall[]): () => void {
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last > STALL_MS) stalls.push({ from: last, to: now });
    last = now;
  }, 50);
  return () => clearInterval(timer);
}

/** The longest that a moment is waited for in which the service does not write. */
const MOMENT_MS = 20_000;

/** Has the store of a running service stand still, as a disk does that is busy: nobody else writes meanwhile. */
export async function stallStore(path: string, ms: number): Promise<Stall> {
  const database = new DatabaseSync(path, { timeout: 10 });
  try {
    await begin(database);
    const from = Date.now();
    await sleep(ms);
    database.exec('ROLLBACK');
    return { from, to: Date.now() };
  } finally {
    database.close();
  }
}

/** A target lives in this process, so it tries often, and does not block. */
async function begin(database: DatabaseSync): Promise<void> {
  const giveUpAt = Date.now() + MOMENT_MS;
  for (;;) {
    try {
      database.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      const isBusy = (error as { errcode?: number }).errcode === SQLITE_BUSY;
      if (!isBusy || Date.now() > giveUpAt) throw error;
      await sleep(5);
    }
  }
}

const SQLITE_BUSY = 5;
