import {
  ActionIcon,
  Button,
  Checkbox,
  Code,
  Group,
  Menu,
  Text,
  VisuallyHidden,
} from '@mantine/core';
import type { Schedule } from '@punctual/client';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { inWords } from '../interval-words.ts';
import { nameOf, withMarks } from '../schedule-name.ts';
import { useDelete, useRunNow, useSetStatus } from './actions.ts';
import { Confirm } from './confirm.tsx';
import { Status } from './status.tsx';

/** Schedules, each with its actions, to be picked for those that take many. */
export function SchedulesTable({
  items,
  picked,
  setPicked,
}: {
  items: Schedule[];
  picked: Set<string>;
  setPicked: (picked: Set<string>) => void;
}) {
  const pickable = items.filter(({ status }) => status !== 'deleted');
  const isAll = pickable.length > 0 && pickable.every(({ id }) => picked.has(id));
  const pick = (id: string, isPicked: boolean) => {
    const next = new Set(picked);
    if (isPicked) next.add(id);
    else next.delete(id);
    setPicked(next);
  };
  return (
    <table className="rows">
      <thead>
        <tr>
          <th>
            <Checkbox
              aria-label="Pick all of this page"
              checked={isAll}
              indeterminate={picked.size > 0 && !isAll}
              onChange={() => {
                const these = new Set(pickable.map(({ id }) => id));
                setPicked(isAll ? picked.difference(these) : picked.union(these));
              }}
            />
          </th>
          <th>Schedule</th>
          <th>Interval</th>
          <th>Status</th>
          <th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(schedule => (
          <Row
            key={schedule.id}
            schedule={schedule}
            isPicked={picked.has(schedule.id)}
            onPick={isPicked => pick(schedule.id, isPicked)}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  schedule,
  isPicked,
  onPick,
}: {
  schedule: Schedule;
  isPicked: boolean;
  onPick: (isPicked: boolean) => void;
}) {
  const { id, url, verb, interval, timezone, status } = schedule;
  const name = nameOf(schedule);
  const words = inWords(interval);
  return (
    <tr data-selected={isPicked || undefined}>
      <td className="pick">
        <Checkbox
          aria-label={`Pick ${name}`}
          checked={isPicked}
          disabled={status === 'deleted'}
          onChange={event => onPick(event.currentTarget.checked)}
        />
      </td>
      <td className="grow">
        <div className="clip" title={name}>
          <Link href={`/schedules/${id}`} className="link">
            {name}
          </Link>
        </div>
        <Text size="sm" className="clip muted" title={url}>
          {verb} {withMarks(url)}
        </Text>
      </td>
      <td className="line">
        <Code>{interval}</Code>
        <Text size="xs" className="muted clip" maw={280} title={`${words ?? ''} ${timezone}`}>
          {words === null ? timezone : `${words}, ${timezone}`}
        </Text>
      </td>
      <td>
        <Text size="sm">
          <Status of={status} />
        </Text>
      </td>
      <td className="corner">{status !== 'deleted' && <RowMenu schedule={schedule} />}</td>
    </tr>
  );
}

function RowMenu({ schedule }: { schedule: Schedule }) {
  const { id, status } = schedule;
  const runNow = useRunNow();
  const next = status === 'enabled' ? 'disabled' : 'enabled';
  const setStatus = useSetStatus(next);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${nameOf(schedule)}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => runNow.mutate([id])}>Run now</Menu.Item>
        <Menu.Item onClick={() => setStatus.mutate([id])}>
          {next === 'enabled' ? 'Resume' : 'Pause'}
        </Menu.Item>
        <Menu.Item component={Link} href={`/schedules/${id}/edit`}>
          Edit
        </Menu.Item>
        <Menu.Item component={Link} href={`/schedules/new?from=${id}`}>
          Clone
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The actions on all picked schedules. */
export function ForPicked({ ids, done }: { ids: string[]; done: () => void }) {
  const pause = useSetStatus('disabled');
  const resume = useSetStatus('enabled');
  const remove = useDelete();
  const [isAsking, setAsking] = useState(false);
  const then = { onSuccess: done };
  return (
    <Group className="picked" p="sm" gap="xs" role="toolbar" aria-label="For the picked schedules">
      <Text size="sm" fw={600} className="numbers" mr="xs">
        {ids.length} picked
      </Text>
      <Button
        size="xs"
        variant="default"
        loading={pause.isPending}
        onClick={() => pause.mutate(ids, then)}
      >
        Pause
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={resume.isPending}
        onClick={() => resume.mutate(ids, then)}
      >
        Resume
      </Button>
      <Button size="xs" variant="outline" color="red" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Button size="xs" px={4} variant="subtle" onClick={done}>
        Pick none
      </Button>
      <Confirm
        opened={isAsking}
        title={`Delete ${ids.length} ${ids.length === 1 ? 'schedule' : 'schedules'}?`}
        action="Delete"
        isBusy={remove.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          remove.mutate(ids, {
            onSuccess: () => {
              setAsking(false);
              done();
            },
          })
        }
      >
        They never fire again, and cannot be brought back. Their history is kept.
      </Confirm>
    </Group>
  );
}
