import type { Incidents } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { api } from '../queries.ts';

/** Events tell of failures; how their schedules went on is asked for. */
const ASK_EVERY_MS = 15_000;

/** @param hours back from now */
export function useIncidents(hours = 24) {
  return useQuery({
    queryKey: ['incidents', hours],
    queryFn: () => incidentsOf(hours),
    refetchInterval: ({ state }) => (state.data?.isPartial ? 1_000 : ASK_EVERY_MS),
    // The title of a tab that nobody sees tells of them, too.
    refetchIntervalInBackground: true,
  });
}

function incidentsOf(hours: number): Promise<Incidents> {
  if (hours === 24) return api.incidents();
  return api.incidents({ from: new Date(Date.now() - hours * 3_600_000).toISOString() });
}
