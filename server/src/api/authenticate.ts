import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { PunctualError } from '../domain/errors.ts';
import type { Caller, ClientStore } from '../store/store.ts';
import { sessionToken } from './session.ts';

/**
 * Authentication: who calls, from the headers ClientId and ApiKey; where both are missing, from the
 * session of the dashboard (session.ts), and from nowhere else.
 *
 * A missing header, an unknown client and a wrong key take the same way and get the same answer:
 * one question to the store, for the hash of the key, whatever ClientId says. A header that comes
 * twice is joined by Node to `a, b`, which is no client's id and no key.
 *
 * A valid key is remembered for `callerCacheMs`, so that a revoked one stops soon after. Nothing is
 * remembered about wrong ones: there is no end to them.
 */
export class Authenticator {
  readonly #clients: ClientStore;
  readonly #clock: Clock;
  readonly #remembered: LRUCache<string, Caller>;

  constructor(clients: ClientStore, clock: Clock, callerCacheMs: number) {
    this.#clients = clients;
    this.#clock = clock;
    this.#remembered = new LRUCache({ max: MOST_REMEMBERED, ttl: callerCacheMs });
  }

  /** @throws PunctualError `unauthorized` */
  async authenticate(request: FastifyRequest): Promise<void> {
    const caller = await this.#callerOf(request);
    if (caller === null) {
      throw new PunctualError(
        'unauthorized',
        'The headers ClientId and ApiKey must name a client and one of its valid keys.',
      );
    }
    callers.set(request, caller);
  }

  /** Whether who began this request may still call. */
  async isValid(request: FastifyRequest): Promise<boolean> {
    return (await this.#callerOf(request)) !== null;
  }

  /** What was remembered of a session that has been ended. */
  forget(token: string): void {
    this.#remembered.delete(sessionKey(hash('sha256', token, 'hex')));
  }

  async #callerOf(request: FastifyRequest): Promise<Caller | null> {
    const { clientid, apikey } = request.headers;
    if (clientid === undefined && apikey === undefined) {
      const token = sessionToken(request);
      return token === null ? null : this.#callerInSession(token);
    }
    const caller = typeof apikey === 'string' ? await this.#callerBehind(apikey) : null;
    return caller?.clientId === clientid ? caller : null;
  }

  #callerBehind(key: string): Promise<Caller | null> {
    const keyHash = hash('sha256', key, 'hex');
    return this.#look(keyHash, () => this.#clients.findCaller(keyHash));
  }

  #callerInSession(token: string): Promise<Caller | null> {
    const tokenHash = hash('sha256', token, 'hex');
    return this.#look(sessionKey(tokenHash), () =>
      this.#clients.findSession(tokenHash, this.#clock.now()),
    );
  }

  async #look(name: string, find: () => Promise<Caller | null>): Promise<Caller | null> {
    const known = this.#remembered.get(name);
    if (known !== undefined) return known;
    const caller = await find();
    if (caller !== null) this.#remembered.set(name, caller);
    return caller;
  }
}

/** @throws where the route is not behind authentication, which is a fault of this program */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('This route was reached without authentication');
  return caller;
}

/** A session and a key of one hash would be two things. */
function sessionKey(tokenHash: string): string {
  return `session ${tokenHash}`;
}

const MOST_REMEMBERED = 10_000;
const callers = new WeakMap<FastifyRequest, Caller>();
