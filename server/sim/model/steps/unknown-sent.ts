import type { Run } from '@punctual/client';
import type { Arrival, Life } from '../evidence.ts';
import { AHEAD_MS } from '../rules/cuts.ts';
import { furthestAhead, offsetAt, type Step, type StepSlack } from './rules.ts';

/**
 * Requests that a start takes for claims of a time to come, or for claims that a change took back.
 *
 * The start after a power cut has no mark of what was sent. One whose clock says that the machine was started later than the mark
 * does not believe it. Both go by their clock, and by what is on record.
 */

interface Seen extends StepSlack {
  lives: Life[];
  steps: Step[];
  arrivals: Arrival[];
  runs: Run[];
}

/** From one look at the clock to the next. What a clock shows after it was set back counts from the look before. */
const LOOK_MS = 1_000;

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
  // A world begins as its machine is started.
  const bootedAt = lives[0]!.spawnedAt;
  return lives.some(({ end }, index) => {
    if (end?.how !== 'killed' || at > end.to || end.from > settledBy) return false;
    const looks = looksAfter(lives.slice(index + 1));
    const isMarkOld = looks.some(look => bootedAt + offsetAt(look, steps) > scheduledFor);
    if (end.isUnknown !== true && !isMarkOld) return false;
    const shown = looks.map(look => look + offsetAt(look, steps));
    const isBefore = shown.some(now => now >= scheduledFor - AHEAD_MS && now < scheduledFor);
    if (isBefore && !isOnRecord(scheduledFor, end.from, seen)) return true;
    return wasTakenForChanged(arrival, Math.min(end.from, settledBy), seen);
  });
}

/** When the next starts read their clocks, up to the first that came to listen. */
function looksAfter(lives: Life[]): number[] {
  const first = lives.findIndex(({ readyAt }) => readyAt !== null);
  const starts = first === -1 ? lives : lives.slice(0, first + 1);
  return starts.flatMap(({ lookedAt }) => (lookedAt === undefined ? [] : [lookedAt]));
}

/**
 * Whether a request was in flight as the clock was set back to just before its time. Its row is counted anew, and marked as changed
 * then. A change just before the time of a claim takes it back. One that is dated long before the claim tells of the clock.
 */
function wasTakenForChanged(
  { at, scheduledFor }: Arrival,
  until: number,
  { steps, leftMs }: Seen,
): boolean {
  const sentBy = furthestAhead(steps, at, leftMs);
  return steps.some(({ at: from, offsetMs }, index) => {
    const to = Math.min(steps[index + 1]?.at ?? Number.POSITIVE_INFINITY, until);
    if (from <= at - leftMs || from > until || offsetMs >= sentBy) return false;
    return to + offsetMs >= scheduledFor - 2 * AHEAD_MS && from + offsetMs < scheduledFor + LOOK_MS;
  });
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
