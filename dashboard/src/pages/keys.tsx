import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { KeysTable } from '../access/keys-table.tsx';
import { Sessions } from '../access/sessions.tsx';
import { ShownOnce } from '../access/shown-once.tsx';
import { SigningSecret } from '../access/signing-secret.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Asked, Card, Failed, Page } from '../parts/page.tsx';
import { api } from '../queries.ts';

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
          {({ items }) => <KeysTable items={[...items].reverse()} own={session.data?.keyId} />}
        </Asked>
      </Card>
      <Sessions keys={keys.data?.items ?? []} />
      <SigningSecret />
      <Make opened={isMaking} onClose={() => setMaking(false)} />
    </Page>
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
              description="The user of the key, such as “deploy pipeline”."
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
