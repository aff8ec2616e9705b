import { Button, Stack } from '@mantine/core';
import type { HealthPage, HealthQuery, HealthSort, ScheduleQuery } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ForPicked } from '../board/board-picked.tsx';
import { BoardToolbar } from '../board/board-toolbar.tsx';
import { SORTS, totalText } from '../board/health-words.ts';
import { type BoardRow, SchedulesTable } from '../board/schedules-table.tsx';
import { HeldList, useHeld } from '../live/held.tsx';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { Pager, usePages, withoutPage } from '../parts/pager.tsx';
import { api } from '../queries.ts';
import { FirstMinute } from '../start/first-minute.tsx';
import { ShowMe } from '../start/show-me-button.tsx';
import '../board/board.css';

const PAGE_SIZE = 50;
const NONE: Set<string> = new Set();
/** Next times pass by themselves, also where no event tells of it. */
const ASK_EVERY_MS = 15_000;

export function Schedules() {
  const [search, setSearch] = useSearchParams();
  const { filter, sort } = questionFrom(search);
  const key = withoutPage(search).toString();
  const pages = usePages();
  const [picks, setPicks] = useState({ pickedOf: key, picked: NONE, isAll: false });
  // Picks survive a change of page, but not a change of filter.
  if (picks.pickedOf !== key) setPicks({ pickedOf: key, picked: NONE, isAll: false });
  const setPicked = (picked: Set<string>, isAll = false) =>
    setPicks({ pickedOf: key, picked, isAll });
  const { picked, isAll } = picks;
  const list = useQuery({
    queryKey: ['health', key, pages.cursor],
    queryFn: () =>
      find({ ...filter, sort, limit: PAGE_SIZE, ...(pages.cursor && { cursor: pages.cursor }) }),
    placeholderData: keepPreviousData,
    refetchInterval: ASK_EVERY_MS,
  });
  const items = useMemo(
    () => list.data?.items.map((item): BoardRow => ({ id: item.schedule.id, ...item })),
    [list.data],
  );
  const held = useHeld({
    key: `${key} ${pages.cursor}`,
    items: list.isPlaceholderData ? undefined : items,
    isWhole: list.data?.nextCursor === undefined,
    // In another order, a new one may stand anywhere.
    orderOf: ({ id }) => (sort === 'newest' ? id : ''),
    isBusy: picked.size > 0 || isAll,
  });
  const shown = list.isPlaceholderData ? (items ?? []) : held.rows;
  const total = list.data?.total;
  const onSort = (next: HealthSort) =>
    setSearch(before => {
      const after = withoutPage(before);
      if (next === 'newest') after.delete('sort');
      else after.set('sort', next);
      return after;
    });
  return (
    <Page
      name="Schedules"
      badge={total && <span className="muted numbers">{totalText(total)}</span>}
      actions={
        <Button component={Link} href="/schedules/new">
          New schedule
        </Button>
      }
    >
      <FirstMinute />
      <Card padded={false}>
        <BoardToolbar search={search} setSearch={setSearch} />
        <Asked query={list} height={320}>
          {({ nextCursor }) => (
            <HeldList held={held}>
              {shown.length === 0 ? (
                <NothingFound isFiltered={key !== ''} />
              ) : (
                <SchedulesTable
                  items={shown}
                  sort={sort}
                  onSort={onSort}
                  picked={isAll ? new Set(shown.map(({ id }) => id)) : picked}
                  setPicked={setPicked}
                />
              )}
              <Pager pages={pages} nextCursor={nextCursor} isOld={list.isPlaceholderData} />
            </HeldList>
          )}
        </Asked>
        {(picked.size > 0 || isAll) && total && (
          <ForPicked
            picked={{ ids: [...picked], isAll }}
            filter={filter}
            total={total}
            pickAll={() => setPicked(NONE, true)}
            done={() => setPicked(NONE)}
          />
        )}
      </Card>
    </Page>
  );
}

/** A search among very many may stop before it has found any: it goes on by itself. */
async function find(query: HealthQuery): Promise<HealthPage> {
  const page = await api.listHealth(query);
  const { nextCursor } = page;
  if (page.items.length > 0 || nextCursor === undefined) return page;
  return find({ ...query, cursor: nextCursor });
}

function questionFrom(search: URLSearchParams): { filter: ScheduleQuery; sort: HealthSort } {
  const [label, url, status, host] = ['label', 'url', 'status', 'host'].map(name =>
    search.get(name),
  );
  const sort = SORTS.find(({ value }) => value === search.get('sort'))?.value ?? 'newest';
  const filter = {
    ...(label && { label }),
    ...(url && { url }),
    ...(status && { status: status as 'enabled' | 'disabled' | 'deleted' }),
    ...(host && { host }),
    ...(search.has('tag') && { tag: search.getAll('tag') }),
  };
  return { filter, sort };
}

function NothingFound({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No schedule matches">Search for less, or for another status.</Empty>
  ) : (
    <Empty title="There are no schedules yet">
      <Stack gap="xs" align="center">
        <span>Make one here, or over the API. A cURL command can be pasted.</span>
        <ShowMe />
      </Stack>
    </Empty>
  );
}
