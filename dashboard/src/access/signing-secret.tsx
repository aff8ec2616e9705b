import { Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { SigningSecret as State } from '@punctual/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Asked, Card, Failed } from '../parts/page.tsx';
import { api, sentenceOf } from '../queries.ts';
import { fullTime, relative, useNow } from '../time/times.ts';
import { ShownOnce } from './shown-once.tsx';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const OVERLAPS = [
  { value: '0', label: 'none: the old one stops now' },
  { value: String(HOUR_SECONDS), label: '1 hour' },
  { value: String(DAY_SECONDS), label: '24 hours' },
  { value: String(7 * DAY_SECONDS), label: '7 days' },
  { value: String(30 * DAY_SECONDS), label: '30 days' },
];

/** The signing secret: its age, its rotation, and the end of an overlap. */
export function SigningSecret() {
  const secret = useQuery({ queryKey: ['secret'], queryFn: () => api.getSecret() });
  const now = useNow();
  return (
    <Card title="Signing secret">
      <Asked query={secret} height={90}>
        {state => <Told state={isOver(state, now) ? { createdAt: state.createdAt } : state} />}
      </Asked>
    </Card>
  );
}

function isOver({ overlapEndsAt }: State, now: number): boolean {
  return overlapEndsAt !== undefined && Date.parse(overlapEndsAt) <= now;
}

function Told({ state }: { state: State }) {
  const [isRotating, setRotating] = useState(false);
  const isOverlapping = state.overlapEndsAt !== undefined;
  return (
    <Stack gap="sm">
      <Text size="sm" className="muted" maw={620}>
        Punctual signs each request and callback with it; receivers verify the header{' '}
        <Code>webhook-signature</Code>. In use since {fullTime(state.createdAt)}.
      </Text>
      {state.overlapEndsAt !== undefined && <Overlap endsAt={state.overlapEndsAt} />}
      <div>
        <Button variant="default" onClick={() => setRotating(true)}>
          {isOverlapping ? 'Replace the new secret' : 'Rotate secret'}
        </Button>
      </div>
      <Rotate opened={isRotating} replaceNew={isOverlapping} onClose={() => setRotating(false)} />
    </Stack>
  );
}

function Overlap({ endsAt }: { endsAt: string }) {
  const [isAsked, setAsked] = useState(false);
  const queries = useQueryClient();
  const now = useNow();
  const end = useMutation({
    mutationFn: () => api.endOverlap(),
    onSuccess: state => {
      setAsked(false);
      queries.setQueryData(['secret'], state);
      notifications.show({ message: 'The old secret is no longer used.', color: 'green' });
    },
    onError: error => notifications.show({ message: sentenceOf(error), color: 'red' }),
  });
  return (
    <Group gap="sm">
      <Text size="sm" className="status tone-busy" style={{ whiteSpace: 'normal' }}>
        The old secret is also used until {fullTime(endsAt)} ({relative(endsAt, now)}).
      </Text>
      <Button size="xs" variant="default" onClick={() => setAsked(true)}>
        End now
      </Button>
      <Confirm
        opened={isAsked}
        title="End the overlap now?"
        action="End overlap"
        isBusy={end.isPending}
        onClose={() => setAsked(false)}
        onConfirm={() => end.mutate()}
      >
        Receivers that know only the old secret refuse what Punctual sends from now on.
      </Confirm>
    </Group>
  );
}

function Rotate({
  opened,
  replaceNew,
  onClose,
}: {
  opened: boolean;
  replaceNew: boolean;
  onClose: () => void;
}) {
  const [overlap, setOverlap] = useState(String(DAY_SECONDS));
  const queries = useQueryClient();
  const rotate = useMutation({
    mutationFn: () => api.rotateSecret({ overlapSeconds: Number(overlap), replaceNew }),
  });
  const close = () => {
    // Now, and not before: with the answer the dialog would be that of an overlap.
    if (rotate.data) void queries.invalidateQueries({ queryKey: ['secret'] });
    rotate.reset();
    onClose();
  };
  const made = rotate.data;
  const title = replaceNew ? 'Replace the new secret?' : 'Rotate the signing secret?';
  return (
    <Dialog opened={opened} onClose={close} title={made ? 'The new secret' : title}>
      {made ? (
        <ShownOnce value={made.signingSecret} note={noteOf(made)} onClose={close} />
      ) : (
        <Stack>
          {rotate.error && <Failed error={rotate.error} />}
          <Text size="sm">
            {replaceNew
              ? 'For when it was lost, or has leaked: the secret made last is thrown away, and another one made. The old one stays beside it.'
              : 'A new secret is made. While both are used, each request carries a signature of each, and receivers accept either: give them the new one meanwhile.'}
          </Text>
          <NativeSelect
            label="The old secret is used too for"
            data={OVERLAPS}
            value={overlap}
            onChange={event => setOverlap(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red" loading={rotate.isPending} onClick={() => rotate.mutate()}>
              {replaceNew ? 'Replace' : 'Rotate'}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

function noteOf({ overlapEndsAt }: State): string {
  const until =
    overlapEndsAt === undefined
      ? 'the old one is no longer used'
      : `the old one is used too until ${fullTime(overlapEndsAt)}`;
  return `The secret is shown this once; ${until}.`;
}
