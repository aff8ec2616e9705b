import { isIP, connect as openTcp, type Socket } from 'node:net';
import { connect as openTls, type SecureContext } from 'node:tls';
import type { LRUCache } from 'lru-cache';
import type { Phases } from '../domain/run/run.ts';
import {
  type AllowTargets,
  addressRefusal,
  allowFor,
  judgeAddress,
  refusal,
} from '../domain/schedule/target.ts';
import { AddressRace, type DeadAddress, deadClause } from './address-race.ts';
import { Blocked, coded, type Stage } from './fault.ts';
import { LOOKUP_CANCELLED, type LookupRequester, type Lookups } from './lookups.ts';

/**
 * The egress guard: every connection of the service is opened here.
 *
 * Guarantee: no byte, not even a SYN, goes to an address that `judgeAddress` refuses. Names are
 * resolved by us, every address is judged, and the judged text is what is dialled; the socket never
 * resolves anything itself. Literal hosts go the same way. Nothing resolved is dialled twice, so a name
 * that moves between two connections (DNS rebinding) is judged again.
 */
export interface Guard {
  allow: () => AllowTargets;
  lookups: Lookups;
  /** How long a lookup may take, from its turn on. */
  lookupMs: number;
  secureContext: SecureContext;
  openSocket: OpenSocket;
  /**
   * By authority, where another address was dead: the address that connected last. It is dialled first if the
   * name still has it.
   */
  winners: LRUCache<string, string>;
}

/** Begins to connect to an address of the target. The socket of a secure target says `secureConnect` as well. */
export type OpenSocket = (target: Target, address: string, context: SecureContext) => Socket;

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
 * The addresses of a target that are allowed, as the system orders them.
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
  return allowed;
}

/**
 * At most four addresses, in the order in which they are dialled: the winner first. One of the other family
 * is early: a host without IPv6 reaches a target that lists it first.
 */
function dialOrder(allowed: string[], winner: string | undefined): string[] {
  if (allowed.length === 1) return allowed;
  const first = allowed.find(address => address === winner) ?? allowed[0]!;
  const other = allowed.find(address => isIP(address) !== isIP(first)) ?? first;
  return [...new Set([first, other, ...allowed])].slice(0, MOST_ADDRESSES);
}

/** Opens one connection. Its measurements can be read while it opens. */
export class Dialer {
  readonly phases: Phases = {};
  stage: Stage = 'queued';
  /** One sentence: the addresses that were dead. */
  note: string | undefined;
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
    const { winners } = this.#guard;
    const { authority } = this.#target;
    const addresses = dialOrder(await this.#resolve(), winners.get(authority));
    try {
      return await this.#dial(addresses);
    } catch (error) {
      winners.delete(authority);
      throw error;
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

  /** Only a connection that never came about is tried elsewhere: a bad certificate is an answer. */
  #dial(addresses: string[]): Promise<Socket> {
    if (this.#cancelled) return Promise.reject(coded('CLOSED'));
    this.stage = 'connecting';
    const startedAt = performance.now();
    // Each has a right to some of the time that is left.
    const share = Math.round((this.#requester.deadlineAt - startedAt) / addresses.length);
    const patienceMs = Math.min(PATIENCE_MS, share);
    const { openSocket, secureContext } = this.#guard;
    return new Promise((resolve, reject) => {
      const race = new AddressRace(addresses, patienceMs, {
        open: address => openSocket(this.#target, address, secureContext),
        connected: (socket, address, dead) => {
          const connectedAt = performance.now();
          this.phases.connectMs = Math.round(connectedAt - startedAt);
          if (dead.length > 0) {
            this.#guard.winners.set(this.#target.authority, address);
            this.#passedOver(dead, patienceMs);
          }
          if (!this.#target.secure) return resolve(socket);
          this.stage = 'handshaking';
          socket.once('secureConnect', () => {
            this.phases.tlsMs = since(connectedAt);
            resolve(socket);
          });
        },
        failed: reject,
      });
      this.#abandon = () => race.cancel();
    });
  }

  /** An address that only the name opens stays unnamed: it may tell of a network that is not the owner's. */
  #passedOver(dead: DeadAddress[], patienceMs: number): void {
    const { authority } = this.#target;
    const allow = this.#guard.allow();
    const faults = dead.map(({ address, code }) => {
      const isPublic = judgeAddress(address, allow).allowed;
      return deadClause(isPublic ? address : 'one of its addresses', code, patienceMs);
    });
    this.note = `Another address of ${authority} was called, because ${faults.join(' and ')}.`;
  }
}

export const openBySystem: OpenSocket = ({ secure, host, port }, address, secureContext) => {
  const socket = secure
    ? openTls({
        host: address,
        port,
        // Empty for an address: then the certificate must carry the address itself.
        servername: isIP(host) === 0 ? host : '',
        ALPNProtocols: ['http/1.1'],
        secureContext,
        rejectUnauthorized: true,
      })
    : openTcp({ host: address, port });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 60_000);
  return socket;
};

function asSentence(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}

/** How long one address of several may keep the next one waiting (RFC 8305, 8: "Connection Attempt Delay"). */
const PATIENCE_MS = 250;
const MOST_ADDRESSES = 4;
