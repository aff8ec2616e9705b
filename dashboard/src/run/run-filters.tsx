import { Button, Collapse, Group, NativeSelect, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { RunStatus } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { filterSetter, type SetSearch } from '../parts/list-filters.tsx';
import { FilterBar, useIsPhone } from '../parts/page.tsx';
import { TagFilter } from '../parts/tag-filter.tsx';
import { api } from '../queries.ts';
import { nameOf } from '../schedule/schedule-name.ts';
import { CAUSE_WORDS } from './cause-words.ts';

const STATUSES: RunStatus[] = [
  'failed',
  'succeeded',
  'running',
  'retrying',
  'queued',
  'skipped',
  'missed',
];
const FIRST = ['status', 'from', 'to'];
/** Behind a button: most look for a status and a time. */
const FURTHER = ['scheduleId', 'host', 'responseStatus', 'error', 'cause', 'tag'];

/** The filter of runs, which stands in the address. */
export function RunFilters({
  search,
  setSearch,
}: {
  search: URLSearchParams;
  setSearch: SetSearch;
}) {
  const isPhone = useIsPhone();
  const countOf = (names: string[]) => names.filter(name => search.has(name)).length;
  const count = countOf(FURTHER);
  const [isOpen, setOpen] = useState(count > 0);
  const set = filterSetter(setSearch);
  const given = (name: string) => search.get(name) ?? '';
  const first = (
    <>
      <NativeSelect
        label="Status"
        value={given('status')}
        onChange={event => set('status', event.currentTarget.value)}
        data={[{ value: '', label: 'All' }, ...STATUSES]}
      />
      <Instant label="Due from" value={given('from')} onChange={text => set('from', text)} />
      <Instant label="Due before" value={given('to')} onChange={text => set('to', text)} />
    </>
  );
  const further = (
    <>
      <ScheduleField id={given('scheduleId')} onChange={id => set('scheduleId', id)} />
      <Typed
        label="Host"
        placeholder="api.example.com"
        value={given('host')}
        onRest={text => set('host', text)}
      />
      <Typed
        label="Answered status"
        placeholder="503"
        width={130}
        value={given('responseStatus')}
        onRest={text => set('responseStatus', text)}
      />
      <Typed
        label="Error contains"
        placeholder="refused"
        value={given('error')}
        onRest={text => set('error', text)}
      />
      <NativeSelect
        label="Cause"
        value={given('cause')}
        onChange={event => set('cause', event.currentTarget.value)}
        data={[
          { value: '', label: 'Any' },
          ...Object.entries(CAUSE_WORDS).map(([value, label]) => ({ value, label })),
        ]}
      />
      <Group>
        <TagFilter tags={search.getAll('tag')} onChange={tags => set('tag', ...tags)} />
      </Group>
    </>
  );
  const showAll = search.size > 0 && (
    <Button variant="subtle" px={4} onClick={() => setSearch({}, { replace: true })}>
      Show all
    </Button>
  );
  if (isPhone) {
    return (
      <FilterBar count={countOf([...FIRST, ...FURTHER])}>
        {first}
        {further}
        {showAll}
      </FilterBar>
    );
  }
  return (
    <search aria-label="Filter of runs">
      <Group p="sm" gap="sm" align="end">
        {first}
        <Button variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
          {count > 0 && ` (${count})`}
        </Button>
        {showAll}
      </Group>
      <Collapse expanded={isOpen}>
        <Group px="sm" pb="sm" gap="sm" align="end">
          {further}
        </Group>
      </Collapse>
    </search>
  );
}

function Instant({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      w={{ base: '100%', sm: 230 }}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}

/** Asks when the typing rests. */
function Typed({
  label,
  placeholder,
  width = 180,
  value,
  onRest,
}: {
  label: string;
  placeholder: string;
  width?: number;
  value: string;
  onRest: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const [rested] = useDebouncedValue(text, 300);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed asks
  useEffect(() => {
    if (rested !== value) onRest(rested.trim());
  }, [rested]);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      spellCheck={false}
      w={{ base: '100%', sm: width }}
      value={text}
      onChange={event => setText(event.currentTarget.value)}
    />
  );
}

const MOST_OFFERED = 20;

/** One schedule, found by a part of its label. */
function ScheduleField({ id, onChange }: { id: string; onChange: (id: string) => void }) {
  const [text, setText] = useState('');
  const [rested] = useDebouncedValue(text, 250);
  const chosen = useQuery({
    queryKey: ['schedule', id],
    queryFn: () => api.getSchedule(id),
    enabled: id !== '',
  });
  const name = chosen.data && nameOf(chosen.data);
  const label = rested === name ? '' : rested;
  const found = useQuery({
    queryKey: ['schedules', 'offered', label],
    queryFn: () => api.listSchedules({ limit: MOST_OFFERED, ...(label && { label }) }),
    placeholderData: keepPreviousData,
  });
  const offered = (found.data?.items ?? []).filter(each => each.id !== id);
  return (
    <Select
      label="Schedule"
      placeholder="All"
      searchable
      clearable
      w={{ base: '100%', sm: 230 }}
      data={[
        ...(id === '' ? [] : [{ value: id, label: name ?? id }]),
        ...offered.map(each => ({ value: each.id, label: nameOf(each) })),
      ]}
      // The service has searched already.
      filter={({ options }) => options}
      value={id === '' ? null : id}
      onChange={value => onChange(value ?? '')}
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage="No schedule of this name"
      clearButtonProps={{ 'aria-label': 'Of all schedules' }}
    />
  );
}
