import type { PunctualEvent } from '@punctual/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { flagOf } from '../parts/flag.ts';
import { wait } from '../parts/wait.ts';
import { api, isSignedOut } from '../queries.ts';
import { sessionEnded } from '../session.ts';
import { foldEvent } from './live-fold.ts';
import { Pace } from './pace.ts';
import { untilSeen, whenUnseen } from './seen.ts';

/** Whether the page hears what happens. `lost` only after it failed twice: a blink is no news. */
export const connection = flagOf<'connecting' | 'live' | 'lost'>('connecting');

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 4_000;
/** How often it is looked whether a query is to be asked again. */
const LOOK_MS = 1_000;
/** A break is bridged by a few seconds of repeated events: each is taken once. */
const MOST_KNOWN_IDS = 5_000;

type EventListener = (event: PunctualEvent) => void;

const listeners = new Set<EventListener>();

/** Calls the listener for each event, once, in order. @returns what ends it */
export function onEvent(listener: EventListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keeps the lists and figures on the page as they are in the service, while it is mounted. */
export function useLive(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const abort = new AbortController();
    const pace = new Pace();
    const look = () => {
      for (const queryKey of pace.due(performance.now())) {
        void queries.invalidateQueries({ queryKey });
      }
    };
    const timer = setInterval(look, LOOK_MS);
    const known = new Set<string>();
    void listen(abort.signal, {
      opened: () => void queries.invalidateQueries(),
      heard: event => {
        if (known.has(event.id)) return;
        known.add(event.id);
        if (known.size > MOST_KNOWN_IDS) known.delete(known.values().next().value!);
        for (const listener of listeners) listener(event);
        for (const stale of foldEvent(queries, event)) pace.add(stale);
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
  heard: (event: PunctualEvent) => void;
}

/** A stream that is refused until somebody signs in is not lost: it begins again at that moment. */
function untilSignedIn(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (!sessionEnded.get() || signal.aborted) resolve();
  };
  const leave = sessionEnded.subscribe(look);
  signal.addEventListener('abort', look);
  return promise.finally(() => {
    leave();
    signal.removeEventListener('abort', look);
  });
}

async function listen(signal: AbortSignal, { opened, heard }: Ears): Promise<void> {
  let lastEventId: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    await untilSeen(signal);
    const unseen = whenUnseen(signal);
    const onOpen = () => {
      if (failures > 0) opened();
      failures = 0;
      connection.set('live');
    };
    try {
      const resume = lastEventId === undefined ? {} : { lastEventId };
      const options = { signal: unseen.signal, onOpen, reconnect: false, ...resume };
      for await (const event of api.events(options)) {
        lastEventId = event.id;
        heard(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isSignedOut(error)) {
        sessionEnded.set(true);
        connection.set('connecting');
        await untilSignedIn(signal);
        continue;
      }
    } finally {
      unseen.end();
    }
    if (unseen.signal.aborted) continue;
    failures += 1;
    if (failures > 1) connection.set('lost');
    await wait(Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS), signal).catch(() => {});
  }
}
