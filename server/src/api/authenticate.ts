import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { PunctualError } from '../domain/errors.ts';
import type { Caller, ClientStore } from '../store/store.ts';

/**
 * Authentication: who calls, from the headers ClientId and ApiKey and from nowhere else.
 *
 * A missing header, an unknown client and a wrong key take the same way and get the same answer:
 * one question to the store, for the hash of the key, whatever ClientId says. A header that comes
 * twice is joined by Node to `a, b`, which is no client's id and no key.
 *
 * A valid key is remembered for `callerCacheMs`, so that a revoked one stops soon after. Nothing is
 * remembered about wrong ones: there is no end to them.
 */
export function authenticator(clients: ClientStore, callerCacheMs: number) {
  const remembered = new LRUCache<string, Caller>({
    max: MOST_REMEMBERED,
    ttl: callerCacheMs,
  });

  async function callerBehind(key: string): Promise<Caller | null> {
    const keyHash = hash('sha256', key, 'hex');
    const known = remembered.get(keyHash);
    if (known !== undefined) return known;
    const caller = await clients.findCaller(keyHash);
    if (caller !== null) remembered.set(keyHash, caller);
    return caller;
  }

  return async function authenticate(request: FastifyRequest): Promise<void> {
    const { clientid, apikey } = request.headers;
    const caller = typeof apikey === 'string' ? await callerBehind(apikey) : null;
    if (caller === null || caller.clientId !== clientid) {
      throw new PunctualError(
        'unauthorized',
        'The headers ClientId and ApiKey must name a client and one of its valid keys.',
      );
    }
    callers.set(request, caller);
  };
}

/** @throws where the route is not behind authentication, which is a fault of this program */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('This route was reached without authentication');
  return caller;
}

const MOST_REMEMBERED = 10_000;
const callers = new WeakMap<FastifyRequest, Caller>();
