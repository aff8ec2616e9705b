import { loadVersions, unknownVersions } from '../../domain/calendar/load-calendars.ts';
import { afterAttempt } from '../../domain/run/after-attempt.ts';
import type { AwaitedAttempt } from '../../domain/run/completion.ts';
import {
  type Consequence,
  consequenceOf,
  countsFailures,
  finalBy,
  movedAfterFailures,
  movedBy,
} from '../../domain/run/consequence.ts';
import { keptAttempts } from '../../domain/run/kept-response.ts';
import { giveBack, type Move } from '../../domain/run/queue.ts';
import type { Attempt } from '../../domain/run/run.ts';
import { judge } from '../../domain/run/verdict.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { CalendarStore } from '../../store/contract/calendars.ts';
import type {
  Claim,
  ClaimedRow,
  ManualClaim,
  OutboxClaim,
  OutboxSettlement,
  OutboxStore,
  QueueStore,
} from '../../store/contract/queue.ts';
import type { ScheduleStore } from '../../store/contract/schedules.ts';
import { BatchWriter } from '../batch-writer.ts';
import { type EngineObserver, eachOf, type JobKind, tellMove } from '../observer.ts';
import type { DowntimeDetector } from '../services/downtime.ts';
import type { Recounter } from '../services/recounter.ts';
import type { Wake } from '../wake.ts';
import {
  attemptOf,
  awaitedFiring,
  type Completions,
  maySay,
  type SaidSources,
  saidOf,
} from './awaited.ts';
import { type FailureLook, failuresOf } from './failures.ts';
import { reportedId } from './job.ts';
import { type CheckedClaim, withKnownOfGap } from './known-times.ts';
import { type EndedEntry, settleEntries } from './settle-entries.ts';
import {
  afterManualAwaited,
  afterOutboxAttempt,
  askedBy,
  backToOutbox,
  type EndedRow,
  endedRow,
  endUnsent,
  settlementOf,
} from './settlement.ts';
import { forgetSkipped } from './taken-back.ts';

/** When a claim comes again that the engine could not decide about: it costs others nothing meanwhile. */
const SET_ASIDE_MS = 60_000;

interface MovedFiring {
  firing: EndedFiring;
  move: Move;
}

/** How a firing ended: with an attempt, or without a request that started. */
interface EndedFiring {
  claim: CheckedClaim;
  attempt: Attempt | null;
  endedAt: number;
  /** When a request that was not started is due again; at its instant where it is left out. */
  dueAt?: number | undefined;
}

const scheduleOf = ({ claim }: EndedFiring) => claim.schedule;
const unsentOf = ({ firing: { claim, attempt } }: MovedFiring) => (attempt === null ? [claim] : []);

export interface CompleterOptions extends FailureLook, SaidSources {
  queue: QueueStore;
  calendars: Pick<CalendarStore, 'versions'>;
  outbox: OutboxStore;
  schedules: Pick<ScheduleStore, 'find'>;
  /** 0 to below 1. */
  random: () => number;
  observer: EngineObserver;
  /** Before a decision: it goes by a clock that may be set back before a loop looks at it. */
  lookAtClock: () => void;
  downtime: DowntimeDetector;
  /** From when on nominal times may have been sent already. */
  recounter: Pick<Recounter, 'checksFrom' | 'during'>;
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
  readonly #ofOutbox: BatchWriter<EndedEntry>;

