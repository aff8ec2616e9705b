import type { Engine } from '../src/engine/engine.ts';
import type { Machine } from './machine.ts';
import type { Life } from './model/evidence.ts';

/** The lives of one process: it has one from its start to its end. A pause ends it, and after the resume there is another one. */
export class Lives {
  readonly #all: Life[] = [];
  readonly #machine: Machine;
  readonly #node: string;
  readonly #isUnknown: () => boolean;
  readonly #frozen: NonNullable<Life['frozen']> = [];
  readonly #lags: NonNullable<Life['lags']> = [];
  /** Since when its engine stops; null: it does not. */
  #stoppingFrom: number | null = null;
  /** By the monotonic clock: what is in flight then is abandoned. */
  #limitAt = Infinity;
  /** Somebody stops the process, and not only its engine. */
  #isAsked = false;

  /** @param isUnknown whether nothing tells which claims ahead of their time were sent */
  constructor(machine: Machine, node: string, isUnknown: () => boolean) {
    this.#machine = machine;
    this.#node = node;
    this.#isUnknown = isUnknown;
    this.#add(machine.trueNow);
  }

  /** In their order. One that stops has ended since it began to: it fires no more. */
  get all(): Life[] {
    const last = this.#last;
    if (this.#stoppingFrom === null || last.end !== null) return this.#all;
    const end = { how: 'stopped', from: this.#stoppingFrom, to: this.#machine.trueNow } as const;
    return [...this.#all.slice(0, -1), { ...last, end }];
  }

  /** Whether it fires, or is about to stop. */
  get isOn(): boolean {
    const { readyAt, end } = this.#last;
    return readyAt !== null && end === null;
  }

  /** It looks at its schedules within this ms. @param madeAt when its engine was made */
  begin(madeAt: number): void {
    if (this.#last.end !== null) this.#add(madeAt);
    this.#last.lookedAt = Math.floor(madeAt);
    this.#stoppingFrom = null;
    this.#limitAt = Infinity;
    this.#last.readyAt = this.#machine.trueNow + 1;
  }

  /** Stops its engine, which has so long for it. At its limit it abandons what is in flight, as a kill would. */
  async stop(limitMs: number, stop: () => Promise<void>): Promise<void> {
    const machine = this.#machine;
    this.#stoppingFrom ??= machine.trueNow;
    // Sums of fractions differ in their last digits.
    this.#limitAt = Math.min(this.#limitAt, machine.monotonicMs + limitMs - 0.001);
    await stop();
    const isInTime = machine.monotonicMs < this.#limitAt;
    if (isInTime) this.#end({ how: 'stopped' });
    else this.#kill({ isAbandoned: !this.#isAsked });
  }

  /** Stops all of its process. @param stop asks the engine, and lets the process end after it */
  stopAll(limitMs: number, stop: () => Promise<void>): Promise<void> {
    this.#isAsked = true;
    return this.stop(limitMs, stop);
  }

  kill(): void {
    this.#kill({});
  }

  freeze(forMs: number): void {
    const { trueNow } = this.#machine;
    this.#frozen.push({ from: trueNow, to: trueNow + Math.ceil(forMs) });
  }

  /** It has woken by now. */
  wakeUp(): void {
    const rest = this.#frozen.at(-1);
    if (rest !== undefined) rest.to = Math.min(rest.to, this.#machine.trueNow);
  }

  /** Its clock is behind by so much from now on. */
  lag(behindMs: number): void {
    const { trueNow } = this.#machine;
    const last = this.#lags.at(-1);
    if (last?.to === Infinity) last.to = trueNow;
    if (behindMs > 1) this.#lags.push({ from: trueNow, to: Infinity, behindMs });
  }

  get #last(): Life {
    return this.#all.at(-1)!;
  }

  #add(spawnedAt: number): void {
    const [node, frozen, lags] = [this.#node, this.#frozen, this.#lags];
    this.#all.push({ node, spawnedAt, readyAt: null, end: null, frozen, lags });
  }

  #kill(how: { isAbandoned?: boolean }): void {
    this.#end({ how: 'killed', isUnknown: this.#isUnknown(), ...how });
  }

  #end(end: Omit<NonNullable<Life['end']>, 'from' | 'to'>): void {
    const { trueNow } = this.#machine;
    // It could fire no longer when it began to stop.
    this.#last.end ??= { ...end, from: this.#stoppingFrom ?? trueNow, to: trueNow };
  }
}

/** @returns the engine, whose start and stop begin a life and end it */
export function livingIn(lives: Lives, engine: Engine, now: () => number): Engine {
  const madeAt = now();
  const [start, stop] = [engine.start.bind(engine), engine.stop.bind(engine)];
  engine.start = async () => {
    await start();
    lives.begin(madeAt);
  };
  engine.stop = limitMs =>
    lives.isOn ? lives.stop(limitMs ?? Infinity, () => stop(limitMs)) : stop(limitMs);
  return engine;
}
