import { Stack } from '@mantine/core';
import type { Destination } from '@punctual/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type DestinationDraft,
  destinationDraftOf,
  destinationInputOf,
  newDestinationDraft,
} from '../destination/destination-draft.ts';
import { DestinationFields } from '../destination/destination-fields.tsx';
import { destinationProblems, problemsNamedIn } from '../destination/destination-problems.ts';
import { destinationsQuery } from '../destination/destination-queries.ts';
import { DestinationTest } from '../destination/destination-test.tsx';
import { DeleteNamed } from '../named/delete-named.tsx';
import { NamedForm, NamedPage, useNamedForm } from '../named/named-page.tsx';
import { Facts } from '../parts/facts.tsx';
import { schedulesText } from '../parts/numbers.ts';
import { Card, Page } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { fullTime } from '../time/times.ts';

/** @param name null makes a new one */
export function OneDestination({ name }: { name: string | null }) {
  return (
    <NamedPage
      kind="destination"
      name={name}
      find={each => api.getDestination(each)}
      form={DestinationForm}
    />
  );
}

function DestinationForm({ stored }: { stored: Destination | null }) {
  const queries = useQueryClient();
  const { data: names = [] } = useQuery({
    ...destinationsQuery,
    select: items => items.map(({ name }) => name),
    enabled: stored === null,
  });
  const form = useNamedForm({
    kind: 'destination',
    stored,
    begin: () => (stored === null ? newDestinationDraft() : destinationDraftOf(stored)),
    problemsOf: draft => destinationProblems(draft, stored, stored === null ? names : []),
    refusedAt: problemsNamedIn,
    put: draft => api.putDestination(draft.name, destinationInputOf(draft)),
    onStored: destination => {
      queries.setQueryData(['destination', destination.name], destination);
      void queries.invalidateQueries({ queryKey: ['destinations'] });
    },
  });
  return (
    <Page
      name={stored?.name ?? 'New destination'}
      up={{ href: '/destinations', name: 'Destinations' }}
      actions={
        stored && (
          <DeleteNamed
            kind="destination"
            resource={stored}
            verb="name"
            loss="Its secrets are gone with it, and cannot be brought back."
            remove={name => api.deleteDestination(name)}
          />
        )
      }
    >
      <NamedForm
        kind="destination"
        form={form}
        fields={<DestinationFields {...form} stored={stored} />}
      >
        <Stack gap="md">
          <DestinationTest
            stored={stored}
            isChanged={stored !== null && isEdited(form.draft, stored)}
          />
          {stored && <Known destination={stored} />}
        </Stack>
      </NamedForm>
    </Page>
  );
}

function isEdited(draft: DestinationDraft, stored: Destination): boolean {
  return JSON.stringify(draft) !== JSON.stringify(destinationDraftOf(stored));
}

function Known({ destination: { usedBy, createdAt, updatedAt } }: { destination: Destination }) {
  return (
    <Card>
      <Facts
        facts={[
          ['Used by', schedulesText(usedBy)],
          ['Made', fullTime(createdAt)],
          ['Changed', updatedAt && fullTime(updatedAt)],
        ]}
      />
    </Card>
  );
}
