import { Button, Code, Group, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Key } from '@punctual/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Asked, Card, Failed, Page } from '../parts/page.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { SigningSecret } from '../parts/signing-secret.tsx';
import { api, sentenceOf } from '../queries.ts';
import { fullTime } from '../times.ts';

export function Keys() {
  const keys = useQuery({ queryKey: ['keys'], queryFn: () => api.listKeys() });
  const session = useQuery({ queryKey: ['session'], queryFn: () => api.getSession() });
  const [isMaking, setMaking] = useState(false);
  return (
    <Page name="Keys" actions={<Button onClick={() => setMaking(true)}>New key</Button>}>
      <Text className="muted" size="sm" maw={620}>
        Programs call Punctual with the ClientId and one of these keys. Give each its own, so that
        one can be revoked alone.
      </Text>
      {session.data && (
        <Text size="sm">
          ClientId <Code>{session.data.clientId}</Code>
        </Text>
      )}
      <Card padded={false}>
        <Asked query={keys} height={200}>
          {({ items }) => <Table items={[...items].reverse()} own={session.data?.keyId} />}
        </Asked>
      </Card>
      <SigningSecret />
      <Make opened={isMaking} onClose={() => setMaking(false)} />
    </Page>
  );
}

function Table({ items, own }: { items: Key[]; own: string | undefined }) {
  const [asked, setAsked] = useState<Key | null>(null);
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => api.revokeKey(id),
    onSuccess: () => {
      setAsked(null);
      void queries.invalidateQueries({ queryKey: ['keys'] });
      notifications.show({
        message: 'The key is revoked. It stops working within 5 seconds.',
        color: 'green',
      });
    },
    onError: error => notifications.show({ message: sentenceOf(error), color: 'red' }),
  });
  return (
    <>
      <table className="rows">
        <thead>
          <tr>
            <th>Name</th>
            <th>Id</th>
            <th>Made</th>
            <th>State</th>
            <th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(key => (
            <tr key={key.id}>
              <td className="grow">
                <Text size="sm" fw={550} className="clip">
                  {key.name ?? 'without a name'}
                  {key.id === own && (
                    <Text span size="sm" fw={400} className="muted">
                      {' '}
                      · you signed in with it
                    </Text>
                  )}
                </Text>
              </td>
              <td>
                <Code style={{ whiteSpace: 'nowrap' }}>{key.id}</Code>
              </td>
              <td className="numbers" data-label="Made">
                <Text size="sm" span style={{ whiteSpace: 'nowrap' }}>
                  {fullTime(key.createdAt)}
                </Text>
              </td>
              <td>
                <Text size="sm" className={`status tone-${key.revokedAt ? 'bad' : 'ok'}`}>
                  {key.revokedAt ? 'revoked' : 'valid'}
                </Text>
              </td>
              <td>
                {key.revokedAt === undefined && (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Revoke ${key.name ?? key.id}`}
                    onClick={() => setAsked(key)}
                  >
                    Revoke
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Confirm
        opened={asked !== null}
        title={`Revoke ${asked?.name ?? 'this key'}?`}
        action="Revoke"
        isBusy={revoke.isPending}
        onClose={() => setAsked(null)}
        onConfirm={() => asked && revoke.mutate(asked.id)}
      >
        {asked?.id === own
          ? 'You signed in with this key: your session ends with it. Whatever uses it stops working within 5 seconds.'
          : 'Whatever uses it stops working within 5 seconds. It cannot be brought back.'}
      </Confirm>
    </>
  );
}

function Make({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [name, setName] = useState('');
  const queries = useQueryClient();
  const make = useMutation({
    mutationFn: () => api.createKey({ name: name.trim() }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const close = () => {
    setName('');
    make.reset();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Dialog opened={opened} onClose={close} title="New key">
      {make.data ? (
        <ShownOnce
          value={make.data.apiKey}
          note="The key is shown this once. Punctual keeps only its hash."
          onClose={close}
        />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {make.error && <Failed error={make.error} />}
            <TextInput
              label="Name"
              description="What uses it, such as “deploy pipeline”."
              required
              maxLength={200}
              data-autofocus
              value={name}
              onChange={event => setName(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={make.isPending} disabled={name.trim() === ''}>
                Make key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
