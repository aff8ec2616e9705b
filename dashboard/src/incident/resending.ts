import type { Run, RunQuery } from '@punctual/client';
import { onEvent } from '../live/live.ts';
import { flagOf } from '../parts/flag.ts';
import { wait } from '../parts/wait.ts';
import { api, sentenceOf } from '../queries.ts';
import { type ResendPorts, type ResendProgress, resend } from './resend.ts';

/** The runs that this page sends again. It goes on while one looks at other pages, and ends with the tab. */
export const resending = flagOf<ResendProgress | null>(null);

let cancel: AbortController | null = null;

export function cancelResending(): void {
  cancel?.abort();
}

export function startResending(scheduleIds: readonly string[], perMinute: number): void {
  cancelResending();
  const abort = new AbortController();
  cancel = abort;
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', warn);
  void resend(scheduleIds, perMinute, PORTS, abort.signal, progress => {
    if (cancel === abort) resending.set(progress);
  }).finally(() => removeEventListener('beforeunload', warn));
}

/** How often it is asked whether a run has ended, besides the events that tell of it. */
const ASK_EVERY_MS = 10_000;

const PORTS: ResendPorts = {
  trigger: (scheduleId, signal) => api.triggerSchedule(scheduleId, { signal }),
  ended: endOf,
  wait,
  sentenceOf,
};

async function endOf(runId: string, signal: AbortSignal): Promise<Run['status']> {
  const heard = Promise.withResolvers<Run['status']>();
  const leave = onEvent(event => {
    if (event.type === 'run.ended' && event.data.id === runId) heard.resolve(event.data.status);
  });
  try {
    for (;;) {
      // It may have ended before anybody listened.
      const found = await api.getRun(runId, { signal }).catch(() => null);
      if (found?.finishedAt !== undefined || found?.status === 'skipped') return found.status;
      const told = await Promise.race([heard.promise, wait(ASK_EVERY_MS, signal)]);
      if (told !== undefined) return told;
    }
  } finally {
    leave();
  }
}

/** Runs that are counted at most before anything is sent. */
export const MOST_COUNTED = 10_000;

export interface CountedRuns {
  /** Of each failed run and of each record of missed times its schedule, oldest first. */
  scheduleIds: string[];
  /** There are more. */
  isCut: boolean;
}

/** @param query without a status: of runs that failed, and of times that were missed */
export async function countFailed(
  query: Omit<RunQuery, 'status'>,
  signal: AbortSignal,
): Promise<CountedRuns> {
  const found: Run[] = [];
  for (const status of ['failed', 'missed'] as const) {
    for await (const run of api.runs({ ...query, status }, { signal })) {
      found.push(run);
      if (found.length > MOST_COUNTED) break;
    }
  }
  found.sort((a, b) => (a.scheduledFor < b.scheduledFor ? -1 : 1));
  return {
    scheduleIds: found.slice(0, MOST_COUNTED).map(({ scheduleId }) => scheduleId),
    isCut: found.length > MOST_COUNTED,
  };
}
