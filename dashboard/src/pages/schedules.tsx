import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { SchedulePage, ScheduleQuery } from '@punctual/client';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { HeldList, useHeld } from '../parts/held.tsx';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { Pager, usePages, withoutPage } from '../parts/pager.tsx';
import { ForPicked, SchedulesTable } from '../parts/schedules-table.tsx';
import { api } from '../queries.ts';

const PAGE_SIZE = 50;
const NONE: Set<string> = new Set();

export function Schedules() {
  const [search, setSearch] = useSearchParams();
  const filter = filterFrom(search);
  const key = withoutPage(search).toString();
  const pages = usePages();
  const [{ pickedOf, picked }, setPicks] = useState({ pickedOf: key, picked: NONE });
  // Picks survive a change of page, but not a change of filter.
  if (pickedOf !== key) setPicks({ pickedOf: key, picked: NONE });
  const setPicked = (next: Set<string>) => setPicks({ pickedOf: key, picked: next });
  const list = useQuery({
    queryKey: ['schedules', key, pages.cursor],
    queryFn: () =>
      find({ ...filter, limit: PAGE_SIZE, ...(pages.cursor && { cursor: pages.cursor }) }),
    placeholderData: keepPreviousData,
  });
  const held = useHeld({
    key: `${key} ${pages.cursor}`,
    items: list.isPlaceholderData ? undefined : list.data?.items,
    isWhole: list.data?.nextCursor === undefined,
    orderOf: ({ id }) => id,
    isBusy: picked.size > 0,
  });
  const shown = list.isPlaceholderData ? (list.data?.items ?? []) : held.rows;
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
        <Asked query={list} height={320}>
          {({ nextCursor }) => (
            <HeldList held={held}>
              {shown.length === 0 ? (
                <NothingFound isFiltered={key !== ''} />
              ) : (
                <SchedulesTable items={shown} picked={picked} setPicked={setPicked} />
              )}
              <Pager pages={pages} nextCursor={nextCursor} />
            </HeldList>
          )}
        </Asked>
        {picked.size > 0 && <ForPicked ids={[...picked]} done={() => setPicked(NONE)} />}
      </Card>
    </Page>
  );
}

/** A search among very many may stop before it has found any: it goes on by itself. */
async function find(query: ScheduleQuery): Promise<SchedulePage> {
  const { items, nextCursor } = await api.listSchedules(query);
  const isEnd = items.length > 0 || nextCursor === undefined;
  return isEnd
    ? { items, ...(nextCursor && { nextCursor }) }
    : find({ ...query, cursor: nextCursor });
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
        const after = withoutPage(before);
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
