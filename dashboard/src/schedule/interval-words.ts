import { useQuery } from '@tanstack/react-query';
import { api } from '../queries.ts';
import { askedTogether } from './asked-together.ts';

const wordsOf = askedTogether(intervals => api.intervalWords({ intervals }));

/** A stored interval in the service's words; null until they are there. */
export function useIntervalWords(interval: string): string | null {
  const { data } = useQuery({
    queryKey: ['words', interval],
    queryFn: () => wordsOf(interval),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? null;
}
