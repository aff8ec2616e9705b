import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api } from '../queries.ts';

/** Any time: only its offset is looked at. */
const NOMINAL = '2100-01-01T00:00:00Z';

/**
 * How many seconds later than its interval a schedule fires in its window, by the service's own rule.
 *
 * @param hashed its external id, else its id; null while it has neither
 * @param windowSeconds null without a window
 * @returns null if it is not known
 */
export function useWindowOffset(
  hashed: string | null,
  windowSeconds: number | null,
): number | null {
  const [asked] = useDebouncedValue(JSON.stringify([hashed, windowSeconds]), 200);
  const { data } = useQuery({
    queryKey: ['offset', asked],
    queryFn: () => offsetOf(hashed!, windowSeconds!),
    enabled:
      hashed !== null &&
      windowSeconds !== null &&
      asked === JSON.stringify([hashed, windowSeconds]),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return hashed === null || windowSeconds === null ? null : (data ?? null);
}

async function offsetOf(externalId: string, windowSeconds: number): Promise<number> {
  const { times } = await api.previewTimes({
    interval: `at(${NOMINAL})`,
    timezone: 'UTC',
    windowSeconds,
    externalId,
    count: 1,
  });
  return (Date.parse(times[0]!) - Date.parse(NOMINAL)) / 1_000;
}
