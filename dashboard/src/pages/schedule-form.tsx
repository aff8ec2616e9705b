import { Alert, Anchor, Button, Grid, Group, Stack, Text } from '@mantine/core';
import type { Schedule, TaggedSchedule } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { checkableOf, type Draft, draftOf, inputOf, newDraft, withCurl } from '../draft.ts';
import { draftProblems } from '../draft-problems.ts';
import { changedFields, conflictsOf, merged } from '../merge.ts';
import { ConflictBox } from '../parts/conflict.tsx';
import { CurlBox } from '../parts/curl-box.tsx';
import { Asked, Card, Failed, Page } from '../parts/page.tsx';
import { Fields } from '../parts/schedule-fields.tsx';
import { TryBox } from '../parts/try-box.tsx';
import { WhenItFires } from '../parts/when-it-fires.tsx';
import { api } from '../queries.ts';
import { nameOf } from '../schedule-name.ts';
import { READER_ZONE } from '../times.ts';
import { problemsIn, useCheck } from '../use-check.ts';
import { useDraft } from '../use-draft.ts';
import { useSave } from '../use-save.ts';

/** @param id the schedule that is edited; null makes a new one, of the one that `from` names */
export function ScheduleForm({ id }: { id: string | null }) {
  const [search] = useSearchParams();
  const source = id ?? search.get('from');
  const found = useQuery({
    queryKey: ['schedule', source, 'tagged'],
    queryFn: () => api.getTaggedSchedule(source!),
    // An edit begins with what is stored, and not with what was when one looked last.
    gcTime: 0,
    enabled: source !== null,
  });
  const name = id === null ? 'New schedule' : 'Edit schedule';
  if (source === null)
    return <Form key="new" id={null} name={name} start={newDraft(READER_ZONE)} />;
  return found.data === undefined ? (
    <Page name={name}>
      <Asked query={found}>{() => null}</Asked>
    </Page>
  ) : (
    <Form
      key={source}
      id={id}
      name={name}
      start={id === null ? cloned(found.data.schedule) : draftOf(found.data.schedule)}
      {...(id !== null && { stored: found.data })}
    />
  );
}

function cloned(schedule: Schedule): Draft {
  const draft = draftOf(schedule);
  const integrations = draft.integrations.map(({ id: _, ...same }) => same);
  return { ...draft, integrations, label: `Copy of ${nameOf(schedule)}`.slice(0, 500) };
}

function Form({
  id,
  name,
  start,
  stored,
}: {
  id: string | null;
  name: string;
  start: Draft;
  stored?: TaggedSchedule;
}) {
  const { draft, base, isKept, set, rebase, adopt, beginAnew, forget, closeNote } = useDraft(
    id,
    start,
    stored,
  );
  const [wasSent, setWasSent] = useState(false);
  const [sendings, setSendings] = useState(0);
  const own = draftProblems(draft);
  const checkable = checkableOf(draft, own);
  const check = useCheck(checkable);
  const problems = [...own, ...problemsIn(checkable, check.data, wasSent)];
  const save = useSave(id, forget);
  const theirs = stored && draftOf(stored.schedule);
  const conflicts = base && theirs ? conflictsOf(base, draft, theirs) : [];
  const edit = (change: Partial<Draft>) => {
    // A refusal is of what was sent, and no more of what stands there now.
    save.reset();
    set(change);
  };
  const isUntouched = base !== undefined && changedFields(base, draft).length === 0;
  useEffect(() => {
    // If the user typed nothing, the form shows the stored schedule.
    if (isUntouched && conflicts.length > 0 && theirs !== undefined) adopt(theirs);
  });
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    setSendings(count => count + 1);
    if (own.length > 0 || conflicts.length > 0) return;
    save.mutate({
      input: inputOf(draft),
      etag: stored?.etag,
      isMine: newest =>
        base !== undefined && conflictsOf(base, draft, draftOf(newest)).length === 0,
    });
  };
  useEffect(() => {
    if (sendings === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [sendings]);
  return (
    <Page name={name}>
      {isKept && <KeptNote onClose={closeNote} onBeginAnew={beginAnew} />}
      {base && theirs && !isUntouched && conflicts.length > 0 && (
        <ConflictBox
          conflicts={conflicts}
          base={base}
          mine={draft}
          theirs={theirs}
          askedAgain={sendings}
          onResolved={taken => {
            save.reset();
            rebase(merged(draft, theirs, taken), theirs);
          }}
        />
      )}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <form ref={form} onSubmit={submit} noValidate>
            <Stack gap="md">
              {id === null && (
                <Card>
                  <CurlBox onRead={fields => edit(withCurl(draft, fields))} />
                </Card>
              )}
              <Card>
                <Fields draft={draft} set={edit} problems={problems} />
              </Card>
              {check.error && <Failed error={check.error} />}
              {save.error && <Failed error={save.error} />}
              <Group justify="flex-end">
                <Button
                  variant="default"
                  component={Link}
                  href={id === null ? '/schedules' : `/schedules/${id}`}
                  onClick={forget}
                >
                  Cancel
                </Button>
                <Button type="submit" loading={save.isPending}>
                  {id === null ? 'Create schedule' : 'Save changes'}
                </Button>
              </Group>
            </Stack>
          </form>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <WhenItFires
              draft={draft}
              check={check.data}
              {...(stored && { stored: stored.schedule })}
            />
            <TryBox input={inputOf(draft)} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function KeptNote({ onClose, onBeginAnew }: { onClose: () => void; onBeginAnew: () => void }) {
  return (
    <Alert
      variant="outline"
      color="gray"
      withCloseButton
      closeButtonLabel="Close this note"
      onClose={onClose}
    >
      <Group gap="xs">
        <Text size="sm">What you typed before is here again.</Text>
        <Anchor component="button" type="button" size="sm" underline="always" onClick={onBeginAnew}>
          Begin anew
        </Anchor>
      </Group>
    </Alert>
  );
}
