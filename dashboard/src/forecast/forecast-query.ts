import { queryOptions } from '@tanstack/react-query';
import { api } from '../queries.ts';

/** The firings to come. It is asked for again soon while the service is still counting. */
export function forecastQuery(span: 'day' | 'week', host: string | null = null) {
  return queryOptions({
    queryKey: ['forecast', span, host],
    queryFn: () => api.forecast({ span, ...(host !== null && { host }) }),
    refetchInterval: ({ state }) => (state.data?.isPartial ? 1_000 : 30_000),
  });
}
