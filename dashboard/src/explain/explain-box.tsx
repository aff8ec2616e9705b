import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { Explanation, HistoryStep } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { Asked, Card } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { Status } from '../schedule/status.tsx';
import { fullTime, localText, READER_ZONE, shortTime, withTimesIn } from '../time/times.ts';
import { knowClock } from '../time/zone-clock.ts';
import { type Click, countsText, nearestTime, secondOf } from '../timeline/timeline.ts';
import { clickedText, gapText } from './asked-time.ts';

/** The time to explain: an instant (ISO 8601, or a time of the schedule's clock), or a click. */
export type AskedTime = { at: string } | { click: Click; step?: HistoryStep & { to: string } };

/** "Why did it not run?": an answer for any instant, asked by hand or by a click in the timeline. */
export function ExplainBox({
  id,
  timezone,
  asked,
  onAsk,
  onOpenRun,
}: {
  id: string;
  timezone: string;
  asked: AskedTime | null;
  onAsk: (at: string) => void;
  onOpenRun: (id: string) => void;
}) {
  const [text, setText] = useState('');
  const explained = useQuery({
    queryKey: ['explain', id, asked],
    queryFn: async () => {
      await knowClock(timezone);
      return explainAsked(id, asked!);
    },
    enabled: asked !== null,
  });
  const answeredAt = explained.data?.at;
  useEffect(() => {
    if (asked === null) return;
    if ('click' in asked || /Z$/.test(asked.at)) {
      if (answeredAt !== undefined) setText(localText(answeredAt, timezone));
    } else setText(asked.at);
  }, [asked, answeredAt, timezone]);
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
        {asked === null ? (
          <Text size="sm" className="muted">
            Ask about any time, or click the timeline.
          </Text>
        ) : (
          <Asked query={explained} height={60}>
            {data => (
              <Answer
                explained={data}
                asked={asked}
                timezone={timezone}
                onAsk={onAsk}
                onOpenRun={onOpenRun}
              />
            )}
          </Asked>
        )}
      </Stack>
    </Card>
  );
}

/** A click means the time that is due near it, if one is. */
async function explainAsked(id: string, asked: AskedTime): Promise<Explanation> {
  if ('at' in asked) return api.explain(id, { at: asked.at });
  const explained = await api.explain(id, { at: secondOf(asked.click) });
  const nearest = nearestTime(asked.click, explained);
  return nearest === null ? explained : api.explain(id, { at: nearest });
}

function Answer({
  explained,
  asked,
  timezone,
  onAsk,
  onOpenRun,
}: {
  explained: Explanation;
  asked: AskedTime;
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
      <Meant asked={asked} explained={explained} timezone={timezone} />
      <Text size="sm" className="wrap">
        {withTimesIn(timezone, sentence)}
      </Text>
      <Group gap="xs">
        {run && (
          <Button size="compact-xs" variant="default" onClick={() => onOpenRun(run.id)}>
            Show the run
          </Button>
        )}
        {'step' in asked && <AllOf step={asked.step} scheduleId={explained.scheduleId} />}
        <Ask name="Moved to" at={movedTo} timezone={timezone} onAsk={onAsk} />
        <Ask name="The time before:" at={previous} timezone={timezone} onAsk={onAsk} />
        <Ask name="The time after:" at={next} timezone={timezone} onAsk={onAsk} />
      </Group>
    </Stack>
  );
}

/** Why the answer is of another time than the one that was asked about, where it is. */
function Meant({
  asked,
  explained: { at },
  timezone,
}: {
  asked: AskedTime;
  explained: Explanation;
  timezone: string;
}) {
  const sentence =
    'click' in asked ? clickedText(asked.click, at) : gapText(asked.at, at, timezone);
  if (sentence === null) return null;
  return (
    <Text size="sm" className="muted wrap">
      {sentence}
    </Text>
  );
}

/** Every run of the step that was clicked. */
function AllOf({ step, scheduleId }: { step: HistoryStep & { to: string }; scheduleId: string }) {
  const range = { from: localText(step.at, READER_ZONE), to: localText(step.to, READER_ZONE) };
  return (
    <Button
      size="compact-xs"
      variant="default"
      component={Link}
      href={`/runs?${new URLSearchParams({ scheduleId, ...range })}`}
    >
      All from {shortTime(step.at)} to {shortTime(step.to)}: {countsText(step)}
    </Button>
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
