import { Alert, Stack, Text } from '@mantine/core';
import type { Breaker } from '@punctual/client';
import { shortTime } from '../time/times.ts';

/** Hosts whose breaker is open: why so much fails at once. */
export function NoAnswer({ breakers }: { breakers: Breaker[] }) {
  if (breakers.length === 0) return null;
  return (
    <Alert color="red" variant="outline" title="No answer">
      <Stack gap={4}>
        {breakers.map(({ origin, since }) => (
          <Text key={origin} size="sm" className="wrap">
            <b>{origin.replace(/^https?:\/\//, '')}</b> has not answered since {shortTime(since)}.
            Until it does, one request every 5 s is sent to it at most.
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
