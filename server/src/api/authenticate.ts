import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { PunctualError } from '../domain/errors.ts';
import type { Caller, ClientStore } from '../store/store.ts';
import { WHO_CALLS } from './failure.ts';
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

  /**
   * Notes who calls, and goes on: at once, where the caller is remembered.
   *
   * @param done is given `unauthorized` where nobody may call so
   */
  authenticate(request: FastifyRequest, done: (error?: Error) => void): void {
    const caller = this.#callerOf(request);
    if (caller instanceof Promise) caller.then(found => admit(request, found, done), done);
    else admit(request, caller, done);
  }

  /** Whether who began this request may still call. */
  async isValid(request: FastifyRequest): Promise<boolean> {
    return (await this.#callerOf(request)) !== null;
  }

  /** What was remembered of a session that has been ended. */
  forget(token: string): void {
    this.#remembered.delete(sessionKey(hash('sha256', token, 'hex')));
  }

  #callerOf(request: FastifyRequest): Found {
    const { clientid, apikey } = request.headers;
    if (clientid === undefined && apikey === undefined) {
      const token = sessionToken(request);
      return token === null ? null : this.#callerInSession(token);
    }
    const caller = typeof apikey === 'string' ? this.#callerBehind(apikey) : null;
    const checked = (found: Caller | null) => (found?.clientId === clientid ? found : null);
    return caller instanceof Promise ? caller.then(checked) : checked(caller);
  }

  #callerBehind(key: string): Found {
    const keyHash = hash('sha256', key, 'hex');
    return this.#look(keyHash, () => this.#clients.findCaller(keyHash));
  }

  #callerInSession(token: string): Found {
    const tokenHash = hash('sha256', token, 'hex');
    return this.#look(sessionKey(tokenHash), () =>
      this.#clients.findSession(tokenHash, this.#clock.now()),
    );
  }

  #look(name: string, find: () => Promise<Caller | null>): Found {
    return this.#remembered.get(name) ?? this.#lookUp(name, find);
  }

  async #lookUp(name: string, find: () => Promise<Caller | null>): Promise<Caller | null> {
    const caller = await find();
    if (caller !== null) this.#remembered.set(name, caller);
    return caller;
  }
}

/** @throws where the route is not behind authentication, which is a fault of this program */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = request;
  if (caller == null) throw new Error('This route was reached without authentication');
  return caller;
}

function admit(request: FastifyRequest, caller: Caller | null, done: (error?: Error) => void) {
  if (caller === null) {
    done(new PunctualError('unauthorized', WHO_CALLS));
    return;
  }
  request.caller = caller;
  done();
}

/** A session and a key of one hash would be two things. */
function sessionKey(tokenHash: string): string {
  return `session ${tokenHash}`;
}

const MOST_REMEMBERED = 10_000;

/** At once where it is remembered. */
type Found = Caller | null | Promise<Caller | null>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until it is known; undefined where the route is not behind authentication. */
    caller?: Caller | null;
  }
}
