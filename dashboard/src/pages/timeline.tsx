import { Button } from '@mantine/core';
import type { Schedule, SchedulePage, ScheduleQuery } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { Find, filterSetter, StatusFilter } from '../parts/list-filters.tsx';
import { Asked, Card, Empty, FilterBar, Page } from '../parts/page.tsx';
import { Pager, usePages } from '../parts/pager.tsx';
import { TagFilter } from '../parts/tag-filter.tsx';
import { api } from '../queries.ts';
import { FleetLanes } from '../timeline/fleet-lanes.tsx';

const PAGE_SIZE = 50;

/** All schedules on one axis of time: what became of their times, and which are to come. */
export function TimelinePage() {
  const [search] = useSearchParams();
  const key = filterKey(search);
  const pages = usePages();
  // Lanes stay where they are: new schedules come when the page is asked for again.
  const list = useQuery({
    queryKey: ['lanes', key, pages.cursor],
    queryFn: () => find(key, pages.cursor),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      name="Timeline"
      actions={
        <Button
          variant="default"
          component={Link}
          href={key === '' ? '/schedules' : `/schedules?${key}`}
        >
          As a list
        </Button>
      }
    >
      <Card padded={false}>
        <Filters />
        <Asked query={list} height={420}>
          {({ items, nextCursor }) => (
            <>
              {items.length === 0 ? (
                <Nothing isFiltered={key !== ''} />
              ) : (
                <FleetLanes schedules={items} />
              )}
              <Pager pages={pages} nextCursor={nextCursor} isOld={list.isPlaceholderData} />
            </>
          )}
        </Asked>
      </Card>
    </Page>
  );
}

const FILTERS = ['label', 'url', 'status', 'tag'];

/** The filters of the address, as the list of schedules has them. */
function filterKey(search: URLSearchParams): string {
  const kept = [...search].filter(([name, value]) => FILTERS.includes(name) && value !== '');
  return new URLSearchParams(kept).toString();
}

/** A search among very many may stop before it has found any: it goes on by itself. */
async function find(key: string, cursor?: string): Promise<SchedulePage> {
  const search = new URLSearchParams(key);
  const [label, url, status] = ['label', 'url', 'status'].map(name => search.get(name));
  const query: ScheduleQuery = {
    limit: PAGE_SIZE,
    ...(label && { label }),
    ...(url && { url }),
    ...(status && { status: status as Schedule['status'] }),
    ...(search.has('tag') && { tag: search.getAll('tag') }),
    ...(cursor && { cursor }),
  };
  const page = await api.listSchedules(query);
  const isEnd = page.items.length > 0 || page.nextCursor === undefined;
  return isEnd ? page : find(key, page.nextCursor);
}

function Filters() {
  const [search, setSearch] = useSearchParams();
  const set = filterSetter(setSearch);
  const value = (name: string) => search.get(name) ?? '';
  return (
    <FilterBar count={FILTERS.filter(name => search.has(name)).length}>
      <Find label="Label" value={value('label')} onFind={text => set('label', text)} />
      <Find label="Url" value={value('url')} onFind={text => set('url', text)} />
      <StatusFilter value={value('status')} onChange={status => set('status', status)} />
      <TagFilter tags={search.getAll('tag')} onChange={tags => set('tag', ...tags)} />
    </FilterBar>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No schedule matches">Search for less, or for another status.</Empty>
  ) : (
    <Empty title="There are no schedules yet">
      Each schedule has a lane here: what ran, what failed, and what is to come.
    </Empty>
  );
}
