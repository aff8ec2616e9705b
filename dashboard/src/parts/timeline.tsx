import { useElementSize } from '@mantine/hooks';
import type { Run } from '@punctual/client';
import { useMemo } from 'react';
import { clockTime, dayName, fullTime } from '../times.ts';
import { toneOf } from './status.tsx';

const HEIGHT = 76;
const BAND_TOP = 14;
const BAND = 34;
const DAY_MS = 86_400_000;
const STEPS_MS = [60_000, 300_000, 900_000, 3_600_000, 3 * 3_600_000, 6 * 3_600_000, DAY_MS];
/** Between two labels of the axis, px. */
const LABEL_ROOM = 76;
/** A click this near to a run means the run. */
const NEAR_PX = 5;

/**
 * Runs and coming times on a line. A click on a run opens it; on an empty place it asks why nothing
 * is there. The same can be done from the list of runs and the form below it by keyboard.
 */
export function Timeline({
  from,
  to,
  now,
  runs,
  coming,
  onRun,
  onEmpty,
}: {
  from: number;
  to: number;
  now: number;
  runs: Run[];
  coming: number[];
  onRun: (run: Run) => void;
  onEmpty: (at: number) => void;
}) {
  const { ref, width } = useElementSize();
  const x = (at: number) => ((at - from) / (to - from)) * width;
  const shown = useMemo(
    () =>
      runs
        .map(run => ({ run, at: Date.parse(run.scheduledFor) }))
        .filter(({ at }) => at >= from && at <= to),
    [runs, from, to],
  );
  const click = (px: number) => {
    const near = shown
      .map(({ run, at }) => ({ run, distance: Math.abs(x(at) - px) }))
      .sort((a, b) => a.distance - b.distance)[0];
    if (near !== undefined && near.distance <= NEAR_PX) onRun(near.run);
    else onEmpty(from + (px / width) * (to - from));
  };
  const failed = shown.filter(({ run }) => run.status === 'failed').length;
  return (
    <div ref={ref}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table and the form below do the same */}
      <svg
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`Timeline from ${fullTime(from)} to ${fullTime(to)}: ${shown.length} runs, ${failed} failed.`}
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
        {ticks(from, to, width).map(({ at, text }) => (
          <g key={at}>
            <line
              x1={x(at)}
              x2={x(at)}
              y1={BAND_TOP + BAND}
              y2={BAND_TOP + BAND + 5}
              stroke="var(--line)"
            />
            <text x={x(at)} y={HEIGHT - 8} fontSize={11} fill="var(--muted)" textAnchor="middle">
              {text}
            </text>
          </g>
        ))}
        {coming
          .filter(at => at <= to)
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
        {shown.map(({ run, at }) => (
          <Mark key={run.id} run={run} x={x(at)} />
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

/** Failed runs are taller, too: not only another colour. */
function Mark({ run, x }: { run: Run; x: number }) {
  const isBad = run.status === 'failed' || run.status === 'missed';
  const inset = isBad ? 1 : run.status === 'skipped' ? 12 : 6;
  return (
    <rect
      x={x - 2}
      y={BAND_TOP + inset}
      width={4}
      height={BAND - 2 * inset}
      rx={1.5}
      fill={toneOf(run.status)}
    >
      <title>
        {fullTime(run.scheduledFor)}: {run.status}
      </title>
    </rect>
  );
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
