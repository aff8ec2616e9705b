import type { OutboundRequest, Send, SendResult } from '../../src/outbound/send.ts';
import type { Machine, Owner } from '../machine.ts';
import { arrivalOf, callbackArrivalOf, signedOf } from '../model/arrivals.ts';
import type { Arrival, CallbackArrival, ControlAsked } from '../model/evidence.ts';
import type { SignedSeen } from '../model/evidence-of-clients.ts';
import type { Random } from '../random.ts';
import { steeringAnswer } from './steering.ts';
import type { Begun } from './work.ts';

/** The longest that a request waits for a connection. */
export const CONNECT_MS = 80;

/**
 * The network with the targets and the receivers of callbacks. The path of a url says how they answer: `/ok`, `/fail` (500),
 * `/gone` (404), `/flaky` (503 to the first attempt), `/later/<s>` and `/until/<s>` (so is 429, with `Retry-After` as seconds
 * or date), `/accept/<ms>` (202, and says after about that time how the work ended), `/steer/<how>` (with `Punctual-Control`), `/slow/<ms>`, `/whim` (each time as it likes), `/hang` (never), `/dead` (no connection); callbacks go to
 * `/callback/…`.
 */
export class Network {
  readonly arrivals: Arrival[] = [];
  readonly callbacks: CallbackArrival[] = [];
  /** What they were signed with, where that is kept. */
  readonly signed: SignedSeen[] = [];
  keepsSignatures = false;
  /** From then on all answer 200 at once. */
  isHealed = false;
  /** Called for each request whose work a target begins. */
  begun: (work: Begun) => void = () => {};
  /** Where requests go through sockets; null: they are played as a whole. */
  sockets: Senders | null = null;
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #waiting: number;
  /** The requests that a process waits for, with what ends them as it dies. */
  readonly #open = new Map<Owner, Set<() => void>>();

  /** @param waiting how many requests wait for a connection, 0 to 1 */
  constructor(machine: Machine, random: Random, waiting: number) {
    this.#machine = machine;
    this.#random = random;
    this.#waiting = waiting;
  }

  /** The connections of a process that has died break. */
  cutOff(owner: Owner): void {
    this.sockets?.cutOff(owner);
    for (const end of this.#open.get(owner) ?? []) end();
    this.#open.delete(owner);
  }

  /** The targets, for requests that come through sockets. */
  get targets(): Targets {
    return {
      planOf: (path, attempt) => this.#planOf(path, attempt),
      retryAfter: plan => this.#retryAfter(plan),
      arrive: (path, headers, body, plan, process) => {
        const end = this.#arrive(path, headers, body, process);
        this.#begin(headers, plan);
        return end;
      },
    };
  }

  sendFor(sender: Wired): Send {
    if (this.sockets !== null) return this.sockets.sendFor(sender);
    const { owner, wire, now } = sender;
    return async request => {
      const random = this.#random;
      const waitMs = random.chance(this.#waiting) ? random.between(0, CONNECT_MS) : 0;
      if (waitMs > 0) await this.#sleep(waitMs, owner);
      const startedAt = now();
      const begunMs = this.#machine.monotonicMs;
      const ended = (rest: Partial<SendResult>): SendResult => ({
        outcome: 'response',
        startedAt,
        durationMs: this.#wholeMsSince(begunMs),
        phases: {},
        ...rest,
      });
      if (request.permit?.start() === false) return ended({ outcome: 'cancelled' });
      const result = await this.#exchange(request, sender);
      if (wire !== owner) await this.#sleep(0, owner);
      return ended(result);
    };
  }

  async #exchange(request: OutboundRequest, sender: Wired): Promise<Partial<SendResult>> {
    const { wire: owner } = sender;
    const random = this.#random;
    const path = new URL(request.url).pathname;
    const headers = headersOf(request);
    const plan = this.#planOf(path, Number(headers['punctual-attempt']));
    if (plan.fault === 'refused') {
      await this.#sleep(random.between(0.1, 1), owner);
      return { outcome: 'connectionError', error: 'The connection was refused.' };
    }
    await this.#passes(random.between(0.1, 0.5), owner);
    const end = this.#arrive(path, headers, request.body, sender);
    this.#begin(headers, plan);
    if (plan.fault === 'hang' || plan.afterMs > request.timeoutMs) {
      await this.#sleep(request.timeoutMs, owner);
      end(null);
      return { outcome: 'timeout', error: 'It did not answer in time.' };
    }
    await this.#passes(plan.afterMs, owner);
    if (plan.fault === 'reset') {
      end(null);
      return { outcome: 'connectionError', error: 'The connection was reset.' };
    }
    const retryAfter = this.#retryAfter(plan);
    end(plan.status, { retryAt: retryAfter?.at, asked: plan.asked });
    await this.#sleep(random.between(0.05, 0.3), owner);
    const responseHeaders = retryAfter && { 'retry-after': retryAfter.value };
    const { status: responseStatus, control } = plan;
    return {
      responseStatus,
      ...(responseHeaders && { responseHeaders }),
      ...(control !== undefined && { control }),
    };
  }

  #begin(headers: Record<string, string>, { workMs: meanMs }: Plan): void {
    const url = headers['punctual-completion-url'];
    if (meanMs === undefined || url === undefined) return;
    const [runId, attempt] = [headers['webhook-id']!, Number(headers['punctual-attempt'])];
    this.begun({ url, runId, attempt, meanMs });
  }

