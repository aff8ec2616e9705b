import type { Random } from './random.ts';

/**
 * The machine that a world runs on: time that passes only between events, and a queue of what is to happen.
 *
 * It takes the earliest event, calls it, lets everything end that it sets off without waiting, and takes the next one. Each
 * event has an owner, and what it sets off inherits it. The events of an owner that has died are dropped, and those of one that
 * is frozen wait.
 *
 * The wall clock may be set. A machine that is suspended runs nothing but the world: its monotonic clock rests, as Linux has
 * it, and so do its timers, which wait as much longer.
 */

export interface Owner {
  readonly name: string;
  isDead: boolean;
  /** While it is frozen: its events, as they came. */
  held?: Event[] | null;
}

interface Event {
  /** Ms since the machine started. */
  at: number;
  /** Events of one instant happen in the order in which they were made. */
  number: number;
  owner: Owner;
  call: () => void;
  isCancelled: boolean;
}

/** More steps than any world takes at one instant. */
const MOST_STEPS_AT_ONCE = 50_000;
/** What follows is called like any microtask. It costs less than `queueMicrotask`, which makes a resource of each call. */
const SETTLED = Promise.resolve();

export class Machine {
  /** Of what the process draws by itself: ids, keys, nonces. */
  readonly random: Random;
  /** The wall clock at the start, epoch ms. */
  readonly startedAt: number;
  /** The owner of what belongs to no process. */
  readonly world: Owner = { name: 'world', isDead: false };
  readonly #events: Event[] = [];
  #owner = this.world;
  /** Ms since it started. */
  #now = 0;
  /** The end of the last suspension, on the same scale. */
  #awakeAt = 0;
  /** How long it was suspended, one that goes on included. */
  #restedMs = 0;
  #aheadMs = 0;
  #made = 0;
  #stepsAtOnce = 0;
  #held = 0;
  /** Works on other threads. */
  #outside = 0;

  constructor(startedAt: number, random: Random) {
    this.startedAt = startedAt;
    this.random = random;
  }

  /** Ms since it started, whole or not. */
  get elapsedMs(): number {
    return this.#now;
  }

