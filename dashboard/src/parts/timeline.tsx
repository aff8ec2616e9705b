import { useElementSize } from '@mantine/hooks';
import type { History, HistoryStep, Run } from '@punctual/client';
import { useEffect } from 'react';
import { type Click, countsText, partsOf } from '../timeline.ts';
import { clockTime, dayName, fullTime, shortTime } from '../times.ts';
import { toneOf } from './status.tsx';

const HEIGHT = 76;
const BAND_TOP = 14;
const BAND = 34;
const DAY_MS = 86_400_000;
const STEPS_MS = [60_000, 300_000, 900_000, 3_600_000, 3 * 3_600_000, 6 * 3_600_000, DAY_MS];
/** Between two labels of the axis, px. */
const LABEL_ROOM = 76;
/** A click this near to something means it. */
const NEAR_PX = 5;
const LEAST_WIDTH = 3;

interface Around {
  from: number;
  to: number;
  now: number;
}

/**
 * The results of a schedule's times, counted for each step, and its coming times. A click on a step
 * with one run opens the run. A click elsewhere explains the nearest time. By keyboard, the list of
 * runs and the form below it do the same.
 */
export function Timeline({
  from,
  to,
  now,
  history,
  going,
  coming,
  onRun,
  onStep,
  onTime,
  onWidth,
}: Around & {
  history: History | undefined;
  /** Runs that have not ended. */
  going: Run[];
  coming: number[];
  onRun: (run: Run) => void;
  /** A step with one run. */
  onStep: (step: HistoryStep) => void;
  /** @param step that was hit, where one was */
  onTime: (click: Click, step: HistoryStep | undefined) => void;
  onWidth: (width: number) => void;
}) {
  const { ref, width } = useElementSize();
  useEffect(() => {
    if (width > 0) onWidth(width);
  }, [width, onWidth]);
  const x = (at: number) => ((at - from) / (to - from)) * width;
  const stepMs = (history?.stepSeconds ?? 0) * 1_000;
  const steps = (history?.steps ?? []).filter(({ at }) => Date.parse(at) + stepMs > from);
  const place = (step: HistoryStep) => {
    const left = x(Date.parse(step.at));
    const right = x(Math.min(now, Date.parse(step.at) + stepMs));
    return { left, width: Math.max(LEAST_WIDTH, right - left - 1) };
  };
  const click = (px: number) => {
    const msOfPx = (to - from) / width;
    const run = going.find(({ scheduledFor }) => Math.abs(x(Date.parse(scheduledFor)) - px) <= 2);
    if (run !== undefined) return onRun(run);
    const step = nearestStep(steps, px, place);
    if (step !== undefined && isOne(step)) return onStep(step);
    onTime({ at: from + px * msOfPx, nearMs: Math.max(NEAR_PX * msOfPx, stepMs) }, step);
  };
  const countedFrom = history?.isPartial ? Date.parse(history.from) : from;
  return (
    <div ref={ref}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table and the form below do the same */}
      <svg
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`Timeline from ${fullTime(from)} to ${fullTime(to)}: ${totalsOf(steps)}.`}
        style={{ display: 'block', cursor: 'crosshair' }}
        onClick={event => click(event.clientX - event.currentTarget.getBoundingClientRect().left)}
      >
        <rect
          y={BAND_TOP}
          width={width}
          height={BAND}
          rx={6}
          fill="var(--ground)"
          stroke="var(--line)"
        />
        <Axis from={from} to={to} width={width} x={x} />
        {coming
          .filter(at => at > now && at <= to)
          .map(at => (
            <rect
              key={at}
              x={x(at) - 1}
              y={BAND_TOP + 6}
              width={2}
              height={BAND - 12}
              fill="var(--muted)"
              opacity={0.45}
            />
          ))}
        {countedFrom > from && (
          <text x={x(countedFrom) / 2} y={BAND_TOP + 21} {...NOTE}>
            {x(countedFrom) > 110 && 'being counted…'}
          </text>
        )}
        {steps.map(step => (
          <Bar key={step.at} step={step} stepMs={stepMs} {...place(step)} />
        ))}
        {going.map(run => (
          <rect
            key={run.id}
            x={x(Date.parse(run.scheduledFor)) - 2}
            y={BAND_TOP + 6}
            width={4}
            height={BAND - 12}
            rx={1.5}
            fill={toneOf(run.status)}
          >
            <title>
              {fullTime(run.scheduledFor)}: {run.status}
            </title>
          </rect>
        ))}
        <line
          x1={x(now)}
          x2={x(now)}
          y1={6}
          y2={BAND_TOP + BAND + 4}
          stroke="var(--busy)"
          strokeWidth={1.5}
        />
        <text x={x(now)} y={9} dy={-1} fontSize={10} fill="var(--busy)" textAnchor="middle">
          now
        </text>
      </svg>
    </div>
  );
}