  /** What it asks for, and until when that is, as a process reads it that has the answer at once. */
  #retryAfter({ asksFor }: Plan): { value: string; at: number } | undefined {
    if (asksFor === undefined) return undefined;
    const at = this.#machine.trueNow + asksFor.seconds * 1_000;
    if (!asksFor.isDate) return { value: String(asksFor.seconds), at };
    const value = new Date(at).toUTCString();
    return { value, at: Date.parse(value) };
  }

  #planOf(path: string, attempt: number): Plan {
    const random = this.#random;
    const afterMs = 0.3 + random.exponential(5);
    if (this.isHealed) return { status: 200, afterMs };
    const kind = path.replace(/^\/callback/, '');
    const slowMs = Number(/^\/slow\/(\d+)$/.exec(kind)?.[1] ?? 0);
    if (slowMs > 0) return { status: 200, afterMs: slowMs };
    if (kind === '/fail') return { status: 500, afterMs };
    if (kind === '/gone') return { status: 404, afterMs };
    if (kind === '/flaky') return { status: attempt === 1 ? 503 : 200, afterMs };
    const [, later, seconds] = /^\/(later|until)\/(\d+)$/.exec(kind) ?? [];
    if (later !== undefined && attempt === 1)
      return {
        status: 429,
        afterMs,
        asksFor: { seconds: Number(seconds), isDate: later === 'until' },
      };
    const [, steering] = /^\/steer\/([a-z]+)$/.exec(kind) ?? [];
    if (steering !== undefined) return { afterMs, ...steeringAnswer(steering, random) };
    const workMs = Number(/^\/accept\/(\d+)$/.exec(kind)?.[1] ?? 0);
    if (workMs > 0) return accepted(random, afterMs, workMs);
    if (kind === '/hang') return { status: 200, afterMs, fault: 'hang' };
    if (kind === '/dead') return { status: 200, afterMs, fault: 'refused' };
    if (kind === '/whim') return whim(random, afterMs);
    return { status: 200, afterMs };
  }

  #arrive(
    path: string,
    headers: Record<string, string>,
    body: string | null,
    { owner, wire, now }: Wired,
  ): Ended {
    const at = this.#machine.trueNow;
    const arrival = path.startsWith('/callback')
      ? callbackArrivalOf(headers, body!, at)
      : arrivalOf(headers, at);
    if ('runId' in arrival) this.callbacks.push(arrival);
    else this.arrivals.push(arrival);
    if (wire !== owner) Object.assign(arrival, { node: owner.name, senderAt: now() });
    if (this.keepsSignatures) this.signed.push(signedOf(headers, body ?? '', arrival));
    const open = this.#openOf(wire);
    const end = (status: number | null, { retryAt, asked }: Asks = {}) => {
      arrival.status = status;
      if (retryAt !== undefined) arrival.retryAt = retryAt;
      if (asked !== undefined && 'endedAt' in arrival) arrival.asked = asked;
      if ('endedAt' in arrival) arrival.endedAt = this.#machine.trueNow;
      open.delete(broken);
    };
    const broken = () => end(null);
    open.add(broken);
    return end;
  }

  #openOf(owner: Owner): Set<() => void> {
    const open = this.#open.get(owner) ?? new Set();
    this.#open.set(owner, open);
    return open;
  }

  /** Whole instants apart, as a process tells them: of a whole ms that began. */
  #wholeMsSince(begunMs: number): number {
    return Math.floor(this.#machine.monotonicMs) - Math.floor(begunMs);
  }

  /** Time on the way and at the target: it passes while the process is suspended as well. It ends with the process. */
  #passes(ms: number, owner: Owner): Promise<void> {
    return new Promise(resolve =>
      this.#machine.after(ms, () => owner.isDead || resolve(), this.#machine.world),
    );
  }

  #sleep(ms: number, owner: Owner): Promise<void> {
    return new Promise(resolve => this.#machine.after(ms, resolve, owner));
  }
}

