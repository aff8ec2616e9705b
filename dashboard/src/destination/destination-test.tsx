import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import type { Destination, Verb } from '@punctual/client';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Card, Empty, Failed } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { AttemptDetail } from '../run/attempt-detail.tsx';
import { isAmong } from './destination-hosts.ts';
import { behindAnswer } from './destination-words.ts';

const VERBS: Verb[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Sends one request through a destination, and says what happened. */
export function DestinationTest({
  stored,
  isChanged,
}: {
  stored: Destination | null;
  /** Whether the form has changes that are not stored. */
  isChanged: boolean;
}) {
  if (stored === null) {
    return (
      <Card title="Test">
        <Empty title="Not stored yet">
          As soon as it is stored, a test sends a request through it.
        </Empty>
      </Card>
    );
  }
  return <Stored destination={stored} isChanged={isChanged} />;
}

function Stored({ destination, isChanged }: { destination: Destination; isChanged: boolean }) {
  const { name, hosts, allowHttp } = destination;
  const [url, setUrl] = useState(() => firstUrl(hosts, allowHttp === true));
  const [verb, setVerb] = useState<Verb>('GET');
  const [wasSent, setWasSent] = useState(false);
  const test = useMutation({
    mutationFn: () =>
      api.trySchedule({
        url: url.trim(),
        verb,
        // A test request has no times: these are any.
        interval: '@yearly',
        timezone: 'UTC',
        destination: name,
      }),
  });
  const problem = isAmong(hosts, url) ? undefined : `Its host is not one of ${hosts.join(', ')}.`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (problem === undefined) test.mutate();
  };
  return (
    <Card title="Test">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text size="sm" className="muted">
            Sends one request through it, now. Nothing is stored.
          </Text>
          <Group gap="xs" align="start" wrap="nowrap">
            <NativeSelect
              label="Verb"
              value={verb}
              data={VERBS}
              w={112}
              onChange={event => setVerb(event.currentTarget.value as Verb)}
            />
            <TextInput
              label="Url to test"
              type="url"
              required
              spellCheck={false}
              value={url}
              error={wasSent ? problem : undefined}
              onChange={event => setUrl(event.currentTarget.value)}
              style={{ flex: 1 }}
            />
          </Group>
          {isChanged && (
            <Text size="sm" className="status tone-warn">
              Your changes are not saved. The test uses what is stored.
            </Text>
          )}
          <div>
            <Button type="submit" size="xs" variant="default" loading={test.isPending}>
              Send a test request
            </Button>
          </div>
        </Stack>
      </form>
      {test.error && <Failed error={test.error} />}
      {test.data && (
        <Stack gap="sm" mt="md">
          <Behind sentence={behindAnswer(destination, test.data.attempt)} />
          <AttemptDetail attempt={test.data.attempt} name="Answer" />
        </Stack>
      )}
    </Card>
  );
}

/** The reason behind a refusal, where the answer alone does not say whose mistake it is. */
function Behind({ sentence }: { sentence: string | null }) {
  if (sentence === null) return null;
  return (
    <Alert variant="outline" color="orange" role="status">
      <Text size="sm" className="wrap">
        {sentence}
      </Text>
    </Alert>
  );
}

function firstUrl(hosts: string[], isPlain: boolean): string {
  const host = hosts.find(each => !each.startsWith('*')) ?? '';
  return host === '' ? '' : `${isPlain ? 'http' : 'https'}://${host}/`;
}
