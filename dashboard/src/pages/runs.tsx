import { Button, Group, Text } from '@mantine/core';
import type { Run, RunPage, RunQuery } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { AS_TODAY, useSendAgain } from '../change/actions.ts';
import { HeldList, useHeld } from '../live/held.tsx';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { Pager, usePages, withoutPage } from '../parts/pager.tsx';
import { api } from '../queries.ts';
import { RunDrawer } from '../run/run-detail.tsx';
import { RunFilters } from '../run/run-filters.tsx';
import { runQueryFrom } from '../run/run-query.ts';
import { RunsTable } from '../run/runs-table.tsx';

const PAGE_SIZE = 50;
const NONE: Map<string, Run> = new Map();
/** Events tell what ends. Only what begins is asked for. */
const ASK_EVERY_MS = 15_000;

export function Runs() {
  const [search, setSearch] = useSearchParams();
  const key = filterText(search);
  const pages = usePages();
  const query: RunQuery = {
    ...runQueryFrom(search),
    limit: PAGE_SIZE,
    names: true,
    ...(pages.cursor && { cursor: pages.cursor }),
  };
  const list = useQuery({
    queryKey: ['runs', query],
    queryFn: () => find(query),
    placeholderData: keepPreviousData,
    refetchInterval: ASK_EVERY_MS,
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
        <RunFilters search={search} setSearch={setSearch} />
        <Asked query={list} height={320}>
          {({ nextCursor }) => (
            <HeldList held={held}>
              {shown.length === 0 ? (
                <Empty title={key === '' ? 'Nothing has run yet' : 'No run matches'}>
                  Runs appear here when schedules fire, and stay as long as history is kept.
                </Empty>
              ) : (
                <RunsTable
                  runs={shown}
                  isOfMany
                  picked={picked}
                  onPick={pick}
                  onOpen={id => set('run', id)}
                />
              )}
              <Pager pages={pages} nextCursor={nextCursor} isOld={list.isPlaceholderData} />
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

/** A search by what no index knows may stop before it has found any: it goes on by itself. */
async function find(query: RunQuery): Promise<RunPage> {
  const page = await api.listRuns(query);
  if (page.items.length > 0 || page.nextCursor === undefined) return page;
  return find({ ...query, cursor: page.nextCursor });
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
