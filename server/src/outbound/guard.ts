import { isIP, connect as openTcp, type Socket } from 'node:net';
import { connect as openTls, type SecureContext } from 'node:tls';
import type { Phases } from '../domain/run/run.ts';
import {
  type AllowTargets,
  addressRefusal,
  allowFor,
  judgeAddress,
  refusal,
} from '../domain/schedule/target.ts';
import { Blocked, type Stage } from './fault.ts';
import { LOOKUP_CANCELLED, type LookupRequester, type Lookups } from './lookups.ts';

/**
 * The egress guard: every connection of the service is opened here.
 *
 * Guarantee: no byte, not even a SYN, goes to an address that `judgeAddress` refuses. Names are
 * resolved by us, every address is judged, and the judged text is what is dialled; the socket never
 * resolves anything itself. Literal hosts go the same way. Nothing resolved is remembered, so a name
 * that moves between two connections (DNS rebinding) is judged again.
 */
export interface Guard {
  allow: () => AllowTargets;
  lookups: Lookups;
  /** How long a lookup may take, from its turn on. */
  lookupMs: number;
  secureContext: SecureContext;
}

/** For whom a connection is opened. */
export interface ConnectionRequester {
  readonly clientRowId: number;
  /** On the scale of `performance.now()`. */
  readonly deadlineAt: number;
  readonly isCancelled: boolean;
  /** @returns false where it was cancelled; from the first true on it cannot be */
  start(): boolean;
}

/** The end of a connection that a URL names. */
export interface Target {
  /** Scheme, host and port: what shares connections. */
  origin: string;
  secure: boolean;
  /** As the WHATWG parser gives it. */
  hostname: string;
  /** Without brackets and without a dot at the end: for TLS, and for numeric hosts. */
  host: string;
  port: number;
  /** For sentences. */
  authority: string;
}

/**
 * The judged addresses of a target, at most four, those of the other family early: so that a
 * host without IPv6 reaches one that lists it first.
 *
 * @throws Blocked when none is allowed
 */
async function admit(
  target: Target,
  allow: AllowTargets,
  lookUp: () => Promise<string[]>,
): Promise<string[]> {
  const refused = refusal(target.hostname, String(target.port), allow);
  if (refused !== null) throw new Blocked(asSentence(refused));
  if (isIP(target.host) !== 0) return [target.host];

  const resolved = await lookUp();
  const rules = allowFor(target.hostname, allow);
  const verdicts = resolved.map(address => judgeAddress(address, rules));
  const allowed = resolved.filter((_, i) => verdicts[i]!.allowed);
  if (allowed.length === 0) {
    const verdict = verdicts[0];
    if (verdict === undefined || verdict.allowed) throw coded('ENOTFOUND');
    throw new Blocked(asSentence(addressRefusal(`what ${target.host} resolves to`, verdict)));
  }
  const first = allowed[0]!;
  const other = allowed.find(address => isIP(address) !== isIP(first));
  return [...new Set(other === undefined ? allowed : [first, other, ...allowed])].slice(0, 4);
}

/** Opens one connection. Its measurements can be read while it opens. */
export class Dialer {
  readonly phases: Phases = {};
  stage: Stage = 'queued';
  /** When to look no longer for the addresses of the name, on the scale of `performance.now()`. */
  lookupEndsAt = Number.POSITIVE_INFINITY;
  readonly #target: Target;
  readonly #guard: Guard;
  readonly #requester: ConnectionRequester;
  #cancelled = false;
  #abandon: () => void = () => {};

  /** @param requester keeps to its own deadline, and to `lookupEndsAt`, by `cancel` */
  constructor(target: Target, guard: Guard, requester: ConnectionRequester) {
    this.#target = target;
    this.#guard = guard;
    this.#requester = requester;
  }

  /** @throws LOOKUP_CANCELLED, Blocked, or what the system says */
  async open(): Promise<Socket> {
    if (isIP(this.#target.host) !== 0 && !this.#requester.start()) throw LOOKUP_CANCELLED;
    const addresses = await this.#resolve();
    while (true) {
      const address = addresses.shift()!;
      try {
        return await this.#dial(address, addresses.length);
      } catch (error) {
        // Only a connection that never came about is tried elsewhere: a bad certificate is an answer.
        if (addresses.length === 0 || this.#cancelled || this.stage !== 'connecting') throw error;
      }
    }
  }

  /** Ends it at once: `open` rejects, and nothing is left behind but a lookup that has begun. */
  cancel(): void {
    this.#cancelled = true;
    this.#abandon();
  }

  #resolve(): Promise<string[]> {
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const lookUp = () => {
        const lookup = this.#lookUp();
        this.#abandon = () => {
          lookup.leave();
          reject(coded('CLOSED'));
        };
        return lookup.addresses;
      };
      admit(this.#target, this.#guard.allow(), lookUp).then(addresses => {
        this.lookupEndsAt = Number.POSITIVE_INFINITY;
        if (isIP(this.#target.host) === 0) this.phases.dnsMs = since(startedAt);
        resolve(addresses);
      }, reject);
    });
  }

  #lookUp(): { addresses: Promise<string[]>; leave: () => void } {
    const { hostname } = this.#target;
    const { lookups } = this.#guard;
    const { clientRowId } = this.#requester;
    const { promise, resolve: found, reject: failed } = Promise.withResolvers<string[]>();
    const asker: LookupRequester = {
      clientRowId,
      isCancelled: () => this.#requester.isCancelled,
      begin: () => this.#beginLookup(),
      found,
      failed,
    };
    lookups.ask(hostname, asker);
    return { addresses: promise, leave: () => lookups.leave(hostname, asker) };
  }

  get lookupMs(): number {
    return this.#guard.lookupMs;
  }

  #beginLookup(): boolean {
    if (!this.#requester.start()) return false;
    this.stage = 'resolving';
    this.lookupEndsAt = performance.now() + this.#guard.lookupMs;
    return true;
  }

  /** @param others how many addresses wait for their turn; each has a right to some of the time */
  #dial(address: string, others: number): Promise<Socket> {
    if (this.#cancelled) return Promise.reject(coded('CLOSED'));
    this.stage = 'connecting';
    const { secure, host, port } = this.#target;
    const startedAt = performance.now();
    let connectedAt = 0;
    return new Promise((resolve, reject) => {
      const socket = secure
        ? openTls({
            host: address,
            port,
            // Empty for an address: then the certificate must carry the address itself.
            servername: isIP(host) === 0 ? host : '',
            ALPNProtocols: ['http/1.1'],
            secureContext: this.#guard.secureContext,
            rejectUnauthorized: true,
          })
        : openTcp({ host: address, port });
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 60_000);
      const share = Math.min(PATIENCE_MS, (this.#requester.deadlineAt - startedAt) / (others + 1));
      const impatience =
        others === 0 ? undefined : setTimeout(() => socket.destroy(coded('ETIMEDOUT')), share);
      const over = (error: Error) => {
        clearTimeout(impatience);
        reject(error);
      };
      this.#abandon = () => socket.destroy();
      socket.on('error', over);
      socket.once('close', () => over(coded('CLOSED')));
      socket.once('connect', () => {
        clearTimeout(impatience);
        connectedAt = performance.now();
        this.phases.connectMs = Math.round(connectedAt - startedAt);
        if (secure) this.stage = 'handshaking';
        else resolve(socket);
      });
      socket.once('secureConnect', () => {
        this.phases.tlsMs = since(connectedAt);
        resolve(socket);
      });
    });
  }
}

function asSentence(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}

/** How long one address of several may keep the others waiting. */
const PATIENCE_MS = 2_000;
