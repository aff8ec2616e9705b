import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { isSessionLive, isUseWorthNoting } from '../../domain/access/session.ts';
import { PunctualError } from '../../domain/errors.ts';
import type { Caller, KeyStore } from '../../store/contract/keys.ts';
import type { FoundSession, SessionStore } from '../../store/contract/sessions.ts';
import { WHO_CALLS } from '../http/failure.ts';
import { isUse, sessionToken } from './session.ts';

/**
 * Authentication: finds the caller by the headers ClientId and ApiKey. If both are missing, it uses
 * the session of the dashboard (session.ts), and nothing else.
 *
 * A missing header, an unknown client and a wrong key take the same path and get the
 * same answer. The path asks the store once, for the hash of the key, whatever ClientId says. A header that comes
 * twice is joined by Node to `a, b`, which is no client's id and no key.
 *
 * A valid key is remembered for `callerCacheMs`, so that a revoked one stops soon after; by a clock
 * that nobody sets. Nothing is remembered about wrong ones: there is no end to them.
 */
export class Authenticator {
  readonly #callers: Callers;
  readonly #clock: Clock;
  readonly #failed: (address: string) => void;
  readonly #remembered: LRUCache<string, Caller>;
  readonly #sessions: LRUCache<string, FoundSession>;

  /** @param failed told of each caller who names somebody, and is not let in */
  constructor(
    callers: Callers,
    clock: Clock,
    callerCacheMs: number,
    failed: (address: string) => void = () => {},
  ) {
    this.#callers = callers;
    this.#clock = clock;
    this.#failed = failed;
    const perf = { now: () => clock.monotonicMs() };
    const known = { max: MOST_REMEMBERED, ttl: callerCacheMs, ttlResolution: 0, perf };
    this.#remembered = new LRUCache(known);
    this.#sessions = new LRUCache(known);
  }

  /**
   * Notes who calls, and goes on: at once, where the caller is remembered.
   *
   * @param done is given `unauthorized` where nobody may call so
   */
  authenticate(request: FastifyRequest, done: (error?: Error) => void): void {
    const caller = this.#callerOf(request, isUse(request));
    const admitted = (found: Caller | null) => this.#admit(request, found, done);
    if (caller instanceof Promise) caller.then(admitted, done);
    else admitted(caller);
  }

  #admit(request: FastifyRequest, caller: Caller | null, done: (error?: Error) => void): void {
    if (caller !== null) {
      request.caller = caller;
      done();
      return;
    }
    const { clientid, apikey } = request.headers;
    if (clientid !== undefined || apikey !== undefined) this.#failed(request.ip);
    done(new PunctualError('unauthorized', WHO_CALLS));
  }

  /** Whether who began this request may still call. To ask is no use of a session. */
  async isValid(request: FastifyRequest): Promise<boolean> {
    return (await this.#callerOf(request, false)) !== null;
  }

  /** @param hashes of sessions that have been ended */
  forget(hashes: string[]): void {
    for (const ended of hashes) this.#sessions.delete(ended);
  }

  #callerOf(request: FastifyRequest, isUse: boolean): Found {
    const { clientid, apikey } = request.headers;
    if (clientid === undefined && apikey === undefined) {
      const token = sessionToken(request);
      return token === null ? null : this.#callerInSession(token, isUse);
    }
    const caller = typeof apikey === 'string' ? this.#callerBehind(apikey) : null;
    const checked = (found: Caller | null) => (found?.clientId === clientid ? found : null);
    return caller instanceof Promise ? caller.then(checked) : checked(caller);
  }

  #callerBehind(key: string): Found {
    const keyHash = hash('sha256', key, 'hex');
    return this.#remembered.get(keyHash) ?? this.#lookUpKey(keyHash);
  }

  async #lookUpKey(keyHash: string): Promise<Caller | null> {
    const caller = await this.#callers.keys.findCaller(keyHash);
    if (caller !== null) this.#remembered.set(keyHash, caller);
    return caller;
  }

  async #callerInSession(token: string, isUse: boolean): Promise<Caller | null> {
    const tokenHash = hash('sha256', token, 'hex');
    const session = this.#sessions.get(tokenHash) ?? (await this.#lookUpSession(tokenHash));
    const now = this.#clock.now();
    if (session === null || !isSessionLive(session, now)) return null;
    if (isUse && isUseWorthNoting(session, now)) this.#noteUse(tokenHash, session, now);
    return session.caller;
  }

  async #lookUpSession(tokenHash: string): Promise<FoundSession | null> {
    const session = await this.#callers.sessions.findSession(tokenHash);
    if (session !== null) this.#sessions.set(tokenHash, session);
    return session;
  }

  /** Nobody waits for it: a store that takes no writes at the moment refuses nobody who reads. */
  #noteUse(tokenHash: string, session: FoundSession, now: number): void {
    session.lastUsedAt = now;
    this.#callers.sessions.noteSessionUse(tokenHash, now).catch(() => {});
  }
}

/** @throws where the route is not behind authentication, which is a fault of this program */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = request;
  if (caller == null) throw new Error('This route was reached without authentication');
  return caller;
}

/** Of the store, only this is asked. */
export interface Callers {
  keys: Pick<KeyStore, 'findCaller'>;
  sessions: Pick<SessionStore, 'findSession' | 'noteSessionUse'>;
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
