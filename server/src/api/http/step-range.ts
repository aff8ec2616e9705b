import { PunctualError } from '../../domain/errors.ts';
import { readInstant } from './instant.ts';

/** Ranges of instants in a query, and their steps. */

export interface StepQuery {
  from: string;
  to: string;
  stepSeconds: number;
}

/** Multiples of `stepMs`, epoch ms; `to` is exclusive. */
export interface ReadSteps {
  from: number;
  to: number;
  stepMs: number;
}

const MOST_STEPS = 1_000;
const MOST_DAYS = 366;
const DAY_MS = 86_400_000;
const HOUR_SECONDS = 3_600;

/** @throws PunctualError `request_invalid` */
export function readSteps({ from, to, stepSeconds }: StepQuery): ReadSteps {
  if (stepSeconds > HOUR_SECONDS && stepSeconds % HOUR_SECONDS !== 0) {
    throw refused(
      `The query parameter stepSeconds is ${stepSeconds}: above 3600 it must be a multiple of 3600.`,
    );
  }
  const stepMs = stepSeconds * 1_000;
  const range = readSpan({ from, to });
  const steps = Math.ceil(range.to / stepMs) - Math.floor(range.from / stepMs);
  if (steps > MOST_STEPS) {
    throw refused(`From from to to there are ${steps} steps, above the limit of ${MOST_STEPS}.`);
  }
  return {
    from: Math.floor(range.from / stepMs) * stepMs,
    to: Math.ceil(range.to / stepMs) * stepMs,
    stepMs,
  };
}

/** @throws PunctualError `request_invalid` */
export function readSpan(asked: { from: string; to: string }): { from: number; to: number } {
  const from = Math.max(0, readInstant(asked.from, 'The query parameter from'));
  const to = Math.max(0, readInstant(asked.to, 'The query parameter to'));
  if (to <= from) throw refused('The query parameter to must be after from.');
  const days = Math.ceil((to - from) / DAY_MS);
  if (days > MOST_DAYS) {
    throw refused(`From from to to there are ${days} days, above the limit of ${MOST_DAYS}.`);
  }
  return { from, to };
}

function refused(sentence: string): PunctualError {
  return new PunctualError('request_invalid', sentence);
}
