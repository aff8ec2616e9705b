import type { Machine } from '../machine.ts';
import type { WrittenSeen } from '../model/wire-evidence.ts';
import type { Random } from '../random.ts';
import { type Answer, writtenBy } from './answer-bytes.ts';
import type { Line, LineEnd } from './line.ts';
import type { Plan } from './network.ts';
import type { RequestRead } from './request-reader.ts';

/** What a target does on its connections. */
export interface PeerOptions {
  machine: Machine;
  random: Random;
  /** Nothing breaks but what the plans say. */
  isGentle(): boolean;
  /** A request was written. */
  written(request: RequestRead, line: Line): WrittenSeen;
  /** What the target will do with it. */
  planOf(request: RequestRead): Plan;
  /** The target has read it, and begins. */
  arrived(request: RequestRead, plan: Plan): void;
  /** What it answers now. */
  answerTo(request: RequestRead, plan: Plan): Answer;
}

/** The target's end of one connection. */
export class Peer implements LineEnd {
  readonly #line: Line;
  readonly #around: PeerOptions;
  /** It closes the connection as the next request is on its way. */
  #leavesAtNext = false;

  constructor(line: Line, around: PeerOptions) {
    this.#line = line;
    this.#around = around;
  }

  written(request: RequestRead): void {
    const seen = this.#around.written(request, this.#line);
    if (this.#leavesAtNext) this.#leave(0);
    else if (!this.#line.isLeft) {
      this.#after(this.#latencyMs(), () => this.#read(request, seen));
      return;
    }
    // Nobody reads it.
    this.#line.comes(2 * this.#latencyMs(), () => this.#line.fails('ECONNRESET'));
  }

  closed(): void {}

  #read(request: RequestRead, seen: WrittenSeen): void {
    if (this.#line.isLeft) {
      this.#line.comes(this.#latencyMs(), () => this.#line.fails('ECONNRESET'));
      return;
    }
    const plan = this.#around.planOf(request);
    if (plan.fault === 'refused') {
      this.#breakOff(0);
      return;
    }
    this.#around.arrived(request, plan);
    if (plan.fault === 'hang') this.#hang();
    else this.#after(plan.afterMs, () => this.#answer(request, plan, seen));
  }

  /** It says nothing, or nothing that helps. */
  #hang(): void {
    const { random } = this.#around;
    const said = random.pick(['', '', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 200 OK\r\nx-']);
    if (said !== '') this.#line.comes(this.#latencyMs(), () => this.#line.bytes(Buffer.from(said)));
  }

  #answer(request: RequestRead, plan: Plan, seen: WrittenSeen): void {
    const { random, machine } = this.#around;
    const { status, headers, body } = this.#around.answerTo(request, plan);
    const written = writtenBy(random, { status, headers, body });
    const { pieces, headBytes, isLast, isOpenEnded } = written;
    const isCut = !this.#around.isGentle() && random.chance(0.03);
    // Before the first byte, or amid the answer.
    const count =
      plan.fault === 'reset' || isCut ? random.pick([0, pieces.length - 1]) : pieces.length;
    const whole = () => {
      seen.answer = { status, body, atMs: machine.monotonicMs };
    };
    let ms = this.#latencyMs();
    for (const [index, { afterMs, bytes }] of pieces.slice(0, count).entries()) {
      ms += afterMs;
      this.#line.comes(ms, () => {
        seen.answeredBytes += bytes.length;
        seen.hasHead = seen.answeredBytes >= headBytes;
        if (index === pieces.length - 1 && !isOpenEnded) whole();
        this.#line.bytes(bytes);
      });
    }
    // A close would end a body that has no other end.
    if (count < pieces.length) this.#breakOff(ms, isOpenEnded);
    else if (!isLast) this.#rest(ms);
    else {
      this.#line.isLeft = true;
      this.#line.comes(ms, () => {
        if (isOpenEnded) whole();
        this.#line.ends();
      });
    }
  }

  /** After an answer: it keeps the connection for a while, or for good. */
  #rest(ms: number): void {
    const { random, machine } = this.#around;
    const drawn = random.next();
    const soonMs = random.exponential(400);
    // Requests come a little after whole seconds.
    const beside =
      1_000 - ((machine.startedAt + machine.elapsedMs) % 1_000) + random.between(-0.5, 2);
    if (this.#around.isGentle()) return;
    this.#leavesAtNext = drawn < 0.06;
    if (drawn > 0.06 && drawn < 0.1) this.#leave(ms + soonMs);
    if (drawn > 0.1 && drawn < 0.2) this.#leave(ms + beside);
  }

  /** It closes the connection, whatever is on its way. */
  #leave(ms: number): void {
    this.#after(ms, () => {
      this.#line.isLeft = true;
      this.#line.comes(this.#latencyMs(), () => this.#line.ends());
    });
  }

  #breakOff(ms: number, isReset = this.#around.random.chance(0.5)): void {
    this.#line.isLeft = true;
    this.#line.comes(ms + this.#latencyMs(), () =>
      isReset ? this.#line.fails('ECONNRESET') : this.#line.ends(),
    );
  }

  #latencyMs(): number {
    return this.#around.random.between(0.05, 0.3);
  }

  #after(ms: number, call: () => void): void {
    const { machine } = this.#around;
    machine.after(ms, () => this.#line.isOpen && call(), machine.world);
  }
}
