import type { ZoneOffsets } from '@punctual/client';
import { api, queries } from '../queries.ts';
import { learnClock } from './times.ts';

/** The service's rules of a time zone, asked for once. */
export const clockQuery = (timezone: string) => ({
  queryKey: ['offsets', timezone],
  queryFn: async (): Promise<ZoneOffsets> => {
    const offsets = await api.zoneOffsets({ timezone });
    learnClock(offsets);
    return offsets;
  },
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

/**
 * Callers await this before they show times of the zone. If the offsets cannot be loaded, it
 * resolves anyway: the browser's own rules are right for most zones.
 */
export async function knowClock(timezone: string): Promise<void> {
  await queries.fetchQuery(clockQuery(timezone)).catch(() => {});
}
