import { Code, Group, Stack, Text } from '@mantine/core';
import type { Schedule } from '@punctual/client';
import { inWords } from '../interval-words.ts';
import { fullTime } from '../times.ts';
import { Card } from './page.tsx';
import { Facts } from './run-detail.tsx';

/** What a schedule says. */
export function Configuration({ schedule }: { schedule: Schedule }) {
  const { url, verb, interval, timezone, headers, data, integrations, policy } = schedule;
  const words = inWords(interval);
  return (
    <Card title="Configuration">
      <Stack gap="md">
        <Facts
          facts={[
            ['Calls', `${verb} ${url}`],
            [
              'Interval',
              <Group key="interval" gap="xs">
                <Code>{interval}</Code>
                {words}
              </Group>,
            ],
            ['Time zone', timezone],
            ['Time limit', `${policy?.timeoutSeconds ?? 30} s`],
            ['Retries', `at most ${policy?.maxRetries ?? 3}`],
            ['Created', fullTime(schedule.createdAt)],
            ['Changed', schedule.updatedAt && fullTime(schedule.updatedAt)],
            ['Id', <Code key="id">{schedule.id}</Code>],
          ]}
        />
        {headers && Object.keys(headers).length > 0 && (
          <div>
            <Text fw={600} size="sm" mb={4}>
              Headers
            </Text>
            <Facts facts={Object.entries(headers)} />
          </div>
        )}
        {data && Object.keys(data).length > 0 && (
          <div>
            <Text fw={600} size="sm" mb={4}>
              Payload
            </Text>
            <Facts facts={Object.entries(data)} />
          </div>
        )}
        {integrations && integrations.length > 0 && (
          <div>
            <Text fw={600} size="sm" mb={4}>
              Webhooks
            </Text>
            <Facts
              facts={integrations.map(({ name, url, callOnSuccess, id }) => [
                name || id,
                `${url}${callOnSuccess ? ', also on success' : ''}`,
              ])}
            />
          </div>
        )}
      </Stack>
    </Card>
  );
}