/** A process that sends. */
export interface Wired {
  owner: Owner;
  /** What is on its way to targets: it goes on while a node is frozen. Of a process alone: itself. */
  wire: Owner;
  /** The clock of the process. */
  now(): number;
}

/** What an answer asks for. */
export interface Asks {
  /** By `Retry-After`, epoch ms. */
  retryAt?: number | undefined;
  asked?: ControlAsked | undefined;
}

/** The real senders of processes. */
export interface Senders {
  sendFor(process: Wired): Send;
  /** The process has died whose requests are on this wire. */
  cutOff(wire: Owner): void;
}

/** Is told the status of the answer, or null where there is none. */
export type Ended = (status: number | null, asks?: Asks) => void;

/** What targets do with requests that have come. */
export interface Targets {
  planOf(path: string, attempt: number): Plan;
  retryAfter(plan: Plan): { value: string; at: number } | undefined;
  arrive(
    path: string,
    headers: Record<string, string>,
    body: string | null,
    plan: Plan,
    process: Wired,
  ): Ended;
}

export interface Plan {
  status: number;
  afterMs: number;
  fault?: 'refused' | 'reset' | 'hang';
  /** It begins work that takes so long on average. */
  workMs?: number;
  /** Of its `Retry-After`. */
  asksFor?: { seconds: number; isDate: boolean };
  /** Its `Punctual-Control`, and what of that counts. */
  control?: string;
  asked?: ControlAsked;
}

/** Now and then the answer does not come, although the work has begun. */
function accepted(random: Random, afterMs: number, workMs: number): Plan {
  const drawn = random.next();
  if (drawn < 0.06) return { status: 200, afterMs };
  if (drawn < 0.1) return { status: 503, afterMs };
  if (drawn < 0.16) return { status: 202, afterMs, workMs, fault: 'reset' };
  return { status: 202, afterMs, workMs };
}

const STATUSES = [200, 201, 204, 299, 301, 307, 400, 404, 408, 410, 425, 500, 502, 503, 504];

function whim(random: Random, afterMs: number): Plan {
  if (random.chance(0.4)) return { status: 200, afterMs };
  const drawn = random.next();
  if (drawn < 0.2) return { status: 200, afterMs, fault: 'refused' };
  if (drawn < 0.36) return { status: 200, afterMs, fault: 'reset' };
  if (drawn < 0.44) return { status: 200, afterMs, fault: 'hang' };
  return { status: random.pick(STATUSES), afterMs };
}

/** By their names in small letters. */
export function headersOf({ headers }: OutboundRequest): Record<string, string> {
  const pairs = Array.from({ length: headers.length / 2 }, (_, index) => index * 2);
  return Object.fromEntries(pairs.map(at => [headers[at]!.toLowerCase(), headers[at + 1]!]));
}
