import type { Api } from './api.ts';
import { Node, type Surroundings } from './node.ts';
import type { Action } from './profile.ts';
import type { Random } from './random.ts';
import type { StoreFaults } from './store/way.ts';

type Kill = Extract<Action, { kind: 'kill' }>;

/** The processes of a world: one after the other, or several at a time, each of which has one that follows it. */
export class Fleet {
  /** All that have ever been started, in their order. */
  readonly all: Node[] = [];
  readonly #around: Surroundings;
  readonly #apis: Api[];
  /** Which one a caller asks. */
  readonly #random: Random;
  /** By their place: the last one that was started there. */
  readonly #places: Node[] = [];
  #isOver = false;

  /** @param apis as many as there are processes at a time */
  constructor(around: Surroundings, apis: Api[], random: Random) {
    this.#around = around;
    this.#apis = apis;
    this.#random = random;
  }

  startAll(): void {
    for (const place of this.#apis.keys()) this.#start(place);
  }

  /** Nobody is killed from here on, and nothing is wrong with the ways to the store. */
  heal(): void {
    this.#isOver = true;
    const { elapsedMs } = this.#around.machine;
    for (const way of [this.#around.faults, ...this.all.map(({ faults }) => faults)]) {
      way.refusesUntil = Math.min(way.refusesUntil, elapsedMs);
      way.slowUntil = Math.min(way.slowUntil, elapsedMs);
    }
    for (const node of this.all) node.wakeUp();
  }

  /** Who lives has started, and somebody lives. */
  get isWell(): boolean {
    const alive = this.all.filter(({ isGone }) => !isGone);
    return alive.length > 0 && alive.every(({ isFiring, isUp }) => isFiring && isUp);
  }

  get isThere(): boolean {
    return this.#places.some(({ isUp }) => isUp);
  }

  /** Since when nothing is wrong with any way to the store, ms since the machine started. */
  get wellSinceMs(): number {
    const ways = [this.#around.faults, ...this.all.map(({ faults }) => faults)];
    return Math.max(
      ...ways.map(({ refusesUntil, slowUntil, slowByMs }) =>
        Math.max(refusesUntil, slowUntil + slowByMs),
      ),
    );
  }

  /** The process that a caller asks, whether it lives or not. */
  asked(): Node {
    const several = this.#places.length > 1;
    return several ? this.#random.pick(this.#places) : this.#places[0]!;
  }

  /** Whom an action concerns: one of those that live, where there are any. */
  of({ at }: Action): Node {
    const up = this.#places.filter(({ isUp }) => isUp);
    return up[Math.floor(at * 1_000) % up.length] ?? this.all.at(-1)!;
  }

  /** Whose way to the store an action concerns: that of one node, or of all. */
  wayOf(action: Action): { faults: StoreFaults; node?: string } {
    const { leases, faults } = this.#around;
    if (leases === null || Math.floor(action.at) % 2 === 0) return { faults };
    const node = this.of(action);
    return { faults: node.faults, node: node.name };
  }

  kill(node: Node, action: Kill): void {
    if (this.#isOver || !node.isUp) return;
    const place = this.#places.indexOf(node);
    this.#tell('kill', node);
    node.kill();
    const { downMs, againMs } = action;
    this.#startAfter(place, downMs);
    if (againMs === null) return;
    const again = () => this.kill(this.#places[place]!, { ...action, againMs: null });
    this.#around.machine.after(downMs + againMs, again, this.#around.machine.world);
  }

  /** The file of the lock is gone: nobody knows what was sent. What was committed is there. */
  cutPower(action: Extract<Action, { kind: 'powerCut' }>): void {
    const node = this.of(action);
    if (this.#isOver || !node.isUp) return;
    this.#around.tell('the power is cut');
    this.#around.mark.sentUntil = null;
    this.kill(node, { ...action, kind: 'kill', againMs: null, isAmidCall: false });
  }

  stop(node: Node, limitMs: number, downMs: number): void {
    if (!node.isUp) return;
    const place = this.#places.indexOf(node);
    this.#tell('stop', node);
    node.stop(limitMs, () => this.#startAfter(place, downMs));
  }

  freeze(node: Node, forMs: number): void {
    this.#around.tell(`freeze ${node.name} for ${Math.round(forMs)} ms`);
    node.freeze(forMs);
  }

  #tell(what: string, { name }: Node): void {
    this.#around.tell(this.#around.leases === null ? what : `${what} ${name}`);
  }

  #start(place: number): void {
    const number = this.all.length + 1;
    this.#around.tell(`start n${number}`);
    const node = new Node(this.#around, this.#apis[place]!, number);
    this.all.push(node);
    this.#places[place] = node;
  }

  #startAfter(place: number, downMs: number): void {
    const { machine } = this.#around;
    machine.after(downMs, () => this.#start(place), machine.world);
  }
}
