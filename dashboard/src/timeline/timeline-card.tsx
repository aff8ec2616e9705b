import { Group, Skeleton, Text } from '@mantine/core';
import type { HistoryStep, Run, Schedule } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Card, Failed } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { askedRange } from '../time/time-window.ts';
import { fullTime, READER_ZONE, shortTime, span as spanText } from '../time/times.ts';
import { clockQuery } from '../time/zone-clock.ts';
import { OpenedMark, type OpenMark, VersionMarks } from '../version/mark-details.tsx';
import { Lane } from './lane.tsx';
import { PlotControls, PlotFoot, TimePlot } from './time-plot.tsx';
import {
  type Click,
  clockMarksOf,
  countsText,
  nextStep,
  type Step,
  stepAt,
  stepsIn,
  totalOf,
} from './timeline.ts';
import { StepTable, TimelineMarks } from './timeline-marks.tsx';
import { type Lanes, useLanes } from './use-lanes.ts';
import { type TimeView, useTimeView } from './use-time-view.ts';

const DAY_MS = 86_400_000;
/** Now stands at this part of the window while it follows the clock. */
const PAST_SHARE = 1 / 1.15;
const SPANS = {
  '15 min': (15 * 60_000) / PAST_SHARE,
  '2 h': (2 * 3_600_000) / PAST_SHARE,
  '1 day': DAY_MS / PAST_SHARE,
  '7 days': (7 * DAY_MS) / PAST_SHARE,
  '30 days': (30 * DAY_MS) / PAST_SHARE,
};
const HEIGHT = 46;
/** So few runs in the window are drawn one by one. */
const MOST_SINGLE = 60;
const LONGEST_SINGLE_MS = 3_600_000;
/** A click this near to something means it. */
const NEAR_PX = 5;

interface Props {
  schedule: Schedule;
  /** Runs that have not ended. */
  going: Run[];
  /** @param step that was hit, where one was */
  onTime: (click: Click, step: (HistoryStep & { to: string }) | undefined) => void;
}

/** The timeline of one schedule, from a month to one firing. */
export function TimelineCard({ coming, ...props }: Props & { coming: number[] | undefined }) {
  // The first answer decides: a pause takes the coming times away, and moves nothing.
  const [defaultSpanMs, setDefault] = useState<number | null>(null);
  useEffect(() => {
    if (coming !== undefined) setDefault(before => before ?? spanFor(coming));
  }, [coming]);
  if (defaultSpanMs === null) {
    return (
      <Card title="Timeline">
        <Skeleton height={HEIGHT + 90} role="status" aria-label="Loading" />
      </Card>
    );
  }
  return <Zoomable {...props} defaultSpanMs={defaultSpanMs} />;
}

/** The shortest in which a schedule of this pace has a handful of runs. */
function spanFor([first, second]: number[]): number {
  if (first === undefined || second === undefined) return SPANS['1 day'];
  return Object.values(SPANS).find(ms => ms >= 10 * (second - first)) ?? SPANS['30 days'];
}

function Zoomable({ schedule, going, onTime, defaultSpanMs }: Props & { defaultSpanMs: number }) {
  const { id, timezone } = schedule;
  const [width, setWidth] = useState(0);
  const [cursor, setCursor] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const [opened, setOpened] = useState<OpenMark | null>(null);
  const view = useTimeView(defaultSpanMs, PAST_SHARE);
  const { window, now } = view;
  const version = schedule.updatedAt ?? '';
  const lanes = useLanes([id], view, width, { most: 400, leastPx: 4, leastPollMs: 2_000, version });
  const { steps, countedFrom, empty } = lanes.of(id);
  const shown = stepsIn(steps, window);
  const runs = useSingleRuns(id, view, shown, lanes);
  const bands = useBands(schedule, view, lanes.stepMs, width > 0);
  const zone = useQuery(clockQuery(timezone));
  const clocks = zone.data ? clockMarksOf(zone.data, window) : [];
  const nearMs = width === 0 ? 0 : (NEAR_PX * view.spanMs) / width;
  const hit = cursor === null ? undefined : stepAt(shown, cursor, nearMs);
  const run = cursor === null ? undefined : runAt(runs ?? [], cursor, nearMs);
  const text = cursor === null ? '' : pointedText(cursor, hit, run, timezone, empty);
  const total = countsText(totalOf(shown)) || empty;
  const pick = (at: number) => {
    const step = stepAt(shown, at, nearMs);
    const stepNearMs = step === undefined ? 0 : step.to - step.at;
    onTime({ at, nearMs: Math.max(nearMs, stepNearMs) }, step && askedStep(step));
  };
  const arrow = (key: string) => {
    const next = nextStep(steps, cursor ?? now, key === 'ArrowRight');
    if (next === undefined) return;
    setCursor(next);
    if (next < window.from || next > window.to) view.move(next - (window.from + window.to) / 2);
  };
  return (
    <Card
      title="Timeline"
      aside={<PlotControls view={view} spans={SPANS} name="Span of the timeline" />}
    >
      {lanes.error !== null && (
        <Failed error={lanes.error} again={lanes.again} isBusy={lanes.isBusy} />
      )}
      <Readout text={text} total={total} timezone={timezone} />
      <TimePlot
        view={view}
        timezone={timezone}
        name="Time axis of the timeline"
        cursor={cursor}
        cursorText={text}
        onPoint={pointed => setCursor(pointed?.at ?? null)}
        onPick={({ at }) => pick(at)}
        onArrow={arrow}
        onWidth={setWidth}
      >
        {plotWidth => (
          <>
            <Lane
              label={`Timeline from ${fullTime(window.from, timezone)} to ${fullTime(window.to, timezone)}: ${total}.`}
              width={plotWidth}
              height={HEIGHT}
              window={window}
              now={now}
              steps={shown}
              countedFrom={countedFrom ?? window.from}
              going={going}
              {...(runs && { runs })}
              {...(bands && { bands })}
              clocks={clocks}
            />
            <VersionMarks
              schedule={schedule}
              window={window}
              width={plotWidth}
              timezone={timezone}
              onOpen={setOpened}
            />
          </>
        )}
      </TimePlot>
      <OpenedMark schedule={schedule} opened={opened} onClose={() => setOpened(null)} />
      {countedFrom !== null && countedFrom > window.from && (
        <Text size="xs" className="muted">
          Before {shortTime(countedFrom, timezone)} it is being counted…
        </Text>
      )}
      <TimelineMarks window={window} bands={bands} clocks={clocks} timezone={timezone} />
      <PlotFoot isTable={isTable} onTable={() => setTable(!isTable)} />
      {isTable && <StepTable steps={shown} timezone={timezone} />}
    </Card>
  );
}

