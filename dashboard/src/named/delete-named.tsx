import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Confirm } from '../parts/confirm.tsx';
import { schedulesText } from '../parts/numbers.ts';
import { sentenceOf } from '../queries.ts';
import type { NamedResource, ResourceKind } from './named-resource.ts';

/** The button that deletes a resource: it asks before, and says who still uses it. */
export function DeleteNamed({
  kind,
  resource: { name, usedBy },
  verb,
  loss,
  remove: send,
}: {
  kind: ResourceKind;
  resource: NamedResource;
  /** How a schedule refers to it, as of many schedules. */
  verb: 'name' | 'exclude';
  /** Says what is lost with it. */
  loss: string;
  remove: (name: string) => Promise<unknown>;
}) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => send(name),
    onSuccess: () => {
      notifications.show({ message: `The ${kind} was deleted.`, color: 'green' });
      void queries.invalidateQueries({ queryKey: [`${kind}s`] });
      go(`/${kind}s`);
    },
    onError: showRefusal,
    onSettled: () => setAsking(false),
  });
  return (
    <>
      <Button variant="outline" color="red" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Confirm
        opened={isAsking}
        title={`Delete ${name}?`}
        action="Delete"
        isBusy={remove.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate()}
      >
        {usedBy > 0
          ? `It is in use: ${schedulesText(usedBy)} ${usedBy === 1 ? `${verb}s` : verb} it. Take it out of them first; until then it cannot be deleted.`
          : `No schedule ${verb}s it. ${loss}`}
      </Confirm>
    </>
  );
}

export function showRefusal(error: unknown): void {
  notifications.show({ message: sentenceOf(error), color: 'red', autoClose: 10_000 });
}
