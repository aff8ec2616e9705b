import type { Clock } from '../clock.ts';
import type { MoveStep } from '../store/open.ts';

/** Between two looks of a person. */
const EVERY_MS = 100;
const CELLS = 24;

export interface ProgressBar {
  show(step: MoveStep): void;
  /** Leaves no trace. Idempotent. */
  clear(): void;
}

/** One line that is written again and again, or nothing where nobody looks. */
export function progressBar(
  out: { write(text: string): unknown },
  isSeen: boolean,
  clock: Pick<Clock, 'now'>,
): ProgressBar {
  let shownAt = Number.NEGATIVE_INFINITY;
  let first: { step: MoveStep; at: number } | null = null;
  return {
    show(step) {
      const now = clock.now();
      if (!isSeen) return;
      const isNew = first?.step.table !== step.table || first.step.phase !== step.phase;
      if (isNew) first = { step, at: now };
      if (!isNew && now - shownAt < EVERY_MS) return;
      shownAt = now;
      const rate = ratePerSecond(step.rows - first!.step.rows, now - first!.at);
      out.write(`\r\x1b[2K${progressLine(step, rate)}`);
    },
    clear() {
      if (shownAt !== Number.NEGATIVE_INFINITY) out.write('\r\x1b[2K');
      shownAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** `moving runs       ████████░░░░░░░░░░░░░░░░  1,200,000 of 3,600,000, 84,000 rows/s` */
export function progressLine({ phase, table, rows, of }: MoveStep, rate: number | null): string {
  const full = of === 0 ? CELLS : Math.min(CELLS, Math.floor((rows / of) * CELLS));
  const bar = '█'.repeat(full) + '░'.repeat(CELLS - full);
  const speed = rate === null ? '' : `, ${grouped(rate)} rows/s`;
  return `${phase} ${table.padEnd(9)} ${bar}  ${grouped(rows)} of ${grouped(of)}${speed}`;
}

function ratePerSecond(rows: number, ms: number): number | null {
  return ms < 1_000 ? null : Math.round(rows / (ms / 1_000));
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
