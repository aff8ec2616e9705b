import {
  ActionIcon,
  Button,
  Checkbox,
  Code,
  Group,
  Menu,
  NativeSelect,
  Text,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { Schedule, ScheduleQuery } from '@punctual/client';
import { IconDots, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { inWords } from '../interval-words.ts';
import { useDelete, useRunNow, useSetStatus } from '../parts/actions.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { Pager, usePages } from '../parts/pager.tsx';
import { Status } from '../parts/status.tsx';
import { api } from '../queries.ts';
import { nameOf } from './overview.tsx';

const PAGE_SIZE = 50;

export function Schedules() {
  const [search, setSearch] = useSearchParams();
  const filter = filterFrom(search);
  const key = search.toString();
  const pages = usePages(key);
  const [picked, setPicked] = useState(new Set<string>());
  const list = useQuery({
    queryKey: ['schedules', key, pages.cursor],
    queryFn: () =>
      api.listSchedules({
        ...filter,
        limit: PAGE_SIZE,
        ...(pages.cursor && { cursor: pages.cursor }),
      }),
    placeholderData: keepPreviousData,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other rows
  useEffect(() => setPicked(new Set()), [key, pages.cursor]);
  return (
    <Page
      name="Schedules"
      actions={
        <Button component={Link} href="/schedules/new">
          New schedule
        </Button>
      }
    >
      <Card padded={false}>
        <Toolbar search={search} setSearch={setSearch} />
        {picked.size > 0 && <Bulk ids={[...picked]} done={() => setPicked(new Set())} />}
        <Asked query={list} height={320}>
          {({ items, nextCursor }) => (
            <>
              {items.length === 0 ? (
                <NothingFound isFiltered={key !== ''} />
              ) : (
                <Table items={items} picked={picked} setPicked={setPicked} />
              )}
              <Pager pages={pages} nextCursor={nextCursor} />
            </>
          )}
        </Asked>
      </Card>
    </Page>
  );
}

function filterFrom(search: URLSearchParams): ScheduleQuery {
  const [label, url, status] = ['label', 'url', 'status'].map(name => search.get(name));
  return {
    ...(label && { label }),
    ...(url && { url }),
    ...(status && { status: status as 'enabled' | 'disabled' | 'deleted' }),
  };
}

type SetSearch = ReturnType<typeof useSearchParams>[1];

function Toolbar({ search, setSearch }: { search: URLSearchParams; setSearch: SetSearch }) {
  const set = (name: string, value: string) => {
    setSearch(
      before => {
        const after = new URLSearchParams(before);
        if (value === '') after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  };
  return (
    <Group p="sm" gap="sm" role="search">
      <Find label="Label" value={search.get('label') ?? ''} onFind={text => set('label', text)} />
      <Find label="Url" value={search.get('url') ?? ''} onFind={text => set('url', text)} />
      <NativeSelect
        aria-label="Status"
        value={search.get('status') ?? ''}
        onChange={event => set('status', event.currentTarget.value)}
        data={[
          { value: '', label: 'Enabled and paused' },
          { value: 'enabled', label: 'Enabled' },
          { value: 'disabled', label: 'Paused' },
          { value: 'deleted', label: 'Deleted' },
        ]}
      />
    </Group>
  );
}

/** Asks when the typing rests. */
function Find({
  label,
  value,
  onFind,
}: {
  label: string;
  value: string;
  onFind: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const [rested] = useDebouncedValue(text, 250);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed asks
  useEffect(() => {
    if (rested !== value) onFind(rested);
  }, [rested]);
  return (
    <TextInput
      type="search"
      aria-label={`${label} contains`}
      placeholder={`${label} contains…`}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={event => setText(event.currentTarget.value)}
      style={{ flex: '1 1 180px' }}
    />
  );
}

function NothingFound({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No schedule matches">Search for less, or for another status.</Empty>
  ) : (
    <Empty title="There are no schedules yet">
      Make one here, or over the API. A cURL command can be pasted.
    </Empty>
  );
}

function Table({
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
              onChange={() => setPicked(new Set(isAll ? [] : pickable.map(({ id }) => id)))}
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
          {verb} {url}
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

function Bulk({ ids, done }: { ids: string[]; done: () => void }) {
  const pause = useSetStatus('disabled');
  const resume = useSetStatus('enabled');
  const remove = useDelete();
  const [isAsking, setAsking] = useState(false);
  const then = { onSuccess: done };
  return (
    <Group px="sm" pb="sm" gap="xs" role="toolbar" aria-label="For the picked schedules">
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
