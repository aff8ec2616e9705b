import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import type { Run, RunQuery, RunStatus } from '@punctual/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { AS_TODAY, useSendAgain } from '../parts/actions.ts';
import { HeldList, useHeld } from '../parts/held.tsx';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { Pager, usePages, withoutPage } from '../parts/pager.tsx';
import { RunDrawer } from '../parts/run-detail.tsx';
import { RunsTable } from '../parts/runs-table.tsx';
import { api } from '../queries.ts';
import { nameOf } from '../schedule-name.ts';

const PAGE_SIZE = 50;
const NONE: Map<string, Run> = new Map();
const STATUSES: RunStatus[] = [
  'failed',
  'succeeded',
  'running',
  'retrying',
  'queued',
  'skipped',
  'missed',
];

export function Runs() {
  const [search, setSearch] = useSearchParams();
  const key = filterText(search);
  const pages = usePages();
  const list = useQuery({
    queryKey: ['runs', key, pages.cursor],
    queryFn: () =>
      api.listRuns({
        ...filterFrom(search),
        limit: PAGE_SIZE,
        ...(pages.cursor && { cursor: pages.cursor }),
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  const [{ pickedOf, picked }, setPicks] = useState({ pickedOf: key, picked: NONE });
  // Picks survive a change of page and new rows, but not a change of filter.
  if (pickedOf !== key) setPicks({ pickedOf: key, picked: NONE });
  const setPicked = (next: Map<string, Run>) => setPicks({ pickedOf: key, picked: next });
  const held = useHeld({
    key: `${key} ${pages.cursor}`,
    items: list.isPlaceholderData ? undefined : list.data?.items,
    isWhole: list.data?.nextCursor === undefined,
    orderOf: ({ scheduledFor }) => scheduledFor,
    isBusy: picked.size > 0 || search.has('run'),
  });
  const shown = list.isPlaceholderData ? (list.data?.items ?? []) : held.rows;
  const names = useNames(shown);
  const set = (name: string, value: string) =>
    setSearch(
      before => {
        const after = name === 'run' ? new URLSearchParams(before) : withoutPage(before);
        if (value === '') after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  const pick = (id: string, isPicked: boolean) => {
    const next = new Map(picked);
    const run = shown.find(each => each.id === id);
    if (isPicked && run !== undefined) next.set(id, run);
    else next.delete(id);
    setPicked(next);
  };
  return (
    <Page name="Runs">
      <Card padded={false}>
        <Filters search={search} set={set} />
        <Asked query={list} height={320}>
          {({ nextCursor }) => (
            <HeldList held={held}>
              {shown.length === 0 ? (
                <Empty title="No run matches">
                  Runs appear here when schedules fire, and stay as long as history is kept.
                </Empty>
              ) : (
                <RunsTable
                  runs={shown}
                  names={names}
                  picked={picked}
                  onPick={pick}
                  onOpen={id => set('run', id)}
                />
              )}
              <Pager pages={pages} nextCursor={nextCursor} />
            </HeldList>
          )}
        </Asked>
        {picked.size > 0 && <Again runs={[...picked.values()]} done={() => setPicked(NONE)} />}
      </Card>
      <RunDrawer id={search.get('run')} onClose={() => set('run', '')} />
    </Page>
  );
}

function filterText(search: URLSearchParams): string {
  const filters = withoutPage(search);
  filters.delete('run');
  return filters.toString();
}

function filterFrom(search: URLSearchParams): RunQuery {
  const instant = (name: string) => {
    const text = search.get(name);
    const at = text === null ? Number.NaN : new Date(text).getTime();
    return Number.isNaN(at) ? undefined : new Date(at).toISOString();
  };
  const [scheduleId, status] = [search.get('scheduleId'), search.get('status')];
  const [from, to] = [instant('from'), instant('to')];
  return {
    ...(scheduleId && { scheduleId }),
    ...(status && { status: status as RunStatus }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

function Filters({
  search,
  set,
}: {
  search: URLSearchParams;
  set: (name: string, value: string) => void;
}) {
  const scheduleId = search.get('scheduleId');
  return (
    <Group p="sm" gap="sm" align="end" role="search">
      <NativeSelect
        label="Status"
        value={search.get('status') ?? ''}
        onChange={event => set('status', event.currentTarget.value)}
        data={[{ value: '', label: 'All' }, ...STATUSES]}
      />
      <TextInput
        type="datetime-local"
        label="Due from"
        style={{ flex: '0 1 230px' }}
        value={search.get('from') ?? ''}
        onChange={event => set('from', event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        label="Due before"
        style={{ flex: '0 1 230px' }}
        value={search.get('to') ?? ''}
        onChange={event => set('to', event.currentTarget.value)}
      />
      {scheduleId && (
        <Button variant="default" onClick={() => set('scheduleId', '')}>
          Of all schedules
        </Button>
      )}
    </Group>
  );
}

function Again({ runs, done }: { runs: Run[]; done: () => void }) {
  const sendAgain = useSendAgain();
  const schedules = [...new Set(runs.map(({ scheduleId }) => scheduleId))];
  return (
    <Group className="picked" p="sm" gap="xs" role="toolbar" aria-label="For the picked runs">
      <Text size="sm" fw={600} className="numbers" mr="xs">
        {runs.length} picked, of {schedules.length}{' '}
        {schedules.length === 1 ? 'schedule' : 'schedules'}
      </Text>
      <Button
        size="xs"
        variant="default"
        loading={sendAgain.isPending}
        onClick={() => sendAgain.mutate(schedules, { onSuccess: done })}
      >
        Send again
      </Button>
      <Button size="xs" px={4} variant="subtle" onClick={done}>
        Pick none
      </Button>
      <Text size="xs" className="muted">
        {AS_TODAY}
      </Text>
    </Group>
  );
}

/** The names of the schedules of these runs, each fetched once. */
function useNames(runs: Run[]): Map<string, string> {
  const ids = [...new Set(runs.map(({ scheduleId }) => scheduleId))];
  return useQueries({
    queries: ids.map(id => ({
      queryKey: ['schedule', id],
      queryFn: () => api.getSchedule(id),
      staleTime: 60_000,
    })),
    combine: results =>
      new Map(results.flatMap(({ data }) => (data ? [[data.id, nameOf(data)] as const] : []))),
  });
}
