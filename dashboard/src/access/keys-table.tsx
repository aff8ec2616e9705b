import { Button, Checkbox, Code, Text, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Key } from '@punctual/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { api, sentenceOf } from '../queries.ts';
import { fullTime } from '../time/times.ts';

const WITHOUT_NAME = 'Unnamed key';

/** @param own the key that the session began with */
export function KeysTable({ items, own }: { items: Key[]; own: string | undefined }) {
  const [asked, setAsked] = useState<Key | null>(null);
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
            <Row key={key.id} one={key} all={items} own={own} onRevoke={() => setAsked(key)} />
          ))}
        </tbody>
      </table>
      {asked && <Revoke one={asked} all={items} own={own} onClose={() => setAsked(null)} />}
    </>
  );
}

interface OneOfAll {
  one: Key;
  all: Key[];
  own: string | undefined;
}

function Row({ one, all, own, onRevoke }: OneOfAll & { onRevoke: () => void }) {
  const maker = all.find(({ id }) => id === one.createdBy);
  return (
    <tr>
      <td className="grow">
        <Text size="sm" fw={550} className="clip">
          {one.name ?? WITHOUT_NAME}
          {one.id === own && <Aside text="you signed in with it" />}
          {maker && <Aside text={`made with ${maker.name ?? maker.id}`} />}
        </Text>
      </td>
      <td>
        <Code style={{ whiteSpace: 'nowrap' }}>{one.id}</Code>
      </td>
      <td className="numbers" data-label="Made">
        <Text size="sm" span style={{ whiteSpace: 'nowrap' }}>
          {fullTime(one.createdAt)}
        </Text>
      </td>
      <td>
        <Text size="sm" className={`status tone-${one.revokedAt ? 'bad' : 'ok'}`}>
          {one.revokedAt ? 'revoked' : 'valid'}
        </Text>
      </td>
      <td>
        {(one.revokedAt === undefined || descendantsOf(one, all).length > 0) && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Revoke ${one.name ?? one.id}`}
            onClick={onRevoke}
          >
            Revoke
          </Button>
        )}
      </td>
    </tr>
  );
}

function Aside({ text }: { text: string }) {
  return (
    <Text span size="sm" fw={400} className="muted">
      {' '}
      · {text}
    </Text>
  );
}

function Revoke({ one, all, own, onClose }: OneOfAll & { onClose: () => void }) {
  const descendants = descendantsOf(one, all);
  const [isWithAll, setWithAll] = useState(one.revokedAt !== undefined);
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => api.revokeKey(one.id, isWithAll ? { descendants: 'true' } : {}),
    onSuccess: () => {
      onClose();
      for (const name of ['keys', 'sessions']) {
        void queries.invalidateQueries({ queryKey: [name] });
      }
      const message = isWithAll
        ? 'The keys are revoked. They stop working within 5 seconds.'
        : 'The key is revoked. It stops working within 5 seconds.';
      notifications.show({ message, color: 'green' });
    },
    onError: error => notifications.show({ message: sentenceOf(error), color: 'red' }),
  });
  const isOwn = one.id === own || (isWithAll && descendants.some(({ id }) => id === own));
  return (
    <Confirm
      opened
      title={`Revoke ${one.name ?? 'this key'}?`}
      action="Revoke"
      isBusy={revoke.isPending}
      onClose={onClose}
      onConfirm={() => revoke.mutate()}
      more={
        descendants.length > 0 && (
          <Checkbox
            label={`Also revoke all keys made with it: ${namesOf(descendants)}`}
            checked={isWithAll}
            disabled={one.revokedAt !== undefined}
            onChange={event => setWithAll(event.currentTarget.checked)}
          />
        )
      }
    >
      {isOwn
        ? 'You signed in with this key: your session ends with it. Programs that use it stop working within 5 seconds.'
        : 'Programs that use it stop working within 5 seconds. You cannot restore it.'}
    </Confirm>
  );
}

/** The valid keys that came of it: made with it, with these, and so on. */
function descendantsOf({ id }: Key, all: Key[]): Key[] {
  const made = all.filter(({ createdBy }) => createdBy === id);
  return made.flatMap(key => [
    ...(key.revokedAt === undefined ? [key] : []),
    ...descendantsOf(key, all),
  ]);
}

function namesOf(keys: Key[]): string {
  return keys.map(({ name }) => name ?? WITHOUT_NAME).join(', ');
}
