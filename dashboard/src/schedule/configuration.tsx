import { Button, Code, Group, Stack, Text } from '@mantine/core';
import type { Policy, Schedule } from '@punctual/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { Facts } from '../parts/facts.tsx';
import { Card } from '../parts/page.tsx';
import { fullTime, READER_ZONE } from '../time/times.ts';
import { useWindowOffset } from '../time/window-offset.ts';
import { deliveryFacts } from './delivery-words.ts';
import { useIntervalWords } from './interval-words.ts';
import { POLICY_FIELDS, POLICY_NAMES, POLICY_WORDS } from './policy-fields.ts';
import { withMarks } from './schedule-name.ts';
import { tagText } from './schedule-state.ts';
import { HIDDEN_VALUE } from './secret-names.ts';
import { AFTER_COMPLETION, labelOf, ON_EXCLUDED } from './timing-choices.ts';

const inYours = (at: string) => `${fullTime(at)}, ${READER_ZONE}`;

/** The configuration of a schedule. */
export function Configuration({ schedule }: { schedule: Schedule }) {
  const { url, verb, interval, timezone, headers, data, integrations, policy } = schedule;
  const words = useIntervalWords(interval);
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
            ...timingFacts(schedule),
            ['Window', schedule.windowSeconds && <WindowText key="window" schedule={schedule} />],
            [
              'Destination',
              schedule.destination && (
                <Link
                  key="destination"
                  className="link"
                  href={`/destinations/${schedule.destination}`}
                >
                  {schedule.destination}
                </Link>
              ),
            ],
            ...policyFacts(policy),
            ...deliveryFacts(policy),
            ['Created', inYours(schedule.createdAt)],
            ['Changed', schedule.updatedAt && inYours(schedule.updatedAt)],
            ['Id', <Code key="id">{schedule.id}</Code>],
            [
              'External id',
              schedule.externalId && <Code key="external">{schedule.externalId}</Code>,
            ],
            [
              'Tags',
              Object.entries(schedule.tags ?? {})
                .map(tagText)
                .join(', '),
            ],
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
        {schedule.body !== undefined && (
          <div>
            <Text fw={600} size="sm" mb={4}>
              Raw body
            </Text>
            <Code block mah={260} tabIndex={0} role="region" aria-label="Raw body">
              {schedule.body}
            </Code>
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

/** The fields that decide when it fires, where they are set. */
function timingFacts(schedule: Schedule): [label: string, text: React.ReactNode][] {
  const { timezone, startsAt, endsAt, maxRuns, exclude, onExcluded = 'skip' } = schedule;
  const { pausedUntil, afterCompletion } = schedule;
  const inZone = (at: string | undefined) => at && `${fullTime(at, timezone)}, ${timezone}`;
  return [
    ['Starts', inZone(startsAt)],
    ['Ends', endsAt && `before ${inZone(endsAt)}`],
    ['Number of runs', maxRuns?.toLocaleString('en-GB')],
    ['When no time is left', afterCompletion && labelOf(AFTER_COMPLETION, afterCompletion)],
    ['Paused until', inZone(pausedUntil)],
    ['Calendars', exclude && <CalendarLinks key="calendars" names={exclude} />],
    ['On excluded days', exclude && labelOf(ON_EXCLUDED, onExcluded)],
  ];
}

function CalendarLinks({ names }: { names: string[] }) {
  return (
    <Group gap="xs">
      {names.map(name => (
        <Link key={name} className="link" href={`/calendars/${name}`}>
          {name}
        </Link>
      ))}
    </Group>
  );
}

/** The window, and the place of this schedule in it. */
function WindowText({ schedule }: { schedule: Schedule }) {
  const { id, externalId, windowSeconds = null } = schedule;
  const offset = useWindowOffset(externalId ?? id, windowSeconds);
  return (
    <>
      {windowSeconds} s{offset !== null && `: it fires ${offset} s later than the interval says`}
    </>
  );
}

/** Each field with its value, or with the default of the service: as many retries as there are delays. */
function policyFacts(policy: Policy | undefined): [label: string, text: string][] {
  return POLICY_NAMES.map(field => {
    const { label, shown } = POLICY_WORDS[field];
    const delays = field === 'maxRetries' ? policy?.retryDelaysSeconds?.length : undefined;
    return [label, shown(policy?.[field] ?? delays ?? POLICY_FIELDS[field].byDefault)];
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
      <Facts facts={isShown ? facts : facts.map(([name]) => [name, HIDDEN_VALUE])} />
    </div>
  );
}
