import { type Clock, systemClock } from '../../src/clock.ts';
import type { GaugeSources } from '../../src/telemetry/level-gauges.ts';
import { createLogger, createMetrics, type Metrics } from '../../src/telemetry/telemetry.ts';

/** Metrics of a node that has everything that may be measured. */

export const GAUGE_SOURCES: GaugeSources = {
  queueDepth: async () => 0,
  outboxDepth: async () => 0,
  awaiting: async () => 0,
  oldestDueMs: async () => 0,
  schedules: async () => ({ enabled: 0, disabled: 0 }),
  staleCalendars: async () => 0,
  size: async () => ({ bytes: 1, freeBytes: 0, disk: { bytes: 2, freeBytes: 1 } }),
  pool: () => ({ most: 10, busy: 1, idle: 2, waiting: 0 }),
  inFlight: () => 0,
  destinationWaiting: () => 0,
  engine: () => true,
};

/** @param clock by which a scrape loses its patience */
export function metricsOf(levels: Partial<GaugeSources> = {}, clock: Clock = systemClock): Metrics {
  const metrics = createMetrics(createLogger('silent'), '2026f', clock);
  metrics.observe({ ...GAUGE_SOURCES, ...levels });
  return metrics;
}

export async function fullMetrics(): Promise<string> {
  const metrics = metricsOf();
  metrics.listening(true);
  return (await metrics.text()).body;
}
