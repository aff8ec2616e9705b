import { Button, Group, Stack, Text } from '@mantine/core';
import type { ScheduleInput } from '@punctual/client';
import { useMutation } from '@tanstack/react-query';
import { Card, Failed } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { AttemptDetail } from '../run/attempt-detail.tsx';

/** Sends the request once, and stores nothing. */
export function TryBox({ input }: { input: ScheduleInput }) {
  const attempt = useMutation({ mutationFn: () => api.trySchedule(input) });
  return (
    <Card title="Try it">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Text size="sm" className="muted" style={{ flex: '1 1 160px' }}>
            Sends the request once, now. Nothing is stored.
          </Text>
          <Button
            size="xs"
            variant="default"
            loading={attempt.isPending}
            onClick={() => attempt.mutate()}
          >
            Send a test request
          </Button>
        </Group>
        {attempt.error && <Failed error={attempt.error} />}
        {attempt.data && <AttemptDetail attempt={attempt.data.attempt} name="Answer" />}
      </Stack>
    </Card>
  );
}