  constructor(options: CompleterOptions) {
    this.#options = options;
    const { clock, observer, recounter, wake } = options;
    this.#firings = new BatchWriter(clock, observer, {
      write: firings => recounter.during(() => this.#settleFirings(firings)),
      writing: () => wake.room(),
      written: () => {
        wake.runsEnded();
        wake.room();
      },
    });
    this.#ofOutbox = new BatchWriter(clock, observer, {
      write: entries => recounter.during(() => settleEntries(entries, options)),
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
    return this.#ofOutbox.unwritten.map(({ settlement }) => settlement.id);
  }

  complete(claim: Claim | OutboxClaim, attempt: Attempt): void {
    const { clock, random, observer } = this.#options;
    if (!('kind' in claim)) {
      this.#firings.add({ claim, attempt, endedAt: clock.now() });
      return;
    }
    const now = this.#look();
    const jitter = random();
    const settle = () => {
      const asked = askedBy(claim, attempt, now);
      this.#judgeOfOutbox(claim, asked, under =>
        afterOutboxAttempt(under, attempt, asked, now, jitter),
      );
    };
    eachOf([claim], reportedId, settle, observer);
  }

  /** Its request was not started. @param dueAt when it is due again; as before where it is left out */
  giveBack(claim: Claim | OutboxClaim, dueAt?: number): void {
    const now = this.#options.clock.now();
    if ('kind' in claim) this.#settleOutbox(claim, backToOutbox(claim, now, dueAt));
    else this.#firings.add({ claim, attempt: null, endedAt: now, dueAt });
  }

  /** Its request could not be decided about or built. It comes again later, for the cause may be gone by then. */
  setAside(claim: Claim | OutboxClaim): void {
    this.giveBack(claim, this.#options.clock.now() + SET_ASIDE_MS);
  }

  /** A firing that awaits its completion, or may have it: what its target has said is looked up, and decides. */
  lookAtAwaited(claim: Claim): void {
    this.#firings.add({ claim, attempt: null, endedAt: this.#options.clock.now() });
  }

  /** The same of a manual run. */
  decideAwaited(claim: ManualClaim, said: Completions): void {
    const { random, observer } = this.#options;
    const now = this.#look();
    const about = said.about(attemptOf(claim));
    const jitter = random();
    const settle = () =>
      this.#judgeOfOutbox(claim, null, under => afterManualAwaited(under, about, now, jitter));
    eachOf([claim], reportedId, settle, observer);
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

  #judgeOfOutbox<One extends OutboxClaim>(
    claim: One,
    asked: Consequence | null,
    decide: (claim: One) => OutboxSettlement,
  ): void {
    this.#ofOutbox.add({
      claim,
      settlement: decide(claim),
      asked,
      ...(claim.kind === 'manual' && {
        decideAgain: decide as (claim: ManualClaim) => OutboxSettlement,
      }),
    });
  }

  #settleOutbox(claim: OutboxClaim, settlement: OutboxSettlement): void {
    this.#ofOutbox.add({ claim, settlement, asked: null });
  }

  /** @returns what the clock shows */
  #look(): number {
    const { clock, lookAtClock } = this.#options;
    lookAtClock();
    return clock.now();
  }

  async #settleFirings(firings: EndedFiring[]): Promise<void> {
    const { queue, calendars, observer, downtime, recounter } = this.#options;
    await downtime.agreed();
    let open = firings;
    while (open.length > 0) {
      const unknown = unknownVersions(open, scheduleOf);
      if (unknown !== null) await loadVersions(calendars, unknown);
      const spoken = open.filter(({ claim, attempt }) => maySay(claim, attempt));
      const said = await saidOf(
        this.#options,
        spoken.map(({ claim }) => claim),
      );
      const now = this.#look();
      const looked = await withKnownOfGap(queue, open, now, {
        unseenUntil: downtime.unseenUntil,
        checksFrom: recounter.checksFrom,
      });
      const moves = await this.#withFailures(
        eachOf(
          looked,
          ({ claim }) => claim.schedule.id,
          firing => ({ firing, move: this.#moveOf(firing, said, now) }),
          observer,
        ),
        now,
      );
      await forgetSkipped(queue, moves.flatMap(unsentOf), now);
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

  /** A schedule may be disabled by failures in a row: they are counted when one ends so. */
  async #withFailures(moves: MovedFiring[], now: number): Promise<MovedFiring[]> {
    const failed = moves.filter(
      ({ firing, move }) =>
        move.ended !== null && countsFailures(move.ended, firing.claim.schedule),
    );
    if (failed.length === 0) return moves;
    const failures = await failuresOf(
      failed.map(({ firing }) => firing.claim),
      this.#options,
    );
    return moves.map(each => {
      const count = failures.get(each.firing.claim);
      if (count === undefined) return each;
      const { firing, move } = each;
      return { firing, move: movedAfterFailures(move, firing.claim.schedule, count, now) };
    });
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
      const isOurs = standing?.fence === claim.fence && standing.attempt === claim.attempt;
      if (!isOurs) return [];
      const { nextFor, changedAt, schedule } = standing;
      return [{ ...firing, claim: { ...claim, nextFor, changedAt, schedule } }];
    });
  }

  /** @param now the clock may have been set back since the attempt ended */
  #moveOf(firing: EndedFiring, said: Completions, now: number): Move {
    const { claim, attempt, endedAt: attemptEndedAt, dueAt } = firing;
    const { schedule } = claim;
    const endedAt = Math.min(attemptEndedAt, now);
    // A run that is only looked at has ended no earlier than its target said so.
    const lookedAt = attempt === null ? now : endedAt;
    const awaited = awaitedFiring(claim, attempt, said, lookedAt);
    const last = awaited?.attempt ?? attempt;
    if (last === null) return giveBack(claim, schedule, endedAt, dueAt);
    const attempts = [...claim.attempts.slice(0, claim.attempt - 1), last];
    const row = endedRow(claim, attempts, this.#wasSetBack(claim, endedAt));
    const asked = attempt === null ? null : consequenceOf(attempt, schedule, endedAt);
    if (asked === null) return this.#decide(row, schedule, awaited, endedAt);
    return movedBy(asked, row, schedule, endedAt, (as, under) =>
      this.#decide(as, under, awaited, endedAt),
    );
  }

  /**
   * Of a run whose next time lies before its own: whether the clock was set back since it began. Its own time is yet to come, or
   * may be among those that were sent before. A change that finds attempts starts after them (`decidedFrom`).
   */
  #wasSetBack({ scheduledFor, attempts }: Claim, endedAt: number): boolean {
    if (attempts.length > 0 || endedAt < scheduledFor) return true;
    return this.#options.recounter.checksFrom <= scheduledFor;
  }

  #decide(
    row: EndedRow,
    schedule: Schedule,
    awaited: AwaitedAttempt | null,
    endedAt: number,
  ): Move {
    return awaited === null
      ? this.#decideEnded(row, schedule, endedAt)
      : this.#decideAwaited(row, schedule, awaited);
  }

  #decideEnded(row: EndedRow, schedule: Schedule, endedAt: number): Move {
    const random = this.#options.random();
    const judged = judge(row.attempts, schedule.policy, row, endedAt, random);
    const verdict = finalBy(row.attempts.at(-1)!, judged);
    row.attempts = keptAttempts(row.attempts, schedule.policy);
    return afterAttempt(row, schedule, verdict, endedAt, this.#options.downtime.unseen);
  }

  #decideAwaited(row: EndedRow, schedule: Schedule, awaited: AwaitedAttempt): Move {
    const made = row.attempts;
    row.attempts = keptAttempts(made, schedule.policy);
    if (awaited.kind === 'awaiting') {
      return { row: { ...row, state: 'awaiting', dueAt: awaited.until }, passed: [], ended: null };
    }
    const { kind, endedAt } = awaited;
    const verdict =
      kind === 'timeout'
        ? finalBy(
            awaited.attempt,
            judge(made, schedule.policy, row, endedAt, this.#options.random()),
          )
        : { kind };
    // Its schedule was busy, whether or not anybody looked.
    const unseen = { ...this.#options.downtime.unseen, until: Number.NEGATIVE_INFINITY };
    return afterAttempt(row, schedule, verdict, endedAt, unseen);
  }
}
