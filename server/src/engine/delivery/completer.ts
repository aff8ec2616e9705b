import type { Clock } from '../../clock.ts';
import { afterAttempt, giveBack, type Move } from '../../domain/run/queue.ts';
import type { QueueRow } from '../../domain/run/queue-row.ts';
import type { Attempt } from '../../domain/run/run.ts';
import { beyondOwn } from '../../domain/run/start.ts';
import { judge } from '../../domain/run/verdict.ts';
import type { Claim, ClaimedRow, QueueStore } from '../../store/contract/queue.ts';
import { type EngineObserver, eachOf } from '../observer.ts';
import type { DowntimeDetector } from '../services/downtime.ts';
import type { Recounter } from '../services/recounter.ts';
import { BatchWriter, type BatchWriterHooks } from './batch-writer.ts';
import { type CheckedClaim, withKnownOfGap } from './known-times.ts';
import { settlementOf } from './settlement.ts';

/** How an execution ended: with an attempt, or without a request that started. */
export interface EndedExecution {
  claim: CheckedClaim;
  attempt: Attempt | null;
  endedAt: number;
  /** When a request that was not started is due again; at its instant where it is left out. */
  dueAt?: number | undefined;
}

export interface CompleterOptions {
  queue: QueueStore;
  clock: Clock;
  /** 0 to below 1. */
  random: () => number;
  observer: EngineObserver;
  downtime: DowntimeDetector;
  /** From when on nominal times may have been sent already. */
  recounter: Pick<Recounter, 'checksFrom'>;
  /** Told how a row was settled. */
  moved: (move: Move, scheduleId: string) => void;
}

/** Completer: decides what follows from each attempt that ended, and settles it in batches. */
export class Completer {
  readonly #options: CompleterOptions;
  readonly #writer: BatchWriter<EndedExecution>;

  constructor(options: CompleterOptions, hooks: Omit<BatchWriterHooks<EndedExecution>, 'write'>) {
    this.#options = options;
    this.#writer = new BatchWriter(options.clock, options.observer, {
      ...hooks,
      write: executions => this.#settle(executions),
    });
  }

  get pending(): number {
    return this.#writer.pending;
  }

  /** True while writes to the store fail. */
  get failing(): boolean {
    return this.#writer.failing;
  }

  /** The claims whose execution has ended and that are not settled. */
  get claims(): Claim[] {
    return this.#writer.unwritten.map(({ claim }) => claim);
  }

  complete(claim: Claim, attempt: Attempt): void {
    this.#writer.add({ claim, attempt, endedAt: this.#options.clock.now() });
  }

  /** Its request was not started. @param dueAt when it is due again; at its instant where it is left out */
  giveBack(claim: Claim, dueAt?: number): void {
    this.#writer.add({ claim, attempt: null, endedAt: this.#options.clock.now(), dueAt });
  }

  drained(): Promise<void> {
    return this.#writer.drained();
  }

  abandon(): void {
    this.#writer.abandon();
  }

  async #settle(executions: EndedExecution[]): Promise<void> {
    const { queue, clock, observer, moved, downtime: watch, recounter } = this.#options;
    await watch.agreed();
    let open = executions;
    while (open.length > 0) {
      const now = clock.now();
      const looked = await withKnownOfGap(queue, open, now, {
        unseenUntil: watch.unseenUntil,
        checksFrom: recounter.checksFrom,
      });
      const moves = eachOf(
        looked,
        ({ claim }) => claim.schedule.id,
        execution => ({ execution, move: this.#moveOf(execution, now) }),
        observer,
      );
      const overtaken = new Set(
        await queue.settle(
          moves.map(({ execution, move }) => settlementOf(execution.claim, move, now)),
        ),
      );
      const isOvertaken = ({ execution }: { execution: EndedExecution }) =>
        overtaken.has(execution.claim.scheduleRowId);
      for (const each of moves) {
        if (!isOvertaken(each)) moved(each.move, each.execution.claim.schedule.id);
      }
      open = moves.filter(isOvertaken).map(({ execution }) => execution);
      // If a later round fails, only that round is written again: rows settled before may be claimed again by then.
      executions.splice(0, executions.length, ...open);
      open = await this.#overtaken(open);
    }
  }

  /** Executions whose schedule changed meanwhile, with the schedule as it is now. */
  async #overtaken(executions: EndedExecution[]): Promise<EndedExecution[]> {
    if (executions.length === 0) return [];
    const keys = executions.map(({ claim }) => claim.scheduleRowId);
    const standings = new Map<number, ClaimedRow>();
    for (const standing of await this.#options.queue.reread(keys)) {
      standings.set(standing.scheduleRowId, standing);
    }
    return executions.flatMap(execution => {
      const { claim } = execution;
      const standing = standings.get(claim.scheduleRowId);
      const isOurs =
        standing?.scheduledFor === claim.scheduledFor && standing.attempt === claim.attempt;
      if (!isOurs) return [];
      const { nextFor, changedAt, schedule } = standing;
      return [{ ...execution, claim: { ...claim, nextFor, changedAt, schedule } }];
    });
  }

  /** @param now the clock may have been set back since the attempt ended */
  #moveOf({ claim, attempt, endedAt: attemptEndedAt, dueAt }: EndedExecution, now: number): Move {
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
