import type { Clock } from '../../clock.ts';
import type { Claim, OutboxClaim } from '../../store/contract/queue.ts';
import type { SuspensionStore } from '../../store/contract/suspensions.ts';
import { Loop } from '../loop.ts';
import type { EngineObserver } from '../observer.ts';
import type { Wake } from '../wake.ts';

/** How often it asks for the suspended clients: well within the 5 s that `client suspend` promises. */
const ASK_EVERY_MS = 2_000;

export interface SuspensionsOptions {
  suspensions: SuspensionStore;
  clock: Clock;
  observer: EngineObserver;
  /** Called when a client is suspended: its requests that have not started must not start. */
  suspended: (clientRowId: number) => void;
  /** Called with firings before they are put off: they go back unsent. */
  unsent: (claims: Claim[]) => Promise<void>;
  wake: Wake;
}

/** Claims, sifted. Of suspended clients they are put off; those that are in neither list have been resumed meanwhile. */
interface Sifted<Taken> {
  free: Taken[];
  /** They are no claims any more. */
  putOff: Taken[];
}

/**
 * Suspensions: knows the suspended clients, and brings their rows back once they are resumed.
 *
 * Guarantee: every row that was put off comes back, whichever process ends in between. A client counts as suspended until
 * all of its rows are back. The store puts off rows of suspended clients only (store/contract/suspensions.ts).
 */
export class Suspensions {
  readonly #options: SuspensionsOptions;
  readonly #loop: Loop;
  #clientRowIds: ReadonlySet<number> = new Set();
  #stopping = false;

  constructor(options: SuspensionsOptions) {
    this.#options = options;
    const { clock, observer } = options;
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => observer.storeFailed(error),
      undefined,
      ASK_EVERY_MS,
    );
  }

  /** To be waited for before anything is claimed. */
  async start(): Promise<void> {
    await this.#ask();
    this.#loop.start();
  }

  stop(): Promise<void> {
    this.#stopping = true;
    return this.#loop.stop();
  }

  /** Puts off what was claimed of suspended clients. */
  sift(claims: Claim[]): Promise<Sifted<Claim>> {
    const { suspensions, unsent } = this.#options;
    return this.#sift(claims, async held => {
      await unsent(held);
      const keys = new Set(await suspensions.putOff(held));
      return held.filter(({ scheduleRowId }) => keys.has(scheduleRowId));
    });
  }

  /** The same for the outbox. */
  siftEntries(claims: OutboxClaim[]): Promise<Sifted<OutboxClaim>> {
    return this.#sift(claims, async held => {
      const ids = new Set(await this.#options.suspensions.putOffEntries(held));
      return held.filter(({ id }) => ids.has(id));
    });
  }

  async #sift<Taken extends Claim | OutboxClaim>(
    claims: Taken[],
    putOff: (held: Taken[]) => Promise<Taken[]>,
  ): Promise<Sifted<Taken>> {
    const { held = [], free = [] } = Object.groupBy(claims, claim =>
      this.#isHeld(claim) ? 'held' : 'free',
    );
    if (held.length === 0) return { free: claims, putOff: [] };
    const off = await putOff(held);
    // Another node has ended a suspension. Until this one knows of it, it would claim the same rows again.
    if (off.length < held.length) this.#loop.wake();
    return { free, putOff: off };
  }

  /** A client without a secret was deleted: nothing is sent that receivers could not believe. */
  #isHeld(claim: Claim | OutboxClaim): boolean {
    const isSuspended = this.#clientRowIds.has(claim.clientRowId) || secretOf(claim) === '';
    return isSuspended && !endsUnsent(claim);
  }

  async #step(): Promise<number> {
    const resumed = await this.#ask();
    for (const clientRowId of resumed) await this.#readmit(clientRowId);
    return this.#options.clock.now() + ASK_EVERY_MS;
  }

  /** @returns the clients whose rows are to come back */
  async #ask(): Promise<number[]> {
    const { suspensions, suspended } = this.#options;
    const listed = await suspensions.list();
    const before = this.#clientRowIds;
    this.#clientRowIds = new Set(listed.map(({ clientRowId }) => clientRowId));
    for (const clientRowId of this.#clientRowIds)
      if (!before.has(clientRowId)) suspended(clientRowId);
    return listed.filter(({ isResumed }) => isResumed).map(({ clientRowId }) => clientRowId);
  }

  /** Bite by bite: what else is asked of the store has its turn in between. */
  async #readmit(clientRowId: number): Promise<void> {
    const { suspensions, clock, observer, wake } = this.#options;
    while (!this.#stopping) {
      const back = await suspensions.readmit(clientRowId, clock.now());
      if (back === null) {
        await this.#ask();
        return;
      }
      for (const { scheduleId, record } of back.passed) observer.passed(scheduleId, record);
      if (back.dueAt !== null) wake.queue(back.dueAt);
      wake.outbox();
      if (back.count === 0) return;
    }
  }
}

function secretOf(claim: Claim | OutboxClaim): string {
  return 'schedule' in claim ? claim.schedule.signingSecret : claim.signingSecret;
}

/** A row of a deleted schedule or client is not put off: it ends without a request. */
function endsUnsent(claim: Claim | OutboxClaim): boolean {
  if ('kind' in claim) return isOfDeleted(claim);
  return !claim.begun && claim.schedule.status === 'deleted';
}

/** A manual run of a deleted schedule, or a callback of a deleted client, which has no secret: it ends unsent. */
export function isOfDeleted(claim: OutboxClaim): boolean {
  return claim.kind === 'manual' ? claim.schedule.status === 'deleted' : claim.signingSecret === '';
}
