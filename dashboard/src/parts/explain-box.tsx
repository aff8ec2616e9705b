import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { Explanation } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { api } from '../queries.ts';
import { fullTime, inReadersTime, READER_ZONE, shortTime } from '../times.ts';
import { Asked, Card } from './page.tsx';
import { Status } from './status.tsx';

/** "Why did it not run?": an answer for any instant, asked by hand or by a click in the timeline. */
export function ExplainBox({
  id,
  timezone,
  at,
  onAsk,
  onOpenRun,
}: {
  id: string;
  timezone: string;
  /** ISO 8601, or a time of the schedule's wall clock. */
  at: string | null;
  onAsk: (at: string) => void;
  onOpenRun: (id: string) => void;
}) {
  const [text, setText] = useState('');
  useEffect(() => {
    if (at !== null) setText(/Z$/.test(at) ? inputText(at, timezone) : at);
  }, [at, timezone]);
  const explained = useQuery({
    queryKey: ['explain', id, at],
    queryFn: () => api.explain(id, { at: at! }),
    enabled: at !== null,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text !== '') onAsk(text);
  };
  return (
    <Card title="Why did it run, or not?">
      <Stack gap="sm">
        <form onSubmit={submit}>
          <Group align="end" gap="xs">
            <TextInput
              type="datetime-local"
              step={1}
              label={`A time in ${timezone}`}
              value={text}
              onChange={event => setText(event.currentTarget.value)}
            />
            <Button type="submit" variant="default" disabled={text === ''}>
              Explain
            </Button>
          </Group>
        </form>
        {at === null ? (
          <Text size="sm" className="muted">
            Ask about any time, or click an empty place in the timeline.
          </Text>
        ) : (
          <Asked query={explained} height={60}>
            {data => (
              <Answer explained={data} timezone={timezone} onAsk={onAsk} onOpenRun={onOpenRun} />
            )}
          </Asked>
        )}
      </Stack>
    </Card>
  );
}

function Answer({
  explained,
  timezone,
  onAsk,
  onOpenRun,
}: {
  explained: Explanation;
  timezone: string;
  onAsk: (at: string) => void;
  onOpenRun: (id: string) => void;
}) {
  const { at, verdict, sentence, previous, next, movedTo, run } = explained;
  return (
    <Stack gap={6} role="status">
      <Text fw={600}>
        <Status of={verdict} />
        <Text span size="sm" className="muted numbers" ml="sm">
          {fullTime(at, timezone)}
          {timezone !== READER_ZONE && `, ${shortTime(at)} for you`}
        </Text>
      </Text>
      <Text size="sm" className="wrap">
        {inReadersTime(sentence)}
      </Text>
      <Group gap="xs">
        {run && (
          <Button size="compact-xs" variant="default" onClick={() => onOpenRun(run.id)}>
            Show the run
          </Button>
        )}
        <Ask name="Moved to" at={movedTo} timezone={timezone} onAsk={onAsk} />
        <Ask name="The time before:" at={previous} timezone={timezone} onAsk={onAsk} />
        <Ask name="The time after:" at={next} timezone={timezone} onAsk={onAsk} />
      </Group>
    </Stack>
  );
}

function Ask({
  name,
  at,
  timezone,
  onAsk,
}: {
  name: string;
  at: string | undefined;
  timezone: string;
  onAsk: (at: string) => void;
}) {
  if (at === undefined) return null;
  return (
    <Button size="compact-xs" variant="default" className="numbers" onClick={() => onAsk(at)}>
      {name} {shortTime(at, timezone)}
    </Button>
  );
}

/** As a field for local times wants it. */
function inputText(at: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(new Date(at));
  return parts.replace(' ', 'T');
}
