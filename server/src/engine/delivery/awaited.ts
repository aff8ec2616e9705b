import { runId } from '../../domain/id.ts';
import { type AwaitedAttempt, awaitedOf, type Completion } from '../../domain/run/completion.ts';
import { allSecrets, redactCut, secretsAmong } from '../../domain/run/redaction.ts';
import type { Attempt } from '../../domain/run/run.ts';
import type { CompletedAttempt, CompletionStore } from '../../store/contract/completions.ts';
import type { Claim, ManualClaim, OutboxClaim } from '../../store/contract/queue.ts';
import type { Identities } from '../identity/identities.ts';

/** Runs whose target says later how they ended: what it has said, for the decision about them. */

/**
 * Whether the target may have said something about the run: it awaits, or its row was marked while a request was under way
 * or had been cut off.
 *
 * @param attempt that has just ended; null: none was made
 */
export function maySay({ was, changedAt, schedule }: Claim, attempt: Attempt | null): boolean {
  if (was === 'awaiting') return true;
  const isMarked = changedAt !== null && schedule.policy?.completion !== undefined;
  return isMarked && (attempt !== null || was === 'lost');
}

/** The decision about the last attempt of a firing; null where it awaits nothing. */
export function awaitedFiring(
  claim: Claim,
  attempt: Attempt | null,
  said: Completions,
  now: number,
): AwaitedAttempt | null {
  if (attempt === null && !maySay(claim, null)) return null;
  const last = attempt ?? claim.attempts.at(-1);
  if (last === undefined) return null;
  return awaitedOf(last, claim.schedule.policy, said.about(attemptOf(claim)), now);
}

/** The calls of targets. */
export interface Completions {
  about(attempt: CompletedAttempt): Completion | null;
}

export const NOTHING_SAID: Completions = { about: () => null };

/** The calls of targets, and the secrets that are not kept of their messages. */
export interface SaidSources {
  completions: Pick<CompletionStore, 'of'>;
  identities: Pick<Identities, 'secretsToward'>;
}

/** Asks the store only where there may be something. */
export async function saidOf(
  { completions, identities }: SaidSources,
  claims: (Claim | ManualClaim)[],
): Promise<Completions> {
  if (claims.length === 0) return NOTHING_SAID;
  const found = await completions.of(claims.map(attemptOf));
  const byAttempt = new Map(found.map(each => [keyOf(each), each]));
  for (const claim of found.length === 0 ? [] : claims) {
    const key = keyOf(attemptOf(claim));
    const said = byAttempt.get(key);
    if (said?.message === undefined) continue;
    const { schedule, clientRowId } = claim;
    // Those of its call were taken away then. This node may have a token that the node of the call did not have.
    const ofDestination = await identities.secretsToward(schedule, clientRowId);
    const secrets = allSecrets(ofDestination, secretsAmong(schedule.headers));
    byAttempt.set(key, { ...said, message: redactCut(said.message, secrets) });
  }
  return { about: attempt => byAttempt.get(keyOf(attempt)) ?? null };
}

/** The attempt that the claim counts last. */
export function attemptOf(claim: Claim | ManualClaim): CompletedAttempt {
  const { schedule, scheduledFor, attempt } = claim;
  return { runId: 'kind' in claim ? claim.id : runId(schedule.id, scheduledFor), attempt };
}

/** A manual run without a request to send: its completion is looked at. */
export function isAwaited(claim: OutboxClaim): claim is ManualClaim & { awaits: true } {
  return claim.kind === 'manual' && claim.awaits === true;
}

function keyOf({ runId, attempt }: CompletedAttempt): string {
  return `${runId} ${attempt}`;
}
