import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { PunctualError, withReason } from './domain/errors.ts';

const RETRY_MS = 1_000;
/** How often the log says that it still waits. */
const TELL_MS = 60_000;

export interface WaitingOptions {
  log: Logger;
  /**
   * Called once, where the first attempt has failed: answers callers from here on.
   *
   * @returns where it listens, and how to end that
   */
  answer(): Promise<{ url: string; close(): Promise<void> }>;
  /** Resolves when Punctual is to end. */
  untilStopped(): Promise<unknown>;
}

/**
 * A start that waits for a store that is away, as a full disk or a database is that starts later: it attempts
 * until one succeeds.
 *
 * @param attempt leaves nothing open where it fails
 * @returns null where it was stopped before
 * @throws whatever `attempt` throws that is no `store_unavailable`
 */
export async function awaitStore<Opened extends { stop(): Promise<void> }>(
  attempt: () => Promise<Opened>,
  options: WaitingOptions,
): Promise<Opened | null> {
  const first = await unlessAway(attempt());
  return first instanceof PunctualError ? attemptOften(attempt, options, first) : first;
}

async function attemptOften<Opened extends { stop(): Promise<void> }>(
  attempt: () => Promise<Opened>,
  { log, answer, untilStopped }: WaitingOptions,
  first: PunctualError,
): Promise<Opened | null> {
  const { url, close } = await answer();
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (err: PunctualError) => {
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    log.error(
      { err, url, reason: withReason(err) },
      'the store is away; Punctual waits for it, and fires nothing meanwhile',
    );
  };
  // Before it says that it waits: who reads that may stop it at once.
  const stopped = untilStopped().then(() => null);
  tell(first);
  try {
    for (;;) {
      const trying = pause(RETRY_MS).then(() => unlessAway(attempt()));
      const opened = await Promise.race([trying, stopped]);
      if (opened === null) {
        stopLater(trying);
        await close();
        return null;
      }
      if (!(opened instanceof PunctualError)) {
        log.info('the store is there');
        return opened;
      }
      tell(opened);
    }
  } catch (error) {
    await close();
    throw error;
  }
}

async function unlessAway<Opened>(opening: Promise<Opened>): Promise<Opened | PunctualError> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof PunctualError && error.code === 'store_unavailable') return error;
    throw error;
  }
}

/** An attempt that was under way when Punctual was stopped. */
function stopLater(trying: Promise<{ stop(): Promise<void> } | PunctualError>): void {
  const stop = async (opened: { stop(): Promise<void> } | PunctualError) => {
    if (!(opened instanceof PunctualError)) await opened.stop();
  };
  trying.then(stop).catch(() => {});
}
