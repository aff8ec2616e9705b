import { Button, Text, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Key, ListedSession } from '@punctual/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { forgetDrafts } from '../form/kept-drafts.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Asked, Card } from '../parts/page.tsx';
import { api, sentenceOf } from '../queries.ts';
import { sessionEnded } from '../session.ts';
import { fullTime, relative, useNow } from '../time/times.ts';

/** The sessions of this client. The user can end one session, or all. */
export function Sessions({ keys }: { keys: Key[] }) {
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: () => api.listSessions() });
  return (
    <Card title="Sessions" padded={false} aside={<Everywhere />}>
      <Asked query={sessions} height={120}>
        {({ items }) => <Table items={items} keys={keys} />}
      </Asked>
    </Card>
  );
}

function Everywhere() {
  const [isAsked, setAsked] = useState(false);
  const end = useMutation({
    mutationFn: () => api.signOut({ all: 'true' }),
    onSuccess: () => {
      setAsked(false);
      forgetDrafts();
      sessionEnded.set(true);
    },
    onError: error => notifications.show({ message: sentenceOf(error), color: 'red' }),
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsked(true)}>
        Sign out everywhere
      </Button>
      <Confirm
        opened={isAsked}
        title="Sign out everywhere?"
        action="End all sessions"
        isBusy={end.isPending}
        onClose={() => setAsked(false)}
        onConfirm={() => end.mutate()}
      >
        All sessions of this client end, yours too. Keys stay as they are.
      </Confirm>
    </>
  );
}

function Table({ items, keys }: { items: ListedSession[]; keys: Key[] }) {
  const now = useNow();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: (id: string) => api.endSession(id),
    onError: error => notifications.show({ message: sentenceOf(error), color: 'red' }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const nameOf = (keyId: string) => keys.find(({ id }) => id === keyId)?.name ?? keyId;
  return (
    <table className="rows">
      <thead>
        <tr>
          <th>Key</th>
          <th>Began</th>
          <th>Used</th>
          <th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, keyId, createdAt, lastUsedAt, isCurrent }) => (
          <tr key={id}>
            <td className="grow">
              <Text size="sm" className="wrap">
                {nameOf(keyId)}
                {isCurrent && (
                  <Text span size="sm" className="muted">
                    {' '}
                    · this one
                  </Text>
                )}
              </Text>
            </td>
            <td className="numbers" data-label="Began">
              <Text size="sm" span style={{ whiteSpace: 'nowrap' }}>
                {fullTime(createdAt)}
              </Text>
            </td>
            <td data-label="Used">
              <Text size="sm" span style={{ whiteSpace: 'nowrap' }}>
                {relative(lastUsedAt, now)}
              </Text>
            </td>
            <td>
              {!isCurrent && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`End the session of ${fullTime(createdAt)}`}
                  loading={end.isPending && end.variables === id}
                  onClick={() => end.mutate(id)}
                >
                  End
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
