import { Alert, Code } from '@mantine/core';
import type { Pause } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { api, queries } from '../queries.ts';
import { shortTime } from '../time/times.ts';
import { pauseAfter, type SeenPause } from './pause.ts';

/** How often it is asked whether anything fires. */
const ASK_EVERY_MS = 3_000;

/** Nothing fires because somebody wanted it so: since when, and how it ends. */
export function Paused() {
  const pause = usePause();
  if (pause === null) return null;
  const since = shortTime(pause.since);
  if (pause.by === 'setting') {
    return (
      <Alert color="orange" variant="outline" mb="md" title="This node is paused">
        It fires nothing since {since}, because <Code>PUNCTUAL_PAUSED</Code> is set; other nodes on
        its store go on. Start it without that setting to resume.
      </Alert>
    );
  }
  return (
    <Alert color="orange" variant="outline" mb="md" title="Punctual is paused">
      Nothing fires since {since}, on any node. Run <Code>punctual resume</Code> to go on; the
      <Code>catchUpSeconds</Code> of each schedule decides about the times that passed.
    </Alert>
  );
}

function usePause(): Pause | null {
  const queryKey = ['pause'];
  const { data = null } = useQuery({
    queryKey,
    queryFn: async () => {
      const { paused } = await api.getReadiness();
      const before = queries.getQueryData<SeenPause | null>(queryKey) ?? null;
      return pauseAfter(before, paused, Date.now());
    },
    refetchInterval: ASK_EVERY_MS,
  });
  return data;
}
