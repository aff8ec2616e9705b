import { readFileSync } from 'node:fs';
import type { Config } from './config.ts';

/** Shares the file descriptors of the process out, so that targets never take those of the API and the store. */

/** The limit of this process: Node has raised it to the hard limit. Null: it has none, or the system does not tell. */
export function descriptorLimit(): number | null {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files +(\d+) /m.exec(limits) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

/** How many descriptors the settings can use at once. */
export function descriptorsWanted({ api, engine, sender }: Config): number {
  return OWN + sender.maxLookups + api.connections + engine.maxInFlight + engine.outboxSlots;
}

/**
 * The settings, lowered to what the limit allows. A half of what the process itself does not need is for callers, the other
 * half for connections to targets. Clients and hosts take turns in it as in any other number of slots.
 */
export function withinLimit(config: Config, limit: number | null): Config {
  if (limit === null || limit >= descriptorsWanted(config)) return config;
  const maxLookups = Math.max(1, Math.min(config.sender.maxLookups, Math.floor(limit / 32)));
  const left = Math.max(16, limit - OWN - maxLookups);
  const connections = Math.min(config.api.connections, Math.floor(left / 2));
  const toTargets = left - connections;
  const { engine } = config;
  const outboxSlots = Math.max(4, Math.min(engine.outboxSlots, Math.floor(toTargets / 4)));
  const maxInFlight = Math.max(1, Math.min(engine.maxInFlight, toTargets - outboxSlots));
  const ofHost = Math.max(1, Math.floor(maxInFlight / 4));
  return {
    ...config,
    api: { ...config.api, connections },
    engine: {
      ...engine,
      maxInFlight,
      maxInFlightPerHost: Math.min(engine.maxInFlightPerHost, ofHost),
      outboxSlots,
    },
    sender: { ...config.sender, maxLookups, maxConnections: toTargets },
  };
}

/** @param config as it was lowered */
export function lowLimitSentence({ api, engine }: Config): string {
  return (
    'too few files may be open for the settings (ulimit -n): ' +
    `at most ${api.connections} connections of callers, and ${engine.maxInFlight} firings in flight`
  );
}

/** For the store, the log, the threads and the listener: an idle service has 50 files open. */
const OWN = 64;
