import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { sendLate } from '../change/undo.ts';
import { api, sentenceOf } from '../queries.ts';
import { usePageSession } from '../session.ts';
import { showMeInputs } from './show-me.ts';

/** Makes a healthy, a flaky and a hanging schedule, and shows them. It says so if the service has no sample targets. */
export function ShowMe() {
  const cache = useQueryClient();
  const [, go] = useLocation();
  const sampleUrl = usePageSession()?.sampleUrl;
  const make = useMutation({
    mutationFn: async (url: string) => {
      // Samples that were just removed still have their external ids until the deletion is sent.
      await sendLate();
      return api.createSchedules(showMeInputs(url));
    },
    onSuccess: () => {
      go('/schedules');
      for (const name of ['first minute', 'health', 'stats', 'next']) {
        void cache.invalidateQueries({ queryKey: [name] });
      }
    },
    onError: error => notifications.show({ message: sentenceOf(error), color: 'red' }),
  });
  if (sampleUrl === undefined) {
    return (
      <Text size="sm" className="muted">
        To see it at work first, start <code>punctual dev</code>: it has sample targets, and this
        service has none.
      </Text>
    );
  }
  return (
    <Stack gap={6} align="center">
      <Button variant="default" loading={make.isPending} onClick={() => make.mutate(sampleUrl)}>
        Show me
      </Button>
      <Text size="sm" className="muted">
        Show me makes three samples: a healthy, a flaky and a hanging one. You can remove them with
        one click.
      </Text>
    </Stack>
  );
}
