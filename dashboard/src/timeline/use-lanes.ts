import { useDebouncedValue } from '@mantine/hooks';
import type { Timeline, TimelineLane } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../queries.ts';
import { askedRange, stepSecondsFor, type TimeWindow } from '../time/time-window.ts';
import { emptyText, type Step, stepsOf } from './timeline.ts';
import type { TimeView } from './use-time-view.ts';

/** The steps of the lanes of a timeline, asked for in one question and kept true while it is looked at. */
export interface Lanes {
  stepMs: number;
  of(scheduleId: string): LaneSteps & {
    /** The words for a place without times. */
    empty: string;
  };
  error: unknown;
  again(): void;
  isBusy: boolean;
}

export interface LaneSteps {
  steps: Step[];
  /** Since when results are counted, epoch ms; null: nothing is told yet. */
  countedFrom: number | null;
}

/** A zoom or a drag rests this long before it asks, ms. */
const RESTED_MS = 120;
const LONGEST_POLL_MS = 30_000;

export function useLanes(
  ids: string[],
  view: TimeView,
  width: number,
  {
    most,
    leastPx,
    leastPollMs,
    version = '',
  }: {
    /** Steps in view. */
    most: number;
    leastPx: number;
    leastPollMs: number;
    /** It is asked again when this changes. */
    version?: string;
  },
): Lanes {
  const stepSeconds = stepSecondsFor(view.spanMs, width, { most, leastPx });
  const { from, to } = askedRange(view.window, stepSeconds * 1_000);
  const wanted = width > 0 ? `${from} ${to} ${stepSeconds}` : '';
  const [rested] = useDebouncedValue(wanted, RESTED_MS);
  // The first question waits for nothing but the width.
  const asked = rested === '' ? wanted : rested;
  const query = useQuery({
    queryKey: ['timeline', ids, asked, version],
    queryFn: ({ signal }) => ask(ids, asked, signal),
    enabled: asked !== '' && ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => pollMs(data, leastPollMs),
  });
  const { data } = query;
  const lanes = useMemo(
    () => new Map(data?.items.map(lane => [lane.scheduleId, laneSteps(data, lane)])),
    [data],
  );
  return {
    stepMs: (data?.stepSeconds ?? stepSeconds) * 1_000,
    of(scheduleId) {
      const lane = lanes.get(scheduleId) ?? NOTHING;
      const counted = data === undefined ? null : countedOf(data, lane, query.isPlaceholderData);
      return { ...lane, empty: emptyText(view.window, counted, query.error !== null) };
    },
    error: query.error,
    again: () => void query.refetch(),
    isBusy: query.isFetching,
  };
}

const NOTHING: LaneSteps = { steps: [], countedFrom: null };

function laneSteps(timeline: Timeline, lane: TimelineLane): LaneSteps {
  const countedFrom = lane.isPartial ? Date.parse(lane.from) : Number.NEGATIVE_INFINITY;
  return { steps: stepsOf(timeline, lane), countedFrom };
}

/** @param isOld the answer is to the question before, and the window may have left it */
function countedOf(timeline: Timeline, { countedFrom }: LaneSteps, isOld: boolean): TimeWindow {
  const from = countedFrom ?? Number.POSITIVE_INFINITY;
  if (!isOld) return { from, to: Number.POSITIVE_INFINITY };
  return { from: Math.max(from, Date.parse(timeline.from)), to: Date.parse(timeline.to) };
}

function ask(scheduleId: string[], asked: string, signal: AbortSignal): Promise<Timeline> {
  const [from = 0, to = 0, stepSeconds = 1] = asked.split(' ').map(Number);
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  return api.timeline({ scheduleId, ...range, stepSeconds }, { signal });
}

/** Counted times of the past change no more. */
function pollMs(data: Timeline | undefined, leastMs: number): number | false {
  if (data === undefined) return false;
  if (data.items.some(({ isPartial }) => isPartial)) return 1_000;
  if (Date.parse(data.from) > Date.now()) return LONGEST_POLL_MS;
  const isNowIn = Date.parse(data.to) + LONGEST_POLL_MS > Date.now();
  if (!isNowIn) return false;
  return Math.min(LONGEST_POLL_MS, Math.max(leastMs, data.stepSeconds * 250));
}
