import type { Run, RunPage, Stats } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { forecastQuery } from '../forecast/forecast-query.ts';
import { connection, onEvent } from '../live/live.ts';
import { useFlag } from '../parts/flag.ts';
import { api } from '../queries.ts';
import { useNow } from '../time/times.ts';
import { dueInNextMinute, figuresOf, landingOf, type WallFigures } from './wall-maths.ts';
import { WallMemory } from './wall-memory.ts';

/** The figures are of this span. */
export const WINDOW_MINUTES = 5;
const WINDOW_MS = WINDOW_MINUTES * 60_000;
/** A further landing takes the place of the oldest. */
const MOST_LANDINGS = 20_000;
/** Runs of before, so that the wall is not empty when it is opened. */
const MOST_BEFORE = 100;
/** A sample is of runs whose time is so long past that most of them have ended. */
const SAMPLE_AGE_MS = 3_000;
const ASK_EVERY_MS = 15_000;

export interface WallState {
  memory: WallMemory;
  /** Whether it is known what fired before: until then, no firings do not mean that none were. */
  isKnown: boolean;
  figures: WallFigures;
  /** The service's own figures, where more fires than it tells one by one. */
  counted: Stats['total'] | null;
  /** Firings of the minute to come; null until the service has counted them. */
  dueNext: number | null;
  /** Epoch ms by the service's clock. */
  now: number;
  /** The figures are of this instant and later, epoch ms; null if of the whole window. */
  since: number | null;
}

/** The latest firings and what is to come, once a second, however much happens. */
export function useWall(): WallState {
  const [memory] = useState(() => new WallMemory(MOST_LANDINGS));
  const now = memory.serviceTime(useNow());
  useEffect(
    () =>
      onEvent(event => {
        if (event.type === 'gap') {
          const until = Date.parse(event.data.to);
          memory.learnClock(until, Date.now());
          memory.addGap(until);
          void readSample(memory, until);
        }
        if (event.type !== 'run.ended') return;
        const landing = landingOf(event.data);
        if (landing === null) return;
        memory.learnClock(landing.endedAt, Date.now());
        memory.add(landing);
      }),
    [memory],
  );
  const isKnown = useBefore(memory);
  const toCome = useToCome(now);
  const windowFrom = now - WINDOW_MS;
  const isSample = memory.isSampledSince(windowFrom);
  const from = isSample ? windowFrom : Math.max(windowFrom, memory.wholeFrom);
  return {
    ...toCome,
    now,
    memory,
    isKnown,
    figures: figuresOf(memory.since(from)),
    since: from > windowFrom ? from : null,
    counted: isSample ? toCome.counted : null,
  };
}

/** Instead of events that were not told. A failure leaves the sample as it is: the next gap asks again. */
async function readSample(memory: WallMemory, until: number): Promise<void> {
  const to = new Date(until - SAMPLE_AGE_MS).toISOString();
  const { items } = await api.listRuns({ limit: MOST_BEFORE, to }).catch(() => NO_RUNS);
  keepRuns(memory, items);
}

const NO_RUNS: RunPage = { items: [] };

function keepRuns(memory: WallMemory, newestFirst: readonly Run[]): void {
  for (const run of newestFirst.toReversed()) {
    const landing = landingOf(run);
    if (landing !== null) memory.add(landing);
  }
}

/**
 * Asked for when the stream of events is open, so that no firing ends between the two.
 *
 * @returns whether there is an answer
 */
function useBefore(memory: WallMemory): boolean {
  const isLive = useFlag(connection) === 'live';
  const isFirst = useRef(true);
  const before = useQuery({
    queryKey: ['wall'],
    queryFn: () => api.listRuns({ limit: MOST_BEFORE }),
    enabled: isLive,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  useEffect(() => {
    if (before.data === undefined) return;
    const { items, nextCursor } = before.data;
    keepRuns(memory, items);
    const oldest = items.at(-1);
    if (isFirst.current && nextCursor && oldest)
      memory.missesUntil(Date.parse(oldest.scheduledFor));
    isFirst.current = false;
  }, [before.data, memory]);
  return before.data !== undefined;
}

function useToCome(now: number): Pick<WallState, 'counted' | 'dueNext'> {
  const stats = useQuery({
    queryKey: ['stats', WINDOW_MINUTES],
    queryFn: () => api.stats({ minutes: WINDOW_MINUTES }),
    refetchInterval: ASK_EVERY_MS,
  });
  const forecast = useQuery(forecastQuery('day'));
  return {
    counted: stats.data?.total ?? null,
    dueNext: forecast.data === undefined ? null : dueInNextMinute(forecast.data, now),
  };
}
