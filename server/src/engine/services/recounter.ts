import type { Clock } from '../../clock.ts';
import type { Cluster } from '../../store/contract/cluster.ts';
import type { CompletionStore } from '../../store/contract/completions.ts';
import type { OutboxPosition, OutboxStore, QueueStore } from '../../store/contract/queue.ts';
import { Loop } from '../loop.ts';
import type { EngineObserver } from '../observer.ts';
import type { Wake } from '../wake.ts';
import { STEP_MS } from './clock-steps.ts';

/**
 * When each schedule is looked at after the clock was set back, ms: at once, and twice more. By then all nodes have seen
 * the step, and writes that were on their way have arrived.
 */
const PASSES_MS = [0, 2_000, 10_000];
/** While rows that may have been sent before still wait for their turn. */
const LOOK_AGAIN_MS = 1_000;

/** The clock watch tells it of a step, so that it need not look often itself. */
const MAX_SLEEP_MS = 60_000;

export interface RecounterOptions {
  queue: QueueStore;
  outbox: OutboxStore;
  completions: Pick<CompletionStore, 'recount'>;
  clock: Clock;
  observer: EngineObserver;
  wake: Wake;
  /** Null where the store is of one node. */
  cluster: Pick<Cluster, 'now'> | null;
}

/**
 * Recounter: after the clock was set back, each schedule goes on with its next time that was not sent.
 *
 * Guarantee: nothing is sent twice. Rows are moved back without a look at their history. `checksFrom` says from when on
 * times may have been sent already, and the dispatcher looks these up before it sends them. If this process ends in
 * between, the next one begins again from the records.
 */
export class Recounter {
  readonly #options: RecounterOptions;
  readonly #loop: Loop;
  /** When the passes are due that are still to come, by the monotonic clock. */
  #passes: number[] = [];
  #checksFrom = Number.NEGATIVE_INFINITY;
  /** From when on the next pass counts; null: from when it is made. */
  #since: number | null = null;
  /** As `#offsetOfNow`, after the clock was set back. */
  #offsetMs = 0;
  /** The call of a pass that is on its way to the store. */
  #asking: Promise<unknown> | null = null;
  /** Decisions that are on their way to the store. */
  readonly #decisions = new Set<Promise<unknown>>();
  /** Ends with those that may go by the clock as it was before it was set back. */
  #landed: Promise<unknown> = Promise.resolve();
  #stopping = false;

  constructor(options: RecounterOptions) {
    this.#options = options;
    this.#loop = new Loop(
      options.clock,
      () => this.#step(),
      error => options.observer.storeFailed(error),
      undefined,
      MAX_SLEEP_MS,
    );
  }

  /** Nominal times from this instant on may have been sent already; infinite where none can have been. */
  get checksFrom(): number {
    return this.#checksFrom;
  }

  /** To be waited for before anything is claimed. */
  async start(): Promise<void> {
    const { queue, clock, observer } = this.#options;
    const now = clock.now();
    const offsetMs = this.#offsetOfNow;
    const latest = (await queue.latest()) ?? now;
    const backMs = latest - now;
    if (backMs > STEP_MS && !(await this.#isLate(latest))) {
      observer.clockWasSetBack(backMs);
      this.#plan(now, offsetMs);
    } else await this.#askAgain();
    this.#loop.start();
  }

  /** Whether only this node's clock is behind: its store was slow to say what time it is. */
  async #isLate(latest: number): Promise<boolean> {
    const { cluster } = this.#options;
    return cluster !== null && latest - (await cluster.now()) <= STEP_MS;
  }

  stop(): Promise<void> {
    this.#stopping = true;
    return this.#loop.stop();
  }

  /** The clock was set back. @param since what it showed then, at the least: times after it are counted */
  begin(since: number): void {
    this.#plan(since, this.#offsetOfNow);
    this.#loop.wake();
  }

  /**
   * Makes a decision by the clock as it is, up to its write. If the clock is set back meanwhile, the passes wait for it: it may move
   * its row beyond times that come again. If it is set ahead, the decision waits for the call of a pass that goes by what it showed before.
   */
  async during<Result>(decide: () => Promise<Result>): Promise<Result> {
    while (this.#asking !== null) await this.#asking;
    const decision = decide();
    this.#decisions.add(decision);
    try {
      return await decision;
    } finally {
      this.#decisions.delete(decision);
    }
  }

  #plan(since: number, offsetMs: number): void {
    const now = this.#options.clock.monotonicMs();
    this.#offsetMs = offsetMs;
    this.#landed = Promise.allSettled(this.#decisions);
    this.#since = Math.min(since, this.#since ?? since);
    this.#checksFrom = Number.NEGATIVE_INFINITY;
    this.#passes = PASSES_MS.map(afterMs => now + afterMs);
  }

  /** @returns when there is something to do again, null: when the clock is set back */
  async #step(): Promise<number | null> {
    const { clock } = this.#options;
    await this.#landed;
    const passes = this.#passes;
    const [passAt] = passes;
    if (passAt === undefined) return this.#lookOn();
    const leftMs = passAt - clock.monotonicMs();
    if (leftMs > 0) return clock.now() + Math.ceil(leftMs);
    await this.#pass();
    // Another step begins anew.
    if (this.#passes === passes) {
      passes.shift();
      this.#since = null;
    }
    if (this.#passes.length === 0) await this.#askAgain();
    return clock.now();
  }

  /** Bite by bite: what else is asked of the store has its turn in between. */
  async #pass(): Promise<void> {
    const { queue, outbox, completions, clock, wake } = this.#options;
    for (let after = 0; !this.#stopping; ) {
      const bite = await this.#ask(queue.recount(this.#countedFrom, after));
      if (bite === null) break;
      if (bite.dueAt !== null) wake.queue(bite.dueAt);
      after = bite.last;
    }
    for (let place: OutboxPosition | null = null; !this.#stopping; ) {
      place = await outbox.recount(clock.now(), place);
      wake.outbox();
      if (place === null) break;
    }
    while (!this.#stopping && (await completions.recount(clock.now())) > 0) {
      wake.queue(clock.now());
      wake.outbox();
    }
    while (!this.#stopping && (await this.#ask(queue.cutMissed(this.#countedFrom))) > 0);
  }

  /** Once the clock is set ahead, what it showed before that comes no more. */
  get #countedFrom(): number {
    const now = this.#options.clock.now();
    const isAhead = this.#offsetOfNow > this.#offsetMs + STEP_MS;
    return isAhead ? now : (this.#since ?? now);
  }

  /** By how much the clock is ahead of the monotonic one, ms. */
  get #offsetOfNow(): number {
    const { clock } = this.#options;
    return clock.now() - clock.monotonicMs();
  }

  async #ask<Answer>(asked: Promise<Answer>): Promise<Answer> {
    const answered = asked.finally(() => {
      this.#asking = null;
    });
    this.#asking = answered.catch(() => {});
    return answered;
  }

  /** Once all rows of the times that may have been sent have had their turn, it asks for the next. */
  async #lookOn(): Promise<number | null> {
    if (this.#checksFrom === Number.POSITIVE_INFINITY) return null;
    const now = this.#options.clock.now();
    if (now <= this.#checksFrom) return this.#checksFrom + 1;
    await this.#askAgain();
    return this.#checksFrom <= now ? now + LOOK_AGAIN_MS : now;
  }

  async #askAgain(): Promise<void> {
    const { queue, clock } = this.#options;
    const knownAt = await queue.nextKnown(clock.now());
    if (this.#passes.length === 0) this.#checksFrom = knownAt ?? Number.POSITIVE_INFINITY;
  }
}
