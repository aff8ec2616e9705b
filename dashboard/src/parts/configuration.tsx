import { Button, Code, Group, Stack, Text } from '@mantine/core';
import type { Policy, Schedule } from '@punctual/client';
import { useState } from 'react';
import { inWords } from '../interval-words.ts';
import { POLICY_FIELDS, POLICY_NAMES, POLICY_WORDS } from '../policy-fields.ts';
import { withMarks } from '../schedule-name.ts';
import { fullTime, READER_ZONE } from '../times.ts';
import { Card } from './page.tsx';
import { Facts } from './run-detail.tsx';

const inYours = (at: string) => `${fullTime(at)}, ${READER_ZONE}`;

/** The configuration of a schedule. */
export function Configuration({ schedule }: { schedule: Schedule }) {
  const { url, verb, interval, timezone, headers, data, integrations, policy } = schedule;
  const words = inWords(interval);
  return (
    <Card title="Configuration">
      <Stack gap="md">
        <Facts
          facts={[
            ['Calls', `${verb} ${withMarks(url)}`],
            [
              'Interval',
              <Group key="interval" gap="xs">
                <Code>{interval}</Code>
                {words}
              </Group>,
            ],
            ['Time zone', timezone],
            ...policyFacts(policy),
            ['Created', inYours(schedule.createdAt)],
            ['Changed', schedule.updatedAt && inYours(schedule.updatedAt)],
            ['Id', <Code key="id">{schedule.id}</Code>],
          ]}
        />
        {headers && Object.keys(headers).length > 0 && <Headers headers={headers} />}
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
                withMarks(name) || id,
                `${withMarks(url)}${callOnSuccess ? ', also on success' : ''}`,
              ])}
            />
          </div>
        )}
      </Stack>
    </Card>
  );
}

/** Each field with its value, or with the default of the service. */
function policyFacts(policy: Policy | undefined): [label: string, text: string][] {
  return POLICY_NAMES.map(field => {
    const { label, shown } = POLICY_WORDS[field];
    return [label, shown(policy?.[field] ?? POLICY_FIELDS[field].byDefault)];
  });
}

/** Their values are often tokens: they are shown to who asks for them, and not to whoever passes by. */
function Headers({ headers }: { headers: Record<string, string> }) {
  const [isShown, setShown] = useState(false);
  const facts = Object.entries(headers);
  return (
    <div>
      <Group gap="xs" mb={4}>
        <Text fw={600} size="sm">
          Headers
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide values' : 'Show values'}
        </Button>
      </Group>
      <Facts facts={isShown ? facts : facts.map(([name]) => [name, '••••••'])} />
    </div>
  );
}
