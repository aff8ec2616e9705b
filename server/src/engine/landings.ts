import type { Clock } from '../clock.ts';
import { afterAttempt, giveBack, type Move } from '../domain/queue.ts';
import type { QueueRow } from '../domain/queue-row.ts';
import type { Attempt } from '../domain/run.ts';
import { beyondOwn } from '../domain/start.ts';
import { judge } from '../domain/verdict.ts';
import type { Claim, QueueStore, Standing } from '../store/work.ts';
import { type EngineEvents, eachOf } from './events.ts';
import { type Looked, withKnownOfGap } from './known-times.ts';
import type { Recounter } from './recounter.ts';
import { settlementOf } from './settlement.ts';
import { Settler, type SettlerHooks } from './settler.ts';
import type { Watch } from './watch.ts';

/** How a flight ended: with an attempt, or without one that was ever started. */
export interface Landing {
  claim: Looked;
  attempt: Attempt | null;
  endedAt: number;
  /** When a request that was never started is due again, if not at its time. */
  dueAt?: number | undefined;
}

export interface LandingsOptions {
  queue: QueueStore;
  clock: Clock;
  /** 0 to below 1. */
  random: () => number;
  events: EngineEvents;
  watch: Watch;
  /** From when on times that come may have been sent already. */
  recounter: Pick<Recounter, 'checksFrom'>;
  /** Told what became of a row. */
  moved: (move: Move, scheduleId: string) => void;
}

/** Landings: decides what follows from each attempt that ended, and has it written. */
export class Landings {
  readonly #options: LandingsOptions;
  readonly #settler: Settler<Landing>;

  constructor(options: LandingsOptions, hooks: Omit<SettlerHooks<Landing>, 'write'>) {
    this.#options = options;
    this.#settler = new Settler(options.clock, options.events, {
      ...hooks,
      write: landings => this.#settle(landings),
    });
  }

  get pending(): number {
    return this.#settler.pending;
  }

  /** True while the store takes nothing. */
  get failing(): boolean {
    return this.#settler.failing;
  }

  /** The claims that have landed and are not settled. */
  get claims(): Claim[] {
    return this.#settler.unwritten.map(({ claim }) => claim);
  }

  add(claim: Claim, attempt: Attempt): void {
    this.#settler.add({ claim, attempt, endedAt: this.#options.clock.now() });
  }

  /** Its request was never started. @param dueAt when it is due again, if not at its time */
  giveBack(claim: Claim, dueAt?: number): void {
    this.#settler.add({ claim, attempt: null, endedAt: this.#options.clock.now(), dueAt });
  }

  drained(): Promise<void> {
    return this.#settler.drained();
  }

  abandon(): void {
    this.#settler.abandon();
  }

  async #settle(landings: Landing[]): Promise<void> {
    const { queue, clock, events, moved, watch, recounter } = this.#options;
    await watch.agreed();
    let open = landings;
    while (open.length > 0) {
      const now = clock.now();
      const looked = await withKnownOfGap(queue, open, now, {
        unseenUntil: watch.unseenUntil,
        checksFrom: recounter.checksFrom,
      });
      const moves = eachOf(
        looked,
        ({ claim }) => claim.firing.id,
        landing => ({ landing, move: this.#moveOf(landing, now) }),
        events,
      );
      const overtaken = new Set(
        await queue.settle(
          moves.map(({ landing, move }) => settlementOf(landing.claim, move, now)),
        ),
      );
      const isOvertaken = ({ landing }: { landing: Landing }) =>
        overtaken.has(landing.claim.scheduleKey);
      for (const each of moves) {
        if (!isOvertaken(each)) moved(each.move, each.landing.claim.firing.id);
      }
      open = moves.filter(isOvertaken).map(({ landing }) => landing);
      // If what is left fails, it alone is written again: what was given back may be claimed anew by then.
      landings.splice(0, landings.length, ...open);
      open = await this.#overtaken(open);
    }
  }

  /** Landings whose schedule changed meanwhile, with the schedule as it is now. */
  async #overtaken(landings: Landing[]): Promise<Landing[]> {
    if (landings.length === 0) return [];
    const keys = landings.map(({ claim }) => claim.scheduleKey);
    const standings = new Map<number, Standing>();
    for (const standing of await this.#options.queue.reread(keys)) {
      standings.set(standing.scheduleKey, standing);
    }
    return landings.flatMap(landing => {
      const { claim } = landing;
      const standing = standings.get(claim.scheduleKey);
      const isOurs =
        standing?.scheduledFor === claim.scheduledFor && standing.attempt === claim.attempt;
      if (!isOurs) return [];
      const { nextFor, changedAt, firing } = standing;
      return [{ ...landing, claim: { ...claim, nextFor, changedAt, firing } }];
    });
  }

  /** @param now the clock may have been set back since it landed */
  #moveOf({ claim, attempt, endedAt: landedAt, dueAt }: Landing, now: number): Move {
    const { firing } = claim;
    const endedAt = Math.min(landedAt, now);
    if (attempt === null) return giveBack(claim, firing, endedAt, dueAt);
    const { nextFor } = claim.scheduledFor > now ? claim : beyondOwn(claim, firing);
    const row: QueueRow & Pick<Looked, 'known'> = {
      state: claim.state,
      dueAt: claim.dueAt,
      scheduledFor: claim.scheduledFor,
      nextFor,
      attempt: claim.attempt,
      attempts: [...claim.attempts, attempt],
      ...(claim.known && { known: claim.known }),
    };
    const random = this.#options.random();
    const verdict = judge(row.attempts, firing.policy, endedAt, nextFor, random);
    return afterAttempt(row, firing, verdict, endedAt, this.#options.watch.unseen);
  }
}
