import type { Clock } from '../../clock.ts';
import { afterAttempt, giveBack, type Move } from '../../domain/run/queue.ts';
import type { QueueRow } from '../../domain/run/queue-row.ts';
import type { Attempt } from '../../domain/run/run.ts';
import { beyondOwn } from '../../domain/run/start.ts';
import { judge } from '../../domain/run/verdict.ts';
import type {
  Claim,
  ClaimedRow,
  OutboxClaim,
  OutboxSettlement,
  OutboxStore,
  QueueStore,
} from '../../store/contract/queue.ts';
import { BatchWriter } from '../batch-writer.ts';
import { type EngineObserver, eachOf, type JobKind, tellMove } from '../observer.ts';
import type { DowntimeDetector } from '../services/downtime.ts';
import type { Recounter } from '../services/recounter.ts';
import type { Wake } from '../wake.ts';
import { reportedId } from './job.ts';
import { type CheckedClaim, withKnownOfGap } from './known-times.ts';
import { afterOutboxAttempt, backToOutbox, endUnsent, settlementOf } from './settlement.ts';

/** How a firing ended: with an attempt, or without a request that started. */
interface EndedFiring {
  claim: CheckedClaim;
  attempt: Attempt | null;
  endedAt: number;
  /** When a request that was not started is due again; at its instant where it is left out. */
  dueAt?: number | undefined;
}

export interface CompleterOptions {
  queue: QueueStore;
  outbox: OutboxStore;
  clock: Clock;
  /** 0 to below 1. */
  random: () => number;
  observer: EngineObserver;
  downtime: DowntimeDetector;
  /** From when on nominal times may have been sent already. */
  recounter: Pick<Recounter, 'checksFrom'>;
  wake: Wake;
}

/**
 * Completer: decides what follows from each job that ended, and settles it in batches, one for each store of claims.
 *
 * Guarantee: every claim that it is given is settled once, however often the store fails in between.
 */
export class Completer {
  readonly #options: CompleterOptions;
  readonly #firings: BatchWriter<EndedFiring>;
  readonly #ofOutbox: BatchWriter<OutboxSettlement>;

