import type { Attempt, Outcome, Phases } from '../domain/run/run.ts';
import { responseFault } from '../domain/run/verdict.ts';
import type { StartPermit } from './start-permit.ts';

/** One HTTP request, complete: every header that the request shall carry but those of the connection. */
export interface OutboundRequest {
  method: string;
  /** Absolute http or https url. */
  url: string;
  /** Flat list: name, value, name, value. */
  headers: string[];
  /** How many entries of `headers`, from the first, are the caller's own: secrets among them are not kept. */
  ownHeaders?: number;
  body: string | null;
  /** From connecting to the last byte. */
  timeoutMs: number;
  /** The owner of the request: clients take turns while requests wait for a connection. */
  clientRowId?: number;
  /** Taken when a connection is free, before anything starts; until then it may be cancelled. */
  permit?: StartPermit;
}

/** The result of one request. Every failure is a value; nothing is thrown. */
export interface SendResult {
  /** `cancelled`: nothing was started, because its permit was cancelled or the sender is closed. */
  outcome: Exclude<Outcome, 'lost'> | 'cancelled';
  /** Epoch ms at which the request started: connecting, or writing on a kept connection. */
  startedAt: number;
  durationMs: number;
  phases: Phases;
  /** Kept where the answer broke off or did not end in time, too; so are headers and body. */
  responseStatus?: number;
  /**
   * Lower-case names; repeated fields are joined with ", ", `Set-Cookie` with a line break. 8 KiB in all, a
   * cut value ends in "…". Here and in the body, "[secret]" stands for the values of cookies and for what is
   * secret of the request's own headers.
   */
  responseHeaders?: Record<string, string>;
  /** The first 4 KiB, read as UTF-8, NUL replaced by U+FFFD. Absent where no body came. */
  responseBody?: string;
  /** One sentence, where the outcome is not `response`. */
  error?: string;
}

/** Sends one request and tells what happened. The only way in which the engine reaches the network. */
export type Send = (request: OutboundRequest) => Promise<SendResult>;

/** A request that was sent, as history keeps it. */
export function attemptOf(number: number, result: SendResult): Attempt {
  const { outcome, startedAt, durationMs, phases } = result;
  if (outcome === 'cancelled') throw new Error('a cancelled request is no attempt');
  const attempt: Attempt = { number, startedAt, durationMs, outcome, phases };
  const { responseStatus, responseHeaders, responseBody } = result;
  if (responseStatus !== undefined) attempt.responseStatus = responseStatus;
  if (responseHeaders !== undefined) attempt.responseHeaders = responseHeaders;
  if (responseBody !== undefined) attempt.responseBody = responseBody;
  const error =
    result.error ??
    (outcome === 'response' ? responseFault(responseStatus!, responseHeaders) : undefined);
  if (error !== undefined) attempt.error = error;
  return attempt;
}

/** An attempt that failed before it began. @param error why */
export function refusedAttempt(number: number, error: string, now: number): Attempt {
  return {
    number,
    startedAt: now,
    durationMs: 0,
    outcome: 'connectionError',
    error,
    refused: true,
  };
}
