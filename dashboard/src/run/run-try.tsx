import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { RunRequest, ScheduleInput, Verb } from '@punctual/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Failed } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { AttemptDetail } from './attempt-detail.tsx';

const VERBS: Verb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];
const WITH_BODY: Verb[] = ['POST', 'PUT', 'PATCH', 'OPTIONS'];
/** The service sets these itself. */
const NOT_OWN = /^(?:punctual-|webhook-)/i;

interface Edited {
  verb: Verb;
  url: string;
  /** One a line, `Name: value`. */
  headers: string;
  body: string;
}

/** A request that was sent, to be changed and sent once more. Nothing of it is stored. */
export function RunTry({ told, onClose }: { told: RunRequest; onClose: () => void }) {
  const [edited, setEdited] = useState(() => editedFrom(told));
  const attempt = useMutation({ mutationFn: () => send(told, edited) });
  const set = (change: Partial<Edited>) => setEdited({ ...edited, ...change });
  return (
    <Stack gap="xs" component="section" aria-label="Edit and send" className="trial">
      <Text size="sm" className="muted">
        It is sent once, signed anew, and stored nowhere. The schedule stays as it is.
      </Text>
      <Group gap="xs" align="end" wrap="nowrap">
        <NativeSelect
          label="Method"
          data={VERBS}
          value={edited.verb}
          onChange={event => set({ verb: event.currentTarget.value as Verb })}
        />
        <TextInput
          label="Url"
          flex={1}
          value={edited.url}
          onChange={event => set({ url: event.currentTarget.value })}
        />
      </Group>
      <Textarea
        label="Headers, one a line"
        autosize
        minRows={2}
        maxRows={8}
        value={edited.headers}
        onChange={event => set({ headers: event.currentTarget.value })}
      />
      {WITH_BODY.includes(edited.verb) && (
        <Textarea
          label="Body"
          autosize
          minRows={3}
          maxRows={14}
          value={edited.body}
          onChange={event => set({ body: event.currentTarget.value })}
        />
      )}
      <Group gap="xs">
        <Button size="xs" loading={attempt.isPending} onClick={() => attempt.mutate()}>
          Send it
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
      {attempt.error && <Failed error={attempt.error} />}
      {attempt.data && <AttemptDetail attempt={attempt.data.attempt} name="Answer" />}
    </Stack>
  );
}

function editedFrom({ request, masked }: RunRequest): Edited {
  const { method, url, headers, body = '' } = request!;
  const own = Object.entries(headers).filter(
    ([name]) => !NOT_OWN.test(name) && !masked.includes(name) && !isOfTheService(name, headers),
  );
  return {
    verb: method,
    url,
    headers: own.map(([name, value]) => `${name}: ${value}`).join('\n'),
    body,
  };
}

function isOfTheService(name: string, headers: Record<string, string>): boolean {
  return name === 'User-Agent' && headers[name]!.startsWith('Punctual/');
}

/** The parts of its destination are added again: the present schedule says which one it is. */
async function send({ scheduleId }: RunRequest, { verb, url, headers, body }: Edited) {
  const { destination } = await api.getSchedule(scheduleId);
  const input: ScheduleInput = {
    verb,
    url,
    interval: '@yearly',
    timezone: 'UTC',
    headers: Object.fromEntries(headers.split('\n').flatMap(headerIn)),
    ...(WITH_BODY.includes(verb) && body !== '' && { body }),
    ...(destination !== undefined && { destination }),
  };
  return api.trySchedule(input);
}

function headerIn(line: string): [string, string][] {
  const [name, ...value] = line.split(':');
  return line.trim() === '' ? [] : [[name!.trim(), value.join(':').trim()]];
}
