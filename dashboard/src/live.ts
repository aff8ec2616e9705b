import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { flagOf } from './flag.ts';
import { api, isSignedOut } from './queries.ts';
import { sessionEnded } from './session.ts';

/** Whether the page hears what happens. `lost` only after it failed twice: a blink is no news. */
export const connection = flagOf<'connecting' | 'live' | 'lost'>('connecting');

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 4_000;
/** However much happens, the lists are asked for again once in this time. */
const REFRESH_MS = 1_000;

/** Keeps the lists and figures on the page as they are in the service, while it is mounted. */
export function useLive(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const abort = new AbortController();
    const stale = new Set<string>();
    const refresh = () => {
      for (const name of stale) void queries.invalidateQueries({ queryKey: [name] });
      stale.clear();
    };
    const timer = setInterval(refresh, REFRESH_MS);
    void listen(abort.signal, {
      opened: () => void queries.invalidateQueries(),
      heard: names => {
        for (const name of names) stale.add(name);
      },
    });
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [queries]);
}

interface Ears {
  /** After a break: whatever happened meanwhile. */
  opened: () => void;
  heard: (queryNames: string[]) => void;
}

const NAMES = {
  'run.ended': ['runs', 'run', 'history', 'stats', 'explain'],
  'schedule.changed': ['schedules', 'schedule', 'stats', 'forecast', 'next', 'explain'],
  'breaker.opened': ['stats'],
  'breaker.closed': ['stats'],
  gap: ['runs', 'run', 'history', 'stats', 'schedules', 'schedule', 'forecast', 'next'],
};

async function listen(signal: AbortSignal, { opened, heard }: Ears): Promise<void> {
  let lastEventId: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const onOpen = () => {
      if (failures > 0) opened();
      failures = 0;
      connection.set('live');
    };
    try {
      const resume = lastEventId === undefined ? {} : { lastEventId };
      for await (const { id, type } of api.events({
        signal,
        onOpen,
        reconnect: false,
        ...resume,
      })) {
        lastEventId = id;
        heard(NAMES[type]);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isSignedOut(error)) sessionEnded.set(true);
    }
    failures += 1;
    if (failures > 1) connection.set('lost');
    await pause(Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS), signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
