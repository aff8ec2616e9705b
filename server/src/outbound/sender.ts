import { lookup } from 'node:dns/promises';
import { createSecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { type Clock, systemClock } from '../clock.ts';
import { type AllowTargets, bareHost } from '../domain/schedule/target.ts';
import { ConnectionPool, type PoolOptions } from './connection-pool.ts';
import { Deadlines } from './deadlines.ts';
import { Exchange } from './exchange.ts';
import { type OpenSocket, openBySystem, type Target } from './guard.ts';
import { Lookups, type Resolve } from './lookups.ts';
import { SecureContexts } from './secure-contexts.ts';
import type { OutboundRequest, Send, SendResult, TlsSettings } from './send.ts';

export interface SenderSettings {
  /** Requests in flight to one scheme, host and port at a time; the others wait in order. */
  connectionsPerOrigin: number;
  /** The most origins with open connections. Beyond it, the least recently used are closed. */
  maxOrigins: number;
  /** Names looked up at a time. */
  maxLookups: number;
  /** Open connections from which on kept ones are closed before another is opened. */
  maxConnections?: number;
}

export interface SenderOptions extends SenderSettings {
  /** The allowed targets, read whenever a connection is opened. */
  allow: AllowTargets | (() => AllowTargets);
  /** How long an unused connection is kept, unless the server wants it shorter. */
  keepAliveMs?: number;
  resolve?: Resolve;
  /** How long a lookup may take; the time limit of the exchange holds beside it. */
  lookupMs?: number;
  openSocket?: OpenSocket;
  clock?: Clock;
}

export interface SenderStats {
  origins: number;
  /** Being opened, in use and kept. */
  connections: number;
  idle: number;
  inFlight: number;
  /** Held back by `connectionsPerOrigin`. */
  waiting: number;
}

export interface Sender {
  send: Send;
  /** The same without a promise, for one who sends thousands a second; `done` is called once. */
  dispatch(request: OutboundRequest, done: (result: SendResult) => void): void;
  /** Permits were cancelled from another thread: what waits with them is cancelled at once. */
  sweep(): void;
  /**
   * Ends what is under way (`connectionError`) and what waits (`cancelled`), and resolves when
   * every connection is closed.
   */
  close(): Promise<void>;
  stats(): SenderStats;
  /**
   * Once it is closed: whether lookups are under way, which nothing can end, and which keep the thread
   * from its end, and with it the process.
   */
  readonly isHeldUp: boolean;
}

/**
 * Sends requests: one request in, one result out, over kept connections and past the guard.
 *
 * Guarantees: `send` never rejects. One call writes one request, once. It writes it once more only if the method is
 * idempotent and a kept connection was closed before a byte of the answer. It follows no redirect: a 3xx is an answer. An
 * exchange takes no longer than its time limit and some 50 ms. If the process was suspended in the meantime, it ends
 * within some 550 ms after the process wakes.
 */
export function createSender(options: SenderOptions): Sender {
  const { allow, connectionsPerOrigin, maxOrigins, maxLookups, keepAliveMs = 4_000 } = options;
  const { maxConnections = Number.MAX_SAFE_INTEGER } = options;
  const { resolve = resolveBySystem, openSocket = openBySystem } = options;
  const { lookupMs = LOOKUP_MS, clock = systemClock } = options;
  const pools = new Map<string, ConnectionPool>();
  /** In the order in which they became quiet. */
  const quiet = new Set<ConnectionPool>();
  /** Out of `pools`, with connections that have yet to close. */
  const leaving = new Set<ConnectionPool>();
  const deadlines = new Deadlines();
  const lookups = new Lookups(resolve, maxLookups);
  /** By what stands before the path; the paths behind it are many, and need no parsing. */
  const targets = new LRUCache<string, Target>({ max: 10_000 });
  const contexts = new SecureContexts();
  let connections = 0;
  let closing: Promise<void> | null = null;
  let onEmpty = () => {};

  const poolOptions: PoolOptions = {
    guard: {
      allow: typeof allow === 'function' ? allow : () => allow,
      lookups,
      lookupMs,
      // Once, since making it reads every root certificate.
      secureContext: createSecureContext(),
      openSocket,
      winners: new LRUCache<string, string>({ max: 10_000 }),
    },
    clock,
    deadlines,
    connectionsPerOrigin,
    keepAliveMs,
    onOpen() {
      connections += 1;
      if (connections > maxConnections) closeLongestQuiet();
    },
    onClosed() {
      connections -= 1;
    },
    onBusy: pool => quiet.delete(pool),
    onQuiet(pool) {
      if (pool.size === 0) forget(pool);
      else if (!leaving.has(pool)) {
        quiet.add(pool);
        dismissBeyond();
      }
    },
  };

  function closeLongestQuiet(): void {
    for (const pool of quiet) {
      if (pool.idleCount === 0) continue;
      pool.closeKept();
      return;
    }
  }

  function dismissBeyond(): void {
    for (const pool of quiet) {
      if (pools.size <= maxOrigins) return;
      pools.delete(pool.key);
      quiet.delete(pool);
      leaving.add(pool);
      pool.closeKept();
    }
  }

  function forget(pool: ConnectionPool): void {
    quiet.delete(pool);
    if (!leaving.delete(pool)) pools.delete(pool.key);
    if (pools.size + leaving.size === 0) onEmpty();
  }

  /** Null where the TLS settings cannot be read. */
  function poolOf(target: Target, tls: TlsSettings | undefined): ConnectionPool | null {
    const key = tls === undefined ? target.origin : `${tls.identity} ${target.origin}`;
    const known = pools.get(key);
    if (known !== undefined) return known;
    const options = tls === undefined ? poolOptions : optionsWith(tls);
    if (options === null) return null;
    const pool = new ConnectionPool(target, options, key);
    pools.set(key, pool);
    dismissBeyond();
    return pool;
  }

  function optionsWith(tls: TlsSettings): PoolOptions | null {
    try {
      return { ...poolOptions, guard: { ...poolOptions.guard, secureContext: contexts.of(tls) } };
    } catch {
      return null;
    }
  }

  /** Parsing costs 3 µs, and remembering 20,000 urls as much; cutting a plain one, next to nothing. */
  function parsedUrlOf(url: string): ParsedUrl | null {
    const pathAt = url.indexOf('/', url.indexOf('://') + 3);
    const isPlain = pathAt > 7 && PLAIN_PATH.test(url.slice(pathAt));
    const base = isPlain ? url.slice(0, pathAt) : '';
    const known = isPlain ? targets.get(base) : undefined;
    if (known !== undefined) return { target: known, path: url.slice(pathAt) };
    const parsed = parseUrl(url);
    if (parsed !== null && isPlain) targets.set(base, parsed.target);
    return parsed;
  }

  function unsent(rest: Pick<SendResult, 'outcome' | 'error'>): SendResult {
    return { startedAt: clock.now(), durationMs: 0, phases: {}, ...rest };
  }

  function dispatch(request: OutboundRequest, done: (result: SendResult) => void): void {
    if (closing !== null) {
      done(unsent({ outcome: 'cancelled' }));
      return;
    }
    const parsed = parsedUrlOf(request.url);
    if (parsed === null) {
      const error = 'The url is not an http or https url.';
      done(unsent({ outcome: 'connectionError', error }));
      return;
    }
    const pool = poolOf(parsed.target, request.common?.tls);
    if (pool === null) {
      done(unsent({ outcome: 'connectionError', error: UNREADABLE_TLS }));
      return;
    }
    pool.take(new Exchange(request, parsed.target, parsed.path, pool, done));
  }

  async function endAll(): Promise<void> {
    const all = [...pools.values()];
    for (const pool of all) {
      for (const exchange of pool.dismiss()) exchange.cancel(clock.now());
    }
    for (const exchange of deadlines.drain()) exchange.failWith(STOPPED);
    for (const pool of all) pool.closeKept();
    if (pools.size + leaving.size === 0) return;
    await new Promise<void>(done => {
      onEmpty = done;
    });
  }

  return {
    send: request => new Promise(done => dispatch(request, done)),
    dispatch,

    sweep() {
      for (const pool of [...pools.values()]) if (pool.waiting > 0) pool.sweep();
      lookups.sweep();
    },

    close() {
      closing ??= endAll();
      return closing;
    },

    stats() {
      const all = [...pools.values(), ...leaving];
      return {
        origins: pools.size,
        connections: all.reduce((sum, pool) => sum + pool.size, 0),
        idle: all.reduce((sum, pool) => sum + pool.idleCount, 0),
        inFlight: deadlines.size,
        waiting: all.reduce((sum, pool) => sum + pool.waiting, 0),
      };
    },

    get isHeldUp() {
      return lookups.underWay > 0;
    },
  };
}

/** A system's resolver asks its next name server, or the same one again, after 5 s: that has its chance. */
const LOOKUP_MS = 8_000;

/** A parsed url: where it leads, and what is asked for there. */
export interface ParsedUrl {
  target: Target;
  path: string;
}

/** The fragment stays here; a user name or password, which `checkTargetUrl` refuses, too. */
export function parseUrl(text: string): ParsedUrl | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const target: Target = {
    origin: url.origin,
    secure,
    hostname: url.hostname,
    host: bareHost(url.hostname),
    port,
    authority: `${url.hostname}:${port}`,
  };
  // Not `search`: it leaves out a question mark with nothing behind it.
  const [address] = url.href.split('#', 1);
  return { target, path: address!.slice(address!.indexOf('/', url.protocol.length + 2)) };
}

export async function resolveBySystem(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

/**
 * A path and query that the WHATWG parser leaves as they are: no fragment, nothing to be encoded, no
 * segment that begins with a dot (in any spelling).
 */
const PLAIN_PATH = /^(?:\/(?![.%])[\w~!$&()*+,;=:@.%-]*)*(?:\?[\w~!$&()*+,;=:@./?%-]+)?$/;
const UNREADABLE_TLS = 'The certificate, key or ca of the destination cannot be read.';
const STOPPED = 'The service stopped before the answer came.';
