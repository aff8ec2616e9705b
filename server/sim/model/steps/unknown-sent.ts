import type { Run } from '@punctual/client';
import type { Arrival, Life } from '../evidence.ts';
import { AHEAD_MS } from '../rules/cuts.ts';
import type { Step } from './rules.ts';

/**
 * Requests that a start takes for claims of a time to come. A power cut takes the mark of what was sent, and the start goes by its clock
 * and by what is on record. The clock may have been set back by so little that it shows an instant between the claim and its time.
 */

interface Seen {
  lives: Life[];
  steps: Step[];
  arrivals: Arrival[];
  runs: Run[];
}

/**
 * @param settledBy until when the end of the request may not have been written
 * @returns whether nothing told the starts after it that it had left
 */
export function isUnknownSent(arrival: Arrival, settledBy: number, seen: Seen): boolean {
  const { webhookId, attempt, at, scheduledFor } = arrival;
  const { lives, steps, runs } = seen;
  const run = runs.find(({ id }) => id === webhookId);
  // Nobody knows here when a retry was due. A manual run is not claimed ahead.
  if (attempt > 1 || (run !== undefined && run.trigger !== 'schedule')) return false;
  return lives.some(({ end }, index) => {
    if (end?.isUnknown !== true || at > end.to || end.from > settledBy) return false;
    const shown = looksAfter(lives.slice(index + 1)).map(look => look + offsetOf(look, steps));
    const isBefore = shown.some(now => now >= scheduledFor - AHEAD_MS && now < scheduledFor);
    return isBefore && !isOnRecord(scheduledFor, end.from, seen);
  });
}

/** When the next starts read their clocks, up to the first that came to listen. */
function looksAfter(lives: Life[]): number[] {
  const first = lives.findIndex(({ readyAt }) => readyAt !== null);
  const starts = first === -1 ? lives : lives.slice(0, first + 1);
  return starts.flatMap(({ lookedAt }) => (lookedAt === undefined ? [] : [lookedAt]));
}

function offsetOf(instant: number, steps: Step[]): number {
  return steps.findLast(({ at }) => at <= instant)?.offsetMs ?? 0;
}

/** Whether a run had ended by a clock that showed `instant`, and that was written. One that was sent again was not. */
function isOnRecord(instant: number, until: number, { arrivals, runs }: Seen): boolean {
  const ended = runs.filter(({ finishedAt }) => Date.parse(finishedAt ?? '') >= instant);
  return ended.some(({ id, attempts }) => {
    const last = attempts.at(-1);
    if (last === undefined || last.completion !== undefined) return false;
    const same = arrivals.filter(
      ({ webhookId, attempt }) => webhookId === id && attempt === last.number,
    );
    return same.length === 1 && same[0]!.endedAt <= until;
  });
}
