import type { Control, Run, RunTrigger } from '@punctual/client';
import { span } from '../time/times.ts';

/** Runs in words. */

/** The cause of a run, by its trigger. */
const CAUSES: Record<RunTrigger, string> = {
  schedule: 'its interval',
  manual: 'a person',
  target: 'its target, which asked for it',
};

export function causeOf({ trigger }: Pick<Run, 'trigger'>): string {
  return CAUSES[trigger];
}

/** In front of the result in a list; '' for a run of the interval. */
export function callerText({ trigger }: Pick<Run, 'trigger'>): string {
  if (trigger === 'schedule') return '';
  return trigger === 'manual' ? 'by hand: ' : 'asked for by its target: ';
}

/** From the due time to the first attempt, in ms; null for a run that nobody planned. */
export function lateOf({
  startedAt,
  scheduledFor,
  trigger,
}: Pick<Run, 'startedAt' | 'scheduledFor' | 'trigger'>): number | null {
  if (startedAt === undefined || trigger === 'manual') return null;
  return Math.max(0, Date.parse(startedAt) - Date.parse(scheduledFor));
}

/** The orders of a target in its answer that were obeyed. */
export function controlText({ noRetry, pauseSeconds, disable, againSeconds }: Control): string {
  const said = [
    noRetry && 'no retry',
    disable && 'disable the schedule',
    pauseSeconds !== undefined && `pause for ${span(pauseSeconds * 1_000)}`,
    againSeconds !== undefined && `one more run in ${span(againSeconds * 1_000)}`,
  ];
  return `Its target said: ${said.filter(Boolean).join(', ')}.`;
}