const NOTE = { fontSize: 11, fill: 'var(--muted)', textAnchor: 'middle' } as const;

/** A failure is taller as well, since colour alone does not suffice. */
function Bar({
  step,
  stepMs,
  left,
  width,
}: {
  step: HistoryStep;
  stepMs: number;
  left: number;
  width: number;
}) {
  const parts = partsOf(step);
  const isBad = step.failed + step.missed > 0;
  const inset = isBad ? 1 : parts[0]?.status === 'skipped' && parts.length === 1 ? 12 : 6;
  const height = BAND - 2 * inset;
  let y = BAND_TOP + inset;
  return (
    <g>
      <title>
        {`${fullTime(step.at)} to ${shortTime(Date.parse(step.at) + stepMs)}: ${countsText(step)}`}
      </title>
      {parts.map(({ status, share }) => {
        const top = y;
        y += share * height;
        return (
          <rect
            key={status}
            x={left}
            y={top}
            width={width}
            height={share * height}
            rx={parts.length === 1 ? 1.5 : 0}
            fill={toneOf(status)}
          />
        );
      })}
    </g>
  );
}

function Axis({
  from,
  to,
  width,
  x,
}: {
  from: number;
  to: number;
  width: number;
  x: (at: number) => number;
}) {
  return ticks(from, to, width).map(({ at, text }) => (
    <g key={at}>
      <line
        x1={x(at)}
        x2={x(at)}
        y1={BAND_TOP + BAND}
        y2={BAND_TOP + BAND + 5}
        stroke="var(--line)"
      />
      <text x={x(at)} y={HEIGHT - 8} {...NOTE}>
        {text}
      </text>
    </g>
  ));
}

function nearestStep(
  steps: HistoryStep[],
  px: number,
  place: (step: HistoryStep) => { left: number; width: number },
): HistoryStep | undefined {
  const distance = (step: HistoryStep) => {
    const { left, width } = place(step);
    return Math.max(0, left - px, px - left - width);
  };
  const [nearest] = steps.toSorted((a, b) => distance(a) - distance(b));
  return nearest !== undefined && distance(nearest) <= NEAR_PX ? nearest : undefined;
}

function isOne({ succeeded, failed, skipped, missed }: HistoryStep): boolean {
  return succeeded + failed === 1 && skipped + missed === 0;
}

function totalsOf(steps: HistoryStep[]): string {
  const sum = { at: '', succeeded: 0, failed: 0, skipped: 0, missed: 0 };
  for (const step of steps) {
    sum.succeeded += step.succeeded;
    sum.failed += step.failed;
    sum.skipped += step.skipped;
    sum.missed += step.missed;
  }
  return countsText(sum) || 'nothing ran';
}

function ticks(from: number, to: number, width: number): { at: number; text: string }[] {
  if (width === 0) return [];
  const least = ((to - from) / width) * LABEL_ROOM;
  const step = STEPS_MS.find(each => each >= least) ?? DAY_MS;
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((from - offset) / step) * step + offset;
  const found = [];
  for (let at = first; at <= to; at += step) {
    const isEdge = at - from < least / 2 || to - at < least / 2;
    if (!isEdge) found.push({ at, text: step === DAY_MS ? dayName(at) : clockTime(at) });
  }
  return found;
}
