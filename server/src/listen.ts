import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { ApiDeps, Readiness } from './api/deps.ts';
import type { WaitingApi } from './api/waiting.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { PunctualError } from './domain/errors.ts';
import { iso } from './domain/iso.ts';
import type { Store } from './store/contract/store.ts';
import type { Metrics } from './telemetry/telemetry.ts';

/** Opens the port of the API, reports whether it is ready, and closes it. */

/**
 * @param waiting what listens already, and hands over
 * @returns its url
 * @throws PunctualError `setting_invalid` where it cannot listen there
 */
export async function listen(
  api: FastifyInstance,
  { host, port }: Config,
  waiting: WaitingApi | null = null,
): Promise<string> {
  try {
    if (waiting) await waiting.handOver(api);
    else await api.listen({ host, port });
  } catch (cause) {
    const why = (cause as { code?: string }).code === 'EADDRINUSE' ? 'is in use' : 'is not usable';
    throw new PunctualError('setting_invalid', `HOST and PORT: ${host}:${port} ${why}.`, { cause });
  }
  const listener = (waiting?.app ?? api).server;
  const { address, family, port: actual } = listener.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}

/** A caller that never ends its request, with or without a key, must not hold up the end. */
export async function closeApi(api: FastifyInstance, limitMs: number): Promise<void> {
  const patienceMs = Math.min(limitMs, CALLER_PATIENCE_MS);
  const timer = setTimeout(() => api.server.closeAllConnections(), patienceMs);
  await api.close();
  clearTimeout(timer);
}

const CALLER_PATIENCE_MS = 5_000;

export async function waitingApi(
  config: Config,
  metrics: Metrics,
  log: Logger,
): Promise<WaitingApi> {
  const { buildWaitingApi } = await import('./api/waiting.ts');
  return buildWaitingApi({
    ...connectionsOf(config, metrics),
    // The log says once a minute that there is no store, and not for each caller.
    log: log.child({}, { level: 'silent' }),
    clock: systemClock,
    metricsText: metrics.text,
  });
}

export function connectionsOf(
  { api: limits }: Config,
  { connectionRefused, requestEnded }: Metrics,
): Pick<ApiDeps, 'connectionRefused' | 'requestEnded' | 'limits'> {
  return { connectionRefused, requestEnded, limits };
}

/** @param pausedAt since when this node is paused by its setting, epoch ms; null: it is not */
export function standingOf(
  store: Store,
  pausedAt: number | null,
): Pick<ApiDeps, 'readiness' | 'pausedSince'> {
  // Of nodes that share a store, one that is paused by its setting leaves the times to the others.
  const alone = store.cluster === null ? pausedAt : null;
  return {
    readiness: () => readinessOf(store, pausedAt),
    pausedSince: async () => (await store.installation.pausedSince()) ?? alone,
  };
}

async function readinessOf(store: Store, pausedAt: number | null): Promise<Readiness> {
  try {
    await store.check();
    const since = await store.installation.pausedSince();
    const paused = since === null ? null : `Punctual is paused since ${iso(since)}: nothing fires.`;
    const warnings = [
      pausedAt === null ? null : 'This node is paused (PUNCTUAL_PAUSED): it fires nothing.',
      paused,
      await store.cluster?.warning(),
    ].filter(warning => warning);
    return {
      ...(warnings.length > 0 && { warning: warnings.join(' ') }),
      ...(pausedAt !== null && { paused: { since: pausedAt, by: 'setting' } }),
      ...(since !== null && { paused: { since, by: 'command' } }),
    };
  } catch (error) {
    const isOurs = error instanceof PunctualError;
    return { fault: isOurs ? error.message : 'The store does not answer.' };
  }
}