  /** The same by the clock of its processes that nobody sets: it rests while the machine is suspended. */
  get monotonicMs(): number {
    return Math.max(this.#now, this.#awakeAt) - this.#restedMs;
  }

  /** The time of the world, epoch ms: what a wall clock shows that nobody has set. */
  get trueNow(): number {
    return this.startedAt + Math.floor(this.#now);
  }

  /** The wall clock of its processes, epoch ms. */
  get now(): number {
    return this.trueNow + this.#aheadMs;
  }

  /** By how much the wall clock is ahead of the world's time, whole ms; behind where it is negative. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  setAhead(ms: number): void {
    this.#aheadMs = ms;
  }

  get isSuspended(): boolean {
    return this.#now < this.#awakeAt;
  }

  /** How long it is suspended yet, ms; 0 where it is not. */
  get suspendedForMs(): number {
    return Math.max(0, this.#awakeAt - this.#now);
  }

  /** Nothing runs for so long but what the world does. @param forMs whole, so that its clocks begin their ms together */
  suspend(forMs: number): void {
    if (this.isSuspended) return;
    this.#awakeAt = this.#now + forMs;
    this.#restedMs += forMs;
    for (const event of this.#events) if (event.owner !== this.world) event.at += forMs;
    // What is sorted is a heap.
    this.#events.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  /** @param owner who else than the owner of the event that goes on */
  after(delayMs: number, call: () => void, owner = this.#owner): { cancel(): void } {
    this.#made += 1;
    const from = owner === this.world ? this.#now : Math.max(this.#now, this.#awakeAt);
    const at = from + Math.max(0, delayMs);
    const event = { at, number: this.#made, owner, call, isCancelled: false };
    push(this.#events, event);
    return {
      cancel: () => {
        event.isCancelled = true;
      },
    };
  }

  /** Nothing of `owner` happens while time passes; then all that was to happen comes at once, in its order. */
  freeze(owner: Owner, forMs: number): void {
    owner.held = [];
    this.after(forMs, () => this.thaw(owner), this.world);
  }

  thaw(owner: Owner): void {
    const events = owner.held ?? [];
    owner.held = null;
    for (const event of events) {
      this.#made += 1;
      push(this.#events, Object.assign(event, { at: this.#now, number: this.#made }));
    }
  }

  async sleep(delayMs: number, owner = this.#owner): Promise<void> {
    return new Promise(resolve => this.after(delayMs, resolve, owner));
  }

  /** Until `goOn` as often, an event has ended only when all ticks of the process have: streams use them. */
  holdOn(): void {
    this.#held += 1;
  }

  goOn(): void {
    this.#held -= 1;
  }

  /** Work on another thread of the process takes no time: the event that begins it has ended only when it has. */
  waitFor(work: Promise<unknown>): void {
    this.#outside += 1;
    const end = () => {
      this.#outside -= 1;
    };
    work.then(end, end);
  }

  /**
   * Plays until `script` has ended. The globals of the process are those of this machine meanwhile (globals.ts).
   *
   * @throws what the script or an event throws; where nothing is left to happen, or no time passes any more
   */
  async play<Result>(script: () => Promise<Result>): Promise<Result> {
    if (playing !== null) throw new Error('A machine is playing already.');
    playing = this;
    try {
      return await new Promise<Result>((resolve, reject) => {
        let isOver = false;
        const end = (settle: () => void) => {
          isOver = true;
          settle();
        };
        const step = () => {
          if (isOver) return;
          if (this.#outside > 0) return realTurn(step);
          try {
            this.#step();
          } catch (error) {
            return end(() => reject(error));
          }
          // Ticks run when no promise has anything left to do, and a turn of the event loop after all ticks.
          if (this.#held > 0) realTurn(step);
          else void SETTLED.then(stepInTick);
        };
        const stepInTick = () => process.nextTick(step);
        const begin = () =>
          script().then(
            result => end(() => resolve(result)),
            error => end(() => reject(error)),
          );
        this.after(0, () => void begin(), this.world);
        process.nextTick(step);
      });
    } finally {
      playing = null;
    }
  }

  #step(): void {
    const event = pop(this.#events);
    if (event === undefined) throw new Error('Nothing is left to happen.');
    if (event.isCancelled || event.owner.isDead) return;
    if (event.owner.held) {
      event.owner.held.push(event);
      return;
    }
    this.#stepsAtOnce = event.at > this.#now ? 0 : this.#stepsAtOnce + 1;
    if (this.#stepsAtOnce > MOST_STEPS_AT_ONCE)
      throw new Error(`No time passes any more at ${this.#now} ms (I19).`);
    this.#now = event.at;
    this.#owner = event.owner;
    event.call();
  }
}

let playing: Machine | null = null;
let realTurn: (call: () => void) => void = process.nextTick;

/** @param turn calls in the next turn of the event loop (globals.ts) */
export function turnBy(turn: typeof realTurn): void {
  realTurn = turn;
}

/** The machine that plays now; null: this is a process as any other. */
export function machineThatPlays(): Machine | null {
  return playing;
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.number < b.number);
}

/** Into a binary heap. */
function push(events: Event[], event: Event): void {
  let index = events.push(event) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!isBefore(event, events[parent]!)) break;
    events[index] = events[parent]!;
    index = parent;
  }
  events[index] = event;
}

function pop(events: Event[]): Event | undefined {
  const first = events[0];
  const last = events.pop();
  if (first === undefined || last === undefined || events.length === 0) return first;
  let index = 0;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= events.length) break;
    if (child + 1 < events.length && isBefore(events[child + 1]!, events[child]!)) child += 1;
    if (!isBefore(events[child]!, last)) break;
    events[index] = events[child]!;
    index = child;
  }
  events[index] = last;
  return first;
}