  constructor(options: CompleterOptions) {
    this.#options = options;
    const { clock, observer, outbox, wake } = options;
    this.#firings = new BatchWriter(clock, observer, {
      write: firings => this.#settleFirings(firings),
      writing: () => wake.room(),
      written: () => {
        // Callbacks may be due, and manual runs may have their turn.
        wake.outbox();
        wake.room();
      },
    });
    this.#ofOutbox = new BatchWriter(clock, observer, {
      async write(settlements) {
        await outbox.settle(settlements);
      },
      writing: () => wake.room(),
      written: () => {
        wake.outbox();
        // The row of a schedule may have waited for its manual run.
        wake.queue();
      },
    });
  }

  /** Jobs that have ended and wait for their batch: they hold the slots of their kind. */
  pending(kind: JobKind): number {
    return kind === 'schedule' ? this.#firings.pending : this.#ofOutbox.pending;
  }

  /** True while settlements of the queue fail. */
  get isQueueFailing(): boolean {
    return this.#firings.failing;
  }

  /** True while settlements of the outbox fail. */
  get isOutboxFailing(): boolean {
    return this.#ofOutbox.failing;
  }

  /** The claims of the queue whose job has ended and that are not settled. */
  get unsettledFirings(): Claim[] {
    return this.#firings.unwritten.map(({ claim }) => claim);
  }

  /** The same of the outbox: the ids of its rows. */
  get unsettledOfOutbox(): string[] {
    return this.#ofOutbox.unwritten.map(({ id }) => id);
  }

  complete(claim: Claim | OutboxClaim, attempt: Attempt): void {
    const { clock, random, observer } = this.#options;
    const now = clock.now();
    if (!('kind' in claim)) {
      this.#firings.add({ claim, attempt, endedAt: now });
      return;
    }
    const settle = () =>
      this.#settleOutbox(claim, afterOutboxAttempt(claim, attempt, now, random()));
    eachOf([claim], reportedId, settle, observer);
  }

  /** Its request was not started. @param dueAt when it is due again; as before where it is left out */
  giveBack(claim: Claim | OutboxClaim, dueAt?: number): void {
    if ('kind' in claim) this.#ofOutbox.add(backToOutbox(claim, dueAt));
    else this.#firings.add({ claim, attempt: null, endedAt: this.#options.clock.now(), dueAt });
  }

  /** Its schedule or its client was deleted: no request starts any more. */
  endUnsent(claim: OutboxClaim): void {
    this.#settleOutbox(claim, endUnsent(claim, this.#options.clock.now()));
  }

  /** Resolves when nothing is left to settle. */
  async drained(): Promise<void> {
    await Promise.all([this.#firings.drained(), this.#ofOutbox.drained()]);
  }

  /** Settles nothing more: the next start finds these claims in flight and sends them again. */
  abandon(): void {
    this.#firings.abandon();
    this.#ofOutbox.abandon();
  }

  #settleOutbox(claim: OutboxClaim, settlement: OutboxSettlement): void {
    this.#ofOutbox.add(settlement);
    const { observer } = this.#options;
    const { next, record } = settlement;
    if (typeof next !== 'string') return;
    if (claim.kind === 'callback') observer.callbackEnded(next, claim.runId);
    else if (record!.status === 'skipped') observer.passed(claim.schedule.id, record!);
    else observer.runEnded(claim.schedule.id, record!);
  }

  async #settleFirings(firings: EndedFiring[]): Promise<void> {
    const { queue, clock, observer, downtime, recounter } = this.#options;
    await downtime.agreed();
    let open = firings;
    while (open.length > 0) {
      const now = clock.now();
      const looked = await withKnownOfGap(queue, open, now, {
        unseenUntil: downtime.unseenUntil,
        checksFrom: recounter.checksFrom,
      });
      const moves = eachOf(
        looked,
        ({ claim }) => claim.schedule.id,
        firing => ({ firing, move: this.#moveOf(firing, now) }),
        observer,
      );
      const overtaken = new Set(
        await queue.settle(moves.map(({ firing, move }) => settlementOf(firing.claim, move, now))),
      );
      const isOvertaken = ({ firing }: { firing: EndedFiring }) =>
        overtaken.has(firing.claim.scheduleRowId);
      for (const each of moves) {
        if (!isOvertaken(each)) this.#moved(each.move, each.firing.claim.schedule.id);
      }
      open = moves.filter(isOvertaken).map(({ firing }) => firing);
      // If a later round fails, only that round is written again: rows settled before may be claimed again by then.
      firings.splice(0, firings.length, ...open);
      open = await this.#overtaken(open);
    }
  }

  #moved(move: Move, scheduleId: string): void {
    tellMove(move, scheduleId, this.#options.observer);
    if (move.row) this.#options.wake.queue(move.row.dueAt);
  }

  /** Firings whose schedule changed meanwhile, with the schedule as it is now. */
  async #overtaken(firings: EndedFiring[]): Promise<EndedFiring[]> {
    if (firings.length === 0) return [];
    const keys = firings.map(({ claim }) => claim.scheduleRowId);
    const standings = new Map<number, ClaimedRow>();
    for (const standing of await this.#options.queue.reread(keys)) {
      standings.set(standing.scheduleRowId, standing);
    }
    return firings.flatMap(firing => {
      const { claim } = firing;
      const standing = standings.get(claim.scheduleRowId);
      const isOurs =
        standing?.scheduledFor === claim.scheduledFor && standing.attempt === claim.attempt;
      if (!isOurs) return [];
      const { nextFor, changedAt, schedule } = standing;
      return [{ ...firing, claim: { ...claim, nextFor, changedAt, schedule } }];
    });
  }

  /** @param now the clock may have been set back since the attempt ended */
  #moveOf({ claim, attempt, endedAt: attemptEndedAt, dueAt }: EndedFiring, now: number): Move {
    const { schedule } = claim;
    const endedAt = Math.min(attemptEndedAt, now);
    if (attempt === null) return giveBack(claim, schedule, endedAt, dueAt);
    const { nextFor } = claim.scheduledFor > now ? claim : beyondOwn(claim, schedule);
    const row: QueueRow & Pick<CheckedClaim, 'known'> = {
      state: claim.state,
      dueAt: claim.dueAt,
      scheduledFor: claim.scheduledFor,
      nextFor,
      attempt: claim.attempt,
      attempts: [...claim.attempts, attempt],
      ...(claim.known && { known: claim.known }),
    };
    const random = this.#options.random();
    const verdict = judge(row.attempts, schedule.policy, endedAt, nextFor, random);
    return afterAttempt(row, schedule, verdict, endedAt, this.#options.downtime.unseen);
  }
}
