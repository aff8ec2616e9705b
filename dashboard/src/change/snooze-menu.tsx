import { Button, Group, Menu, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { InstantField } from '../inputs/instant-field.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { READER_ZONE, shortTime } from '../time/times.ts';
import { tomorrowMorning } from '../time/zone-local.ts';
import { type Snooze, useSnooze } from './actions.ts';

const HOUR_MS = 3_600_000;

interface SnoozeProps {
  of: Snooze['of'];
  /** In which tomorrow begins; the reader's for many schedules. */
  timezone?: string;
  /** Of the one schedule, if it is paused until then. */
  pausedUntil?: string | undefined;
  done?: (() => void) | undefined;
  /** Does it another way, such as for all that match a filter. */
  onChosen?: (until: string | null) => void;
}

/** Pauses schedules for a while, or wakes them up. */
export function SnoozeMenu({
  size = 'sm',
  name = 'Snooze',
  ...props
}: SnoozeProps & { size?: 'xs' | 'sm'; name?: string }) {
  const snoozing = useSnoozing(props);
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button size={size} variant="default" loading={snoozing.isBusy}>
            {name}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <SnoozeItems snoozing={snoozing} />
        </Menu.Dropdown>
      </Menu>
      {snoozing.dialog}
    </>
  );
}

/** The state of a menu to snooze with: it outlives the menu, which closes as soon as one has chosen. */
export function useSnoozing({
  of,
  timezone = READER_ZONE,
  pausedUntil,
  done,
  onChosen,
}: SnoozeProps) {
  const snooze = useSnooze();
  const [isAsking, setAsking] = useState(false);
  const until = (at: string | null) => {
    const onSuccess = () => {
      setAsking(false);
      done?.();
    };
    if (onChosen === undefined) snooze.mutate({ of, until: at }, { onSuccess });
    else {
      onSuccess();
      onChosen(at);
    }
  };
  const isOne = 'ids' in of && of.ids.length === 1;
  const isSnoozed = pausedUntil !== undefined && Date.parse(pausedUntil) > Date.now();
  return {
    timezone,
    canWake: isSnoozed || !isOne,
    isBusy: snooze.isPending,
    until,
    ask: () => setAsking(true),
    dialog: (
      <SnoozeUntil
        opened={isAsking}
        timezone={timezone}
        isBusy={snooze.isPending}
        onClose={() => setAsking(false)}
        onChosen={until}
      />
    ),
  };
}

/** The choices, also within a menu of more actions. */
export function SnoozeItems({ snoozing }: { snoozing: ReturnType<typeof useSnoozing> }) {
  const { timezone, canWake, until, ask } = snoozing;
  const tomorrow = tomorrowMorning(Date.now(), timezone);
  return (
    <>
      {canWake && <Menu.Item onClick={() => until(null)}>Wake up</Menu.Item>}
      <Menu.Item onClick={() => until(new Date(Date.now() + HOUR_MS).toISOString())}>
        Snooze for 1 hour
      </Menu.Item>
      <Menu.Item onClick={() => until(tomorrow)}>
        Snooze until {shortTime(tomorrow, timezone).replace(/:00$/, '')}
        {timezone !== READER_ZONE && ` in ${timezone}`}
      </Menu.Item>
      <Menu.Item onClick={ask}>Snooze until…</Menu.Item>
    </>
  );
}

function SnoozeUntil({
  opened,
  timezone,
  isBusy,
  onChosen,
  onClose,
}: {
  opened: boolean;
  timezone: string;
  isBusy: boolean;
  onChosen: (at: string) => void;
  onClose: () => void;
}) {
  const [at, setAt] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (at !== '') onChosen(at);
  };
  return (
    <Dialog opened={opened} onClose={onClose} title="Snooze until">
      <form onSubmit={submit}>
        <Stack>
          <InstantField
            label="It goes on at"
            description={`In ${timezone}. Times before it are not caught up.`}
            timezone={timezone}
            value={at}
            onChange={setAt}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={at === ''}>
              Snooze
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
