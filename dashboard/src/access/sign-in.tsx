import { Alert, Button, Center, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import type { Session } from '@punctual/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { dropLate } from '../change/undo.ts';
import { forgetDrafts } from '../form/kept-drafts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useFlag } from '../parts/flag.ts';
import { Logo } from '../parts/logo.tsx';
import { api, sentenceOf } from '../queries.ts';
import { ROOT } from '../root.ts';
import { sessionEnded } from '../session.ts';

/**
 * The first page of who has no session.
 *
 * @param refusal why the link that somebody came with did not sign in
 */
export function SignIn({ refusal }: { refusal?: string }) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack w="100%" maw={400} gap="lg">
        <Stack gap={4} align="center">
          <Logo size={44} />
          <Title order={1}>Sign in to Punctual</Title>
          <Text className="muted" size="sm" ta="center">
            With the ClientId and ApiKey that <code>npm start</code> or{' '}
            <code>punctual client create</code> printed.
          </Text>
        </Stack>
        {refusal && (
          <Alert color="orange" variant="outline" role="alert" title="The link does not sign in">
            {refusal}
          </Alert>
        )}
        <div className="card">
          <SignInForm />
        </div>
      </Stack>
    </Center>
  );
}

/** Over the page, which stays as it is with all that was typed. */
export function SessionEnded() {
  const hasEnded = useFlag(sessionEnded);
  return (
    <Dialog opened={hasEnded} title="Your session has ended">
      <Text size="sm" px="md" className="muted">
        Sign in again to go on. What you typed is still there.
      </Text>
      <SignInForm />
    </Dialog>
  );
}

function SignInForm() {
  const queries = useQueryClient();
  const ended = queries.getQueryData<Session>(['session']);
  const [clientId, setClientId] = useState(ended?.clientId ?? '');
  const [apiKey, setApiKey] = useState('');
  const signIn = useMutation({
    mutationFn: () => api.signIn(clientId.trim(), apiKey.trim()),
    onError: () => {},
    onSuccess: session => {
      const before = queries.getQueryData<Session>(['session']);
      if (before !== undefined && before.clientId !== session.clientId) {
        // The page shows another client's data, which this one must not see.
        dropLate();
        forgetDrafts();
        queries.clear();
        location.assign(ROOT);
        return;
      }
      sessionEnded.set(false);
      queries.setQueryData(['session'], session);
      void queries.invalidateQueries();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack p="md">
        {signIn.error && (
          <Alert color="red" variant="outline" role="alert">
            {sentenceOf(signIn.error)}
          </Alert>
        )}
        <TextInput
          label="ClientId"
          required
          autoComplete="username"
          spellCheck={false}
          value={clientId}
          onChange={event => setClientId(event.currentTarget.value)}
        />
        <PasswordInput
          label="ApiKey"
          required
          autoComplete="current-password"
          value={apiKey}
          onChange={event => setApiKey(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the ApiKey', tabIndex: 0 }}
        />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
