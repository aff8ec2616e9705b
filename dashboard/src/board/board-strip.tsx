import type { RecentOutcome } from '@punctual/client';
import { shortTime } from '../time/times.ts';
import { STRIP_LENGTH, stripText } from './health-words.ts';

const STEP = 6;
const HEIGHT = 22;

/**
 * The latest outcomes, oldest first, so that the newest stands at the right. A failure is as high as the strip, and a
 * success is half as high: it is told without colour too.
 */
export function BoardStrip({ recent }: { recent: readonly RecentOutcome[] }) {
  return (
    <svg
      className="strip"
      role="img"
      aria-label={stripText(recent)}
      width={STRIP_LENGTH * STEP}
      height={HEIGHT}
      preserveAspectRatio="none"
      viewBox={`0 0 ${STRIP_LENGTH * STEP} ${HEIGHT}`}
    >
      {recent.map(({ id, status, scheduledFor }, back) => (
        <Bar
          key={id}
          x={(STRIP_LENGTH - 1 - back) * STEP}
          status={status}
          title={`${shortTime(scheduledFor)}: ${status}`}
        />
      ))}
      {recent.length === 0 && (
        <line
          className="strip-none"
          x1={0}
          x2={STRIP_LENGTH * STEP}
          y1={HEIGHT - 1}
          y2={HEIGHT - 1}
        />
      )}
    </svg>
  );
}

const TOPS = { succeeded: 10, failed: 0, missed: 0, skipped: 18 } as const;

function Bar({ x, status, title }: { x: number; status: RecentOutcome['status']; title: string }) {
  const top = TOPS[status];
  return (
    <rect className={`bar-${status}`} x={x + 0.5} y={top + 0.5} width={4} height={HEIGHT - 1 - top}>
      <title>{title}</title>
    </rect>
  );
}
