import type { Run } from '@punctual/client';

/**
 * Sends many runs again: a number of them each minute, and one at a time for each schedule. Time and requests are handed in.
 */

export interface ResendPorts {
  /** Runs a schedule now, once. */
  trigger(scheduleId: string, signal: AbortSignal): Promise<Run>;
  /** How a run ended; rejects when the signal is aborted. */
  ended(runId: string, signal: AbortSignal): Promise<Run['status']>;
  /** Rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  sentenceOf(error: unknown): string;
}

export interface ResendProgress {
  state: 'running' | 'done' | 'cancelled';
  total: number;
  sent: number;
  succeeded: number;
  failed: number;
  /** Not sent, by the sentence that says why. */
  refused: ReadonlyMap<string, number>;
}

export const START: Omit<ResendProgress, 'total'> = {
  state: 'running',
  sent: 0,
  succeeded: 0,
  failed: 0,
  refused: new Map(),
};

/**
 * @param scheduleIds in the order of sending; one that stands here twice is sent twice, after its first run has ended
 * @param perMinute 1 at least
 * @param told of each step
 */
export async function resend(
  scheduleIds: readonly string[],
  perMinute: number,
  ports: ResendPorts,
  signal: AbortSignal,
  told: (progress: ResendProgress) => void,
): Promise<ResendProgress> {
  let progress: ResendProgress = { ...START, total: scheduleIds.length };
  const say = (change: Partial<ResendProgress>) => {
    progress = { ...progress, ...change };
    told(progress);
  };
  const refuse = (error: unknown) => {
    const sentence = ports.sentenceOf(error);
    const before = progress.refused.get(sentence) ?? 0;
    say({ refused: new Map([...progress.refused, [sentence, before + 1]]) });
  };
  /** The end of the run that is under way, by its schedule. */
  const going = new Map<string, Promise<void>>();
  const left = [...scheduleIds];
  const aborted = untilAborted(signal);
  say({});
  while (left.length > 0 && !signal.aborted) {
    const place = left.findIndex(id => !going.has(id));
    if (place === -1) {
      await Promise.race([...going.values(), aborted]);
      continue;
    }
    const [id] = left.splice(place, 1);
    try {
      const run = await ports.trigger(id!, signal);
      say({ sent: progress.sent + 1 });
      const end = ports
        .ended(run.id, signal)
        .then(
          status =>
            say(
              status === 'succeeded'
                ? { succeeded: progress.succeeded + 1 }
                : { failed: progress.failed + 1 },
            ),
          () => {},
        )
        .finally(() => going.delete(id!));
      going.set(id!, end);
    } catch (error) {
      if (!signal.aborted) refuse(error);
    }
    if (left.length > 0) await ports.wait(60_000 / perMinute, signal).catch(() => {});
  }
  await Promise.race([Promise.all(going.values()), aborted]);
  say({ state: signal.aborted ? 'cancelled' : 'done' });
  return progress;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** The progress in one sentence. */
export function progressText({ state, total, sent, succeeded, failed, refused }: ResendProgress) {
  const notSent = [...refused.values()].reduce((sum, count) => sum + count, 0);
  const parts = [
    `${sent} of ${total} sent`,
    succeeded > 0 && `${succeeded} succeeded`,
    failed > 0 && `${failed} failed`,
    notSent > 0 && `${notSent} refused`,
    sent - succeeded - failed > 0 && `${sent - succeeded - failed} not ended yet`,
  ].filter(Boolean);
  return `${HEADS[state]}: ${parts.join(', ')}.`;
}

const HEADS = { running: 'Sending again', done: 'Sent again', cancelled: 'Cancelled' };
