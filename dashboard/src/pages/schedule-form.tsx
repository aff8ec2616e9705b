import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { Schedule, TaggedSchedule } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { asStored } from '../form/as-stored.ts';
import { checkableOf, type Draft, draftOf, inputOf, newDraft, withRequest } from '../form/draft.ts';
import { draftProblems } from '../form/draft-problems.ts';
import { EditEffect } from '../form/edit-effect.tsx';
import { RequestCard } from '../form/rendered-request.tsx';
import { Fields } from '../form/schedule-fields.tsx';
import { TryBox } from '../form/try-box.tsx';
import { problemsIn, useCheck } from '../form/use-check.ts';
import { useDraft } from '../form/use-draft.ts';
import { useSave } from '../form/use-save.ts';
import { WhenItFires } from '../form/when-it-fires.tsx';
import { Asked, Card, Failed, Page } from '../parts/page.tsx';
import { PasteBox } from '../paste/paste-box.tsx';
import { api } from '../queries.ts';
import { nameOf } from '../schedule/schedule-name.ts';
import { ShowAs } from '../schedule-text/show-as.tsx';
import { READER_ZONE } from '../time/times.ts';
import { ConflictBox } from '../version/conflict.tsx';
import { changedFields, conflictsOf, merged } from '../version/merge.ts';

const LIST = { href: '/schedules', name: 'Schedules' };

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
    <Page name={name} up={LIST}>
      <Asked query={found} up={LIST}>
        {() => null}
      </Asked>
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
  // An external id names one schedule.
  return {
    ...draft,
    integrations,
    externalId: '',
    label: `Copy of ${nameOf(schedule)}`.slice(0, 500),
  };
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
  const shaped = checkableOf(draft, own);
  const checkable = stored ? asStored(shaped, stored.schedule) : shaped;
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
  const formId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    setSendings(count => count + 1);
    if (own.length > 0 || conflicts.length > 0) return;
    save.mutate({
      draft,
      stored,
      isMine: newest =>
        base !== undefined && conflictsOf(base, draft, draftOf(newest)).length === 0,
    });
  };
  useEffect(() => {
    if (sendings === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [sendings]);
  return (
    <Page
      name={name}
      up={stored ? { href: `/schedules/${id}`, name: nameOf(stored.schedule) } : LIST}
    >
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
      <div className="form-and-preview">
        <div>
          <form id={formId} ref={form} onSubmit={submit} noValidate>
            <Stack gap="md">
              {id === null && (
                <Card>
                  <PasteBox onRead={pasted => edit(withRequest(draft, pasted))} />
                </Card>
              )}
              <Card>
                <Fields id={id} draft={draft} set={edit} problems={problems} />
              </Card>
              {check.error && <Failed error={check.error} />}
              {save.error && <Failed error={save.error} />}
              {stored && <EditEffect schedule={stored.schedule} edited={shaped} />}
            </Stack>
          </form>
        </div>
        <div>
          <Stack gap="md">
            <WhenItFires
              draft={draft}
              check={check.data}
              {...(stored && { stored: stored.schedule })}
            />
            <RequestCard
              isTemplate={draft.template === true}
              hasDestination={draft.destination !== ''}
              request={check.data?.request}
            />
            <TryBox input={inputOf(draft)} />
          </Stack>
        </div>
        <Group justify="flex-end">
          <Button
            variant="default"
            component={Link}
            href={id === null ? '/schedules' : `/schedules/${id}`}
            onClick={forget}
          >
            Cancel
          </Button>
          <ShowAs input={inputOf(draft)} />
          <Button type="submit" form={formId} loading={save.isPending}>
            {id === null ? 'Create schedule' : 'Save changes'}
          </Button>
        </Group>
      </div>
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
