import type { Clock } from '../../clock.ts';
import type { OutboundRequest, Send, SendResult } from '../../outbound/send.ts';
import type { StartPermit } from '../../outbound/start-permit.ts';
import type { Identity } from './identity.ts';
import { missing } from './refusal.ts';
import { type Token, TokenFault } from './token.ts';

/** A request that goes through a destination. */
export interface IdentifiedRequest {
  /** Null: the destination is not there. */
  identity: Identity | null;
  /** The name of the destination. */
  name: string;
  /** As it was built first: its url, its own headers and its time limit do not change. */
  request: OutboundRequest;
  permit?: StartPermit;
  /** Builds the request as it is to be sent now. */
  build: (now: number) => OutboundRequest;
}

/**
 * Sends a request through its destination; waits for the token where there is none yet, for the time limit of the request at
 * most. Until the request starts it can be cancelled, also while it waits.
 *
 * @returns the result, or that of a request that was never sent: `blocked` by the destination, or without a token
 */
export async function sendAs(
  { identity, name, request: first, permit, build }: IdentifiedRequest,
  { send, clock }: { send: Send; clock: Clock },
): Promise<SendResult> {
  const startedAt = clock.now();
  const unsent = (outcome: 'blocked' | 'connectionError', error: string): SendResult => {
    const durationMs = Math.max(0, clock.now() - startedAt);
    const isCancelled = permit !== undefined && !permit.start();
    const kept = { startedAt, durationMs, phases: {} };
    return isCancelled
      ? { ...kept, outcome: 'cancelled' }
      : { ...kept, outcome, error, unsent: true };
  };
  const refusal = identity === null ? missing(name) : identity.refusal(first);
  if (identity === null || refusal !== null) return unsent('blocked', refusal!);
  const present = identity.presentToken;
  const token =
    present === undefined ? await awaited(identity, first.timeoutMs, permit, clock) : present;
  if (token instanceof TokenFault) return unsent('connectionError', token.message);
  const request = build(clock.now());
  identity.authorize(request, token);
  const result = await send(request);
  const isRefused = result.responseStatus === 401 && identity.refused(token);
  return isRefused ? { ...result, tokenDropped: true } : result;
}

/** The token, or why there is none; null as soon as the request is cancelled. */
async function awaited(
  identity: Identity,
  limitMs: number,
  permit: StartPermit | undefined,
  clock: Clock,
): Promise<Token | TokenFault | null> {
  const token = identity.token().catch((error: TokenFault) => error);
  const { promise: ended, resolve: end } = Promise.withResolvers<TokenFault | null>();
  const timer = clock.after(limitMs, () => end(tooLate(limitMs)));
  if (permit !== undefined) permit.onCancelled = () => end(null);
  try {
    return permit?.isCancelled ? null : await Promise.race([token, ended]);
  } finally {
    timer.cancel();
    if (permit !== undefined) permit.onCancelled = null;
  }
}

function tooLate(limitMs: number): TokenFault {
  return new TokenFault(
    `The token did not come within the time limit of ${limitMs / 1_000} s, so nothing was sent.`,
  );
}
