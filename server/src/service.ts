import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { buildApi } from './api/app.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { hashApiKey, newSigningSecret } from './domain/credential.ts';
import { PunctualError } from './domain/errors.ts';
import { newId } from './domain/id.ts';
import { Engine } from './engine/engine.ts';
import { createSender, type Sender } from './outbound/sender.ts';
import { createSenderThreads } from './outbound/threads.ts';
import { lockEngine, openStore } from './store/open.ts';
import type { Store } from './store/store.ts';
import { createMetrics, type Metrics } from './telemetry.ts';

/** The only file that knows every room: opens them in order, and closes them in reverse. */

export interface Service {
  /** Where it listens. */
  url: string;
  store: Store;
  /** Stops gracefully (docs/lifecycle.md, "stop"). Idempotent. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  config: Config;
  log: Logger;
  clock?: Clock;
  /** The built-in target of `punctual dev`. */
  echo?: boolean;
}

/** @throws PunctualError `store_in_use`, `store_newer`, `store_unavailable`, `setting_invalid` */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, clock = systemClock } = options;
  const lock = lockEngine(config.database);
  const closers: (() => unknown)[] = [() => lock.release()];
  const stop = once(async () => {
    for (const close of closers.reverse()) await close();
  });
  try {
    const store = await openStore(config.database);
    closers.push(() => store.close());
    await ensureCredentials(store, config.credentials, clock);
    const metrics = createMetrics(log);
    const sender = openSender(config);
    closers.push(() => sender.close());
    const engine = new Engine({
      store,
      send: sender.send,
      clock,
      random: Math.random,
      events: metrics.events,
      maxInFlight: config.maxInFlight,
    });
    const api = createApi(options, store, engine, metrics, clock);
    await engine.start();
    closers.push(() => Promise.all([engine.stop(config.stopMs), closeApi(api, config.stopMs)]));
    const url = await listen(api, config);
    return { url, store, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function openSender(config: Config): Pick<Sender, 'send' | 'close'> {
  const { allowTargets: allow, connectionsPerOrigin, maxOrigins, senderThreads: threads } = config;
  const options = { allow, connectionsPerOrigin, maxOrigins };
  return threads === 0 ? createSender(options) : createSenderThreads({ ...options, threads });
}

function createApi(
  { config, log, echo = false }: ServiceOptions,
  store: Store,
  engine: Engine,
  metrics: Metrics,
  clock: Clock,
): FastifyInstance {
  metrics.observe({
    queueDepth: () => store.queue.depth(clock.now()),
    outboxDepth: () => store.outbox.depth(),
    inFlight: () => engine.inFlight,
  });
  return buildApi({
    store,
    clock,
    log,
    allow: config.allowTargets,
    echo,
    engine,
    readiness: () => readinessOf(store),
    metricsText: () => metrics.text(),
  });
}

/** @returns null when ready, else one sentence */
async function readinessOf(store: Store): Promise<string | null> {
  try {
    await store.check();
    return null;
  } catch (error) {
    return error instanceof PunctualError ? error.message : 'The store does not answer.';
  }
}

/** Makes sure that the client and the key of the settings exist. */
async function ensureCredentials(
  store: Store,
  credentials: Config['credentials'],
  clock: Clock,
): Promise<void> {
  if (credentials === null) return;
  const { clientId, apiKey } = credentials;
  const createdAt = clock.now();
  if ((await store.clients.findClient(clientId)) === null) {
    const signingSecret = newSigningSecret();
    await store.clients.insertClient({ id: clientId, name: clientId, signingSecret, createdAt });
  }
  const hash = hashApiKey(apiKey);
  const caller = await store.clients.findCaller(hash);
  if (caller?.clientId === clientId) return;
  const keys = await store.clients.listKeys(clientId);
  if (caller !== null || keys.some(key => key.hash === hash)) {
    throw new PunctualError(
      'setting_invalid',
      'The key in PUNCTUAL_API_KEY was revoked or belongs to another client: choose another one.',
    );
  }
  await store.clients.insertKey({ id: newId(createdAt), clientId, hash, createdAt });
}

async function listen(api: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await api.listen({ host, port });
  } catch (cause) {
    const why = (cause as { code?: string }).code === 'EADDRINUSE' ? 'is in use' : 'is not usable';
    throw new PunctualError('setting_invalid', `HOST and PORT: ${host}:${port} ${why}.`, { cause });
  }
  const { address, family, port: actual } = api.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}

/** A caller that never ends its request, with or without a key, must not hold up the end. */
async function closeApi(api: FastifyInstance, limitMs: number): Promise<void> {
  const patienceMs = Math.min(limitMs, CALLER_PATIENCE_MS);
  const timer = setTimeout(() => api.server.closeAllConnections(), patienceMs);
  await api.close();
  clearTimeout(timer);
}

const CALLER_PATIENCE_MS = 5_000;

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
