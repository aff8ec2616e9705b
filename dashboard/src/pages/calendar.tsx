import { Alert, Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Calendar } from '@punctual/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  calendarDraftOf,
  calendarInputOf,
  calendarProblems,
  newCalendarDraft,
} from '../calendar/calendar-draft.ts';
import { CalendarEntries } from '../calendar/calendar-entries.tsx';
import { CalendarFields } from '../calendar/calendar-fields.tsx';
import { calendarNamesQuery } from '../calendar/calendar-queries.ts';
import { DeleteNamed, showRefusal } from '../named/delete-named.tsx';
import { NamedForm, NamedPage, useNamedForm } from '../named/named-page.tsx';
import { Page } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { shortTime } from '../time/times.ts';

/** @param name null makes a new one */
export function OneCalendar({ name }: { name: string | null }) {
  return (
    <NamedPage
      kind="calendar"
      name={name}
      find={each => api.getCalendar(each)}
      form={CalendarForm}
    />
  );
}

function CalendarForm({ stored }: { stored: Calendar | null }) {
  const { data: names = [] } = useQuery({ ...calendarNamesQuery, enabled: stored === null });
  const form = useNamedForm({
    kind: 'calendar',
    stored,
    begin: () => (stored === null ? newCalendarDraft() : calendarDraftOf(stored)),
    problemsOf: draft => calendarProblems(draft, stored === null ? names : []),
    put: draft => api.putCalendar(draft.name, calendarInputOf(draft)),
    onStored: useRefreshed(),
  });
  return (
    <Page
      name={stored?.name ?? 'New calendar'}
      up={{ href: '/calendars', name: 'Calendars' }}
      actions={stored && <Actions calendar={stored} />}
    >
      {stored && <Stale calendar={stored} />}
      <NamedForm kind="calendar" form={form} fields={<CalendarFields {...form} stored={stored} />}>
        <CalendarEntries calendar={stored} />
      </NamedForm>
    </Page>
  );
}

function Stale({ calendar: { staleSince, fault } }: { calendar: Calendar }) {
  if (staleSince === undefined) return null;
  return (
    <Alert color="orange" variant="outline" title="Its source cannot be read">
      <Text size="sm" className="wrap">
        Since {shortTime(staleSince)}, your time. The last good version counts until then. {fault}
      </Text>
    </Alert>
  );
}

/** Schedules that exclude it fire at other times now. */
function useRefreshed() {
  const queries = useQueryClient();
  return (calendar: Calendar) => {
    queries.setQueryData(['calendar', calendar.name], calendar);
    for (const name of ['calendars', 'next', 'forecast', 'check', 'explain']) {
      void queries.invalidateQueries({ queryKey: [name] });
    }
  };
}

function Actions({ calendar }: { calendar: Calendar }) {
  const refreshed = useRefreshed();
  const refresh = useMutation({
    mutationFn: () => api.refreshCalendar(calendar.name),
    onSuccess: anew => {
      refreshed(anew);
      if (anew.staleSince !== undefined) return;
      notifications.show({ message: 'The calendar was read again.', color: 'green' });
    },
    onError: showRefusal,
  });
  return (
    <>
      {calendar.url !== undefined && (
        <Button variant="default" loading={refresh.isPending} onClick={() => refresh.mutate()}>
          Read it again
        </Button>
      )}
      <DeleteNamed
        kind="calendar"
        resource={calendar}
        verb="exclude"
        loss="It cannot be brought back."
        remove={name => api.deleteCalendar(name)}
      />
    </>
  );
}
