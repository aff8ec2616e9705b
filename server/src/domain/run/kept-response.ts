import type { Policy } from '../schedule/schedule.ts';
import type { Attempt } from './run.ts';
import { responseFault } from './verdict.ts';

/**
 * The attempts as history keeps them: `keepResponse` says how much of each answer. It comes last, when everything that reads
 * headers and body has decided.
 */
export function keptAttempts(attempts: Attempt[], policy: Policy | undefined): Attempt[] {
  if (keepsBodies(policy)) return attempts;
  return attempts.map(attempt =>
    policy!.keepResponse === 'headers' ? withoutBody(attempt) : withoutAnswer(attempt, policy!),
  );
}

/** Whether history keeps bodies of the target: of its answers, and of its completions. */
export function keepsBodies(policy: Policy | undefined): boolean {
  return (policy?.keepResponse ?? 'all') === 'all';
}

function withoutBody({ responseBody: _, ...attempt }: Attempt): Attempt {
  return attempt;
}

/** The error of a redirect repeats a header, so it is written without it. */
function withoutAnswer({ responseHeaders, ...attempt }: Attempt, { success }: Policy): Attempt {
  const { outcome, responseStatus: status, error } = attempt;
  const repeats =
    outcome === 'response' && error !== undefined && responseHeaders?.location !== undefined;
  const fault = repeats ? responseFault(status!, undefined, success?.statuses) : undefined;
  return withoutBody(fault === undefined ? attempt : { ...attempt, error: fault });
}
