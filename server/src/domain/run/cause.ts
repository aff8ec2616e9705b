import type { Attempt, RunRecord } from './run.ts';

/** Causes: the class of the reason for which a run failed, or a time was missed. */

export const CAUSES = [
  // The network did not carry the request, or the answer.
  'dns',
  'connectionRefused',
  'unreachable',
  'timeout',
  'tls',
  'brokenOff',
  'protocol',
  'connection',
  'breakerOpen',
  // The target answered.
  'status',
  'condition',
  'completionFailed',
  'completionLate',
  // Punctual sent nothing, by its rules or for want of proof.
  'blocked',
  'identity',
  // Punctual itself.
  'lost',
  'notRunning',
  'paused',
  'tooBusy',
  'clockSetBack',
  'other',
] as const;
export type Cause = (typeof CAUSES)[number];

export interface FoundCause {
  cause: Cause;
  /** Of `status`: the status that was answered. */
  statusCode?: number;
}

/** The facts that a cause is decided from. */
export type CausedRun = Pick<RunRecord, 'attempts' | 'reason'> & { status: string };

/** Of a run that failed or was missed. */
export function causeOf({ status, attempts, reason = '' }: CausedRun): FoundCause {
  if (status === 'missed') return { cause: missedBy(reason) };
  // A breaker refuses requests because earlier ones got no answer: the cause is theirs.
  const sent = attempts.findLast(({ refused }) => refused !== true);
  if (sent !== undefined) return failedBy(sent);
  return { cause: attempts.length > 0 ? 'breakerOpen' : 'other' };
}

/** The causes of times that were missed; all others are of runs that failed. */
const MISSED: ReadonlySet<Cause> = new Set(['notRunning', 'paused', 'tooBusy', 'clockSetBack']);

export function isMissedBy(cause: Cause): boolean {
  return MISSED.has(cause);
}

/** Whether the cause is Punctual itself, and no host. */
export function isOwnCause(cause: Cause): boolean {
  return isMissedBy(cause) || cause === 'lost';
}

const UNANSWERED: ReadonlySet<Cause> = new Set([
  'dns',
  'connectionRefused',
  'unreachable',
  'timeout',
  'tls',
  'brokenOff',
  'connection',
]);

/** Whether a breaker opens by this cause: no answer came. */
export function opensBreaker(cause: Cause): boolean {
  return UNANSWERED.has(cause);
}

function missedBy(reason: string): Cause {
  if (reason.includes('Punctual was paused')) return 'paused';
  if (reason.includes('Punctual was not running')) return 'notRunning';
  if (reason.includes('clock was set back')) return 'clockSetBack';
  return 'tooBusy';
}

function failedBy(attempt: Attempt): FoundCause {
  const { outcome, completion, responseStatus, error = '' } = attempt;
  if (completion !== undefined) {
    return { cause: outcome === 'timeout' ? 'completionLate' : 'completionFailed' };
  }
  switch (outcome) {
    case 'timeout':
      return { cause: 'timeout' };
    case 'lost':
      return { cause: 'lost' };
    case 'blocked':
      return { cause: IDENTITY.test(error) ? 'identity' : 'blocked' };
    case 'connectionError':
      return { cause: faultCause(error) };
    case 'response':
      return responseStatus !== undefined && responseStatus >= 200 && responseStatus < 300
        ? { cause: 'condition' }
        : { cause: 'status', ...(responseStatus !== undefined && { statusCode: responseStatus }) };
  }
}

/** Sentences of `engine/identity/`: about the destination or its token, and no host. */
const IDENTITY =
  /destination "|of the destination|^(The token|Tokens cannot|No token|The service stopped before the token)/;

/** Sentences of `outbound/fault.ts`, in an order in which the first that fits is right. */
const FAULTS: [RegExp, Cause][] = [
  [/^The connection to \S+ was refused\./, 'connectionRefused'],
  [/^The name of \S+ (does not exist|could not be resolved)/, 'dns'],
  [/^The certificate of |client certificate|\bTLS\b/, 'tls'],
  [/could not be reached|did not answer when it was connected to/, 'unreachable'],
  [/closed the connection|broke off its answer/, 'brokenOff'],
  [
    /valid HTTP|only HTTP\/2|HTTP does not have|KiB of|interim answers|another protocol/,
    'protocol',
  ],
];

/** Of a `connectionError`, by its sentence. */
export function faultCause(error: string): Cause {
  if (IDENTITY.test(error)) return 'identity';
  return FAULTS.find(([pattern]) => pattern.test(error))?.[1] ?? 'connection';
}