/** One line that is always there, so that nothing moves: what is pointed at, or the whole window. */
function Readout({ text, total, timezone }: { text: string; total: string; timezone: string }) {
  return (
    <Group justify="space-between" gap="xs" mb={4} mih={22}>
      <Text size="sm" className="numbers" fw={text === '' ? 400 : 550}>
        {text || `In view: ${total}`}
      </Text>
      <Text size="xs" className="muted">
        By the clock of {timezone}
        {timezone !== READER_ZONE && `, the schedule's; yours is ${READER_ZONE}`}
      </Text>
    </Group>
  );
}

/** Few enough to be drawn one by one; undefined where they are not, or not there yet. */
function useSingleRuns(
  scheduleId: string,
  view: TimeView,
  shown: Step[],
  { stepMs }: Lanes,
): Run[] | undefined {
  const { succeeded, failed, skipped, missed } = totalOf(shown);
  const isDeep =
    view.spanMs <= LONGEST_SINGLE_MS && succeeded + failed + skipped + missed <= MOST_SINGLE;
  const { from, to } = askedRange(view.window, stepMs);
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const query = { scheduleId, ...range, limit: 100 };
  const list = useQuery({
    // Events put what ends into it (live-fold.ts).
    queryKey: ['runs', query],
    queryFn: () => api.listRuns(query),
    enabled: isDeep,
    placeholderData: keepPreviousData,
    refetchInterval: from <= view.now && view.now <= to ? 15_000 : false,
  });
  const isWhole = list.data !== undefined && list.data.nextCursor === undefined;
  const areMany = list.data?.items.some(({ missedCount }) => missedCount !== undefined);
  return isDeep && isWhole && !list.isPlaceholderData && !areMany ? list.data.items : undefined;
}

function useBands({ id, updatedAt }: Schedule, view: TimeView, stepMs: number, isShown: boolean) {
  const range = askedRange(view.window, stepMs);
  const [from, to] = [range.from, range.to].map(at => new Date(at).toISOString()) as [
    string,
    string,
  ];
  const bands = useQuery({
    queryKey: ['bands', id, from, to, updatedAt],
    queryFn: () => api.bands(id, { from, to }),
    enabled: isShown,
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
  return bands.data;
}

function runAt(runs: Run[], at: number, nearMs: number): Run | undefined {
  const distance = ({ scheduledFor, finishedAt }: Run) => {
    const due = Date.parse(scheduledFor);
    return Math.max(0, due - at, at - Date.parse(finishedAt ?? scheduledFor));
  };
  const [nearest] = runs.toSorted((a, b) => distance(a) - distance(b));
  return nearest !== undefined && distance(nearest) <= nearMs ? nearest : undefined;
}

function pointedText(
  at: number,
  step: Step | undefined,
  run: Run | undefined,
  timezone: string,
  empty: string,
): string {
  if (run !== undefined) return runText(run, timezone);
  if (step === undefined) return `${fullTime(at, timezone)}: ${empty}`;
  const isSecond = step.to - step.at <= 1_000;
  const until = isSecond ? '' : ` to ${shortTime(step.to, timezone)}`;
  return `${fullTime(step.at, timezone)}${until}: ${countsText(step)}`;
}

/** `Due 12:00:00, 4 ms late, took 12 ms: succeeded` */
function runText({ scheduledFor, startedAt, finishedAt, status }: Run, timezone: string): string {
  const due = `Due ${fullTime(scheduledFor, timezone)}`;
  if (startedAt === undefined) return `${due}: ${status}`;
  const late = Date.parse(startedAt) - Date.parse(scheduledFor);
  const took =
    finishedAt === undefined
      ? ''
      : `, took ${spanText(Date.parse(finishedAt) - Date.parse(startedAt))}`;
  return `${due}, ${spanText(Math.max(0, late))} late${took}: ${status}`;
}

function askedStep({ at, to, due: _, ...counts }: Step): HistoryStep & { to: string } {
  return { ...counts, at: new Date(at).toISOString(), to: new Date(to).toISOString() };
}
