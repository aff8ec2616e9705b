import { NativeSelect } from '@mantine/core';
import { Find, filterSetter, type SetSearch, StatusFilter } from '../parts/list-filters.tsx';
import { FilterBar } from '../parts/page.tsx';
import { withoutPage } from '../parts/pager.tsx';
import { TagFilter } from '../parts/tag-filter.tsx';
import { BoardGroups } from './board-groups.tsx';
import { BoardViews } from './board-views.tsx';
import { SORTS } from './health-words.ts';

const FILTERS = ['label', 'url', 'status', 'host', 'tag'];

/** Filters, order and groups of the board, all of them in the address. */
export function BoardToolbar({
  search,
  setSearch,
}: {
  search: URLSearchParams;
  setSearch: SetSearch;
}) {
  const set = filterSetter(setSearch);
  const value = (name: string) => search.get(name) ?? '';
  const [tags, host, by] = [search.getAll('tag'), value('host'), value('by')];
  const toggle = (name: string) => {
    if (by === 'host') return set('host', host === name ? '' : name);
    set('tag', ...(tags.includes(name) ? tags.filter(tag => tag !== name) : [...tags, name]));
  };
  return (
    <>
      <FilterBar count={FILTERS.filter(name => search.has(name)).length}>
        <Find label="Label" value={value('label')} onFind={text => set('label', text)} />
        <Find label="Url" value={value('url')} onFind={text => set('url', text)} />
        <StatusFilter value={value('status')} onChange={status => set('status', status)} />
        <NativeSelect
          aria-label="Order"
          value={value('sort') || 'newest'}
          onChange={event =>
            set('sort', event.currentTarget.value === 'newest' ? '' : event.currentTarget.value)
          }
          data={[...SORTS]}
        />
        <NativeSelect
          aria-label="Groups"
          value={by}
          onChange={event => set('by', event.currentTarget.value)}
          data={[
            { value: '', label: 'No groups' },
            { value: 'host', label: 'By host' },
            { value: 'tag', label: 'By tag' },
          ]}
        />
        <BoardViews search={withoutPage(search).toString()} />
        <TagFilter tags={tags} onChange={next => set('tag', ...next)} />
        {host !== '' && by !== 'host' && (
          <button
            type="button"
            className="tag"
            aria-label={`Without the host ${host}`}
            onClick={() => set('host', '')}
          >
            {host} ×
          </button>
        )}
      </FilterBar>
      {(by === 'host' || by === 'tag') && (
        <BoardGroups by={by} selected={by === 'host' ? [host] : tags} onToggle={toggle} />
      )}
    </>
  );
}
