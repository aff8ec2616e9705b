import type { Attempt, Outcome, Phases } from '../domain/run/run.ts';
import { withoutControls } from '../domain/run/sentence.ts';
import type { SuccessDemands } from '../domain/run/success.ts';
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
  /** The conditions that make the answer a success, if they are more than a 2xx. */
  success?: SuccessDemands;
  /** The owner of the request: clients take turns while requests wait for a connection. */
  clientRowId?: number;
  /** The part that it shares with other requests. */
  common?: CommonPart | undefined;
  /** Texts that are not kept of the answer, beside those of `common` and of its own headers. */
  secrets?: readonly string[];
  /** The answer is not for history: its body comes whole as `privateBody`, up to 64 KiB, and nothing else of it. */
  isPrivate?: boolean;
  /** Taken when a connection is free, before anything starts; until then it may be cancelled. */
  permit?: StartPermit;
}

/**
 * The part that many requests have in common: they go through the same destination. It never changes, and may be large, so
 * each thread gets it once.
 */
export interface CommonPart {
  /** A client certificate, or authorities instead of the system's. */
  readonly tls?: TlsSettings | undefined;
  /** Texts that are not kept of the answers; `secretTexts` made them. */
  readonly secrets?: readonly string[] | undefined;
}

/** PEM. Verification is always on. */
export interface TlsSettings {
  /** Of all the settings: requests with another identity, or none, never share their connections. */
  identity: string;
  certificate?: string | undefined;
  /** Of the certificate. */
  key?: string | undefined;
  /** The authorities that are trusted, instead of the system's. */
  ca?: string | undefined;
}

/** The fields of a request that few requests have, but for the part that it shares. */
export type RareFields = Pick<OutboundRequest, 'success' | 'secrets' | 'isPrivate'>;

/** Null where a request has none of them. */
export function rareFieldsOf({ success, secrets, isPrivate }: OutboundRequest): RareFields | null {
  if (success === undefined && secrets === undefined && isPrivate === undefined) return null;
  return {
    ...(success && { success }),
    ...(secrets && { secrets }),
    ...(isPrivate && { isPrivate }),
  };
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
  /** Of a request that is private: the first 64 KiB of the body, as they came. Null: it is longer. */
  privateBody?: string | null;
  /**
   * Nothing was sent, and nothing is known of the host: the destination of the request did not let it go, or
   * there was no file descriptor for a connection.
   */
  unsent?: true | 'noDescriptor';
  /** The target answered 401, so the token of the request is used no more. */
  tokenDropped?: true;
  /** The header `Punctual-Control` of a complete answer. */
  control?: string;
  /** One sentence, where the outcome is not `response`. */
  error?: string;
  /** A sentence or two that the attempt keeps, whatever its verdict is. */
  note?: string;
  /** One sentence, where the outcome is `response`: the condition of `success` that the body does not meet. */
  unmet?: string;
}

/** Sends one request and tells what happened. The only way in which the engine reaches the network. */
export type Send = (request: OutboundRequest) => Promise<SendResult>;

/** A request that was sent, as history keeps it. @param success of the request */
export function attemptOf(number: number, result: SendResult, success?: SuccessDemands): Attempt {
  const { outcome, startedAt, durationMs, phases } = result;
  if (outcome === 'cancelled') throw new Error('a cancelled request is no attempt');
  const attempt: Attempt = { number, startedAt, durationMs, outcome, phases };
  const { responseStatus, responseHeaders, responseBody } = result;
  if (responseStatus !== undefined) attempt.responseStatus = responseStatus;
  if (responseHeaders !== undefined) attempt.responseHeaders = responseHeaders;
  if (responseBody !== undefined) attempt.responseBody = responseBody;
  if (result.tokenDropped) attempt.tokenDropped = true;
  if (result.note !== undefined) attempt.note = withoutControls(result.note);
  const error = faultOf(result, success);
  if (error !== undefined) attempt.error = withoutControls(error);
  return attempt;
}

/** Why a request that was sent is no success, in one sentence. */
export function faultOf(result: SendResult, success?: SuccessDemands): string | undefined {
  const { outcome, responseStatus, responseHeaders, error, unmet } = result;
  if (outcome !== 'response') return error;
  return responseFault(responseStatus!, responseHeaders, success?.statuses) ?? unmet;
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
