import type { Claim, OutboxClaim } from '../../store/contract/queue.ts';

/**
 * Taken claims: those that a step has taken from the store, and has not handed on yet.
 *
 * Guarantee: each is handed on, or goes back when the step ends, however it ends. A claim that goes neither way is in flight
 * without a job, and an embedded store has nobody who would look at it before the next start.
 */
export class TakenClaims<One extends Claim | OutboxClaim> {
  readonly #left = new Map<number | string, One>();

  /**
   * @param giveBack takes a claim whose request was not started
   * @param step works with the claims; what it does not hand on is given back
   */
  static async during<One extends Claim | OutboxClaim>(
    claims: readonly One[],
    giveBack: (claim: One) => void,
    step: (held: TakenClaims<One>) => Promise<void>,
  ): Promise<void> {
    const held = new TakenClaims<One>();
    for (const claim of claims) held.#left.set(keyOf(claim), claim);
    try {
      await step(held);
    } finally {
      for (const claim of held.#left.values()) giveBack(claim);
    }
  }

  /** Somebody else has this claim from here on, or its row was settled. */
  pass<Passed extends One>(claim: Passed): Passed {
    this.#left.delete(keyOf(claim));
    return claim;
  }

  passAll(claims: One[]): One[] {
    for (const claim of claims) this.#left.delete(keyOf(claim));
    return claims;
  }

  /** The row of a claim has moved: it would go back as it is now. */
  update(claim: One): void {
    this.#left.set(keyOf(claim), claim);
  }
}

function keyOf(claim: Claim | OutboxClaim): number | string {
  return 'kind' in claim ? claim.id : claim.scheduleRowId;
}
