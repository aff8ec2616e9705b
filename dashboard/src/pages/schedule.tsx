import { Button, SimpleGrid, Text } from '@mantine/core';
import type { Run, Schedule } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useDelete, useRunNow, useSetStatus } from '../parts/actions.ts';
import { Configuration } from '../parts/configuration.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { type AskedTime, ExplainBox } from '../parts/explain-box.tsx';
import { HeldList, useHeld } from '../parts/held.tsx';
import { NextTimes } from '../parts/next-times.tsx';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { Pager, usePages } from '../parts/pager.tsx';
import { RunDrawer } from '../parts/run-detail.tsx';
import { RunsTable } from '../parts/runs-table.tsx';
import { Status } from '../parts/status.tsx';
import { TimelineCard } from '../parts/timeline-card.tsx';
import { api } from '../queries.ts';
import { nameOf } from '../schedule-name.ts';

export function OneSchedule({ id }: { id: string }) {
  const schedule = useQuery({ queryKey: ['schedule', id], queryFn: () => api.getSchedule(id) });
  if (schedule.data === undefined) {
    return (
      <Page name="Schedule">
        <Asked query={schedule}>{() => null}</Asked>
      </Page>
    );
  }
  return <Shown schedule={schedule.data} />;
}

function Shown({ schedule }: { schedule: Schedule }) {
  const { id, timezone } = schedule;
  const [search, setSearch] = useSearchParams();
  const openRun = (run: string | null) =>
    setSearch(
      before => {
        const after = new URLSearchParams(before);
        if (run === null) after.delete('run');
        else after.set('run', run);
        return after;
      },
      { replace: true },
    );
  const [asked, setAsked] = useState<AskedTime | null>(null);
  const going = (useRunsOf(id).data?.items ?? []).filter(isGoing);
  const next = useQuery({
    queryKey: ['next', id],
    queryFn: () => api.nextTimes(id, { count: 50 }),
    refetchInterval: 5_000,
  });
  const times = next.data?.times ?? [];
  return (
    <Page
      name={nameOf(schedule)}
      title={
        <>
          {nameOf(schedule)}{' '}
          <Text span size="sm" fw={400} ml={6}>
            <Status of={schedule.status} />
          </Text>
        </>
      }
      actions={schedule.status !== 'deleted' && <Actions schedule={schedule} />}
    >
      <TimelineCard
        schedule={schedule}
        going={going}
        coming={times.map(at => Date.parse(at))}
        onRun={openRun}
        onTime={(click, step) => setAsked({ click, ...(step && { step }) })}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <ExplainBox
          id={id}
          timezone={timezone}
          asked={asked}
          onAsk={at => setAsked({ at })}
          onOpenRun={openRun}
        />
        <Card title="Next times" padded={false}>
          {times.length === 0 ? (
            <Empty title="It will not fire">
              {schedule.status === 'enabled'
                ? 'No time comes.'
                : `The schedule is ${schedule.status === 'disabled' ? 'paused' : 'deleted'}.`}
            </Empty>
          ) : (
            <NextTimes times={times} timezone={timezone} name="Next times" count={5} />
          )}
        </Card>
      </SimpleGrid>
      <History schedule={schedule} isOpen={search.has('run')} onOpen={openRun} />
      <Configuration schedule={schedule} />
      <RunDrawer id={search.get('run')} onClose={() => openRun(null)} />
    </Page>
  );
}

function Actions({ schedule }: { schedule: Schedule }) {
  const { id, status } = schedule;
  const [, go] = useLocation();
  const runNow = useRunNow();
  const next = status === 'enabled' ? 'disabled' : 'enabled';
  const setStatus = useSetStatus(next);
  const remove = useDelete();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button loading={runNow.isPending} onClick={() => runNow.mutate([id])}>
        Run now
      </Button>
      <Button
        variant="default"
        loading={setStatus.isPending}
        onClick={() => setStatus.mutate([id])}
      >
        {next === 'enabled' ? 'Resume' : 'Pause'}
      </Button>
      <Button variant="default" component={Link} href={`/schedules/${id}/edit`}>
        Edit
      </Button>
      <Button variant="default" component={Link} href={`/schedules/new?from=${id}`}>
        Clone
      </Button>
      <Button variant="outline" color="red" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Confirm
        opened={isAsking}
        title="Delete this schedule?"
        action="Delete"
        isBusy={remove.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate([id], { onSuccess: () => go('/schedules') })}
      >
        It never fires again, and cannot be brought back. Its history is kept.
      </Confirm>
    </>
  );
}

/** A page of a schedule's runs, newest first. */
function useRunsOf(scheduleId: string, cursor?: string) {
  return useQuery({
    queryKey: ['runs', 'of', scheduleId, cursor],
    queryFn: () => api.listRuns({ scheduleId, limit: 20, ...(cursor && { cursor }) }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
}

function isGoing({ status }: Run): boolean {
  return status === 'running' || status === 'retrying' || status === 'queued';
}

function History({
  schedule,
  isOpen,
  onOpen,
}: {
  schedule: Schedule;
  /** Whether one of its runs is looked at. */
  isOpen: boolean;
  onOpen: (id: string) => void;
}) {
  const pages = usePages();
  const list = useRunsOf(schedule.id, pages.cursor);
  const held = useHeld({
    key: `${pages.cursor}`,
    items: list.isPlaceholderData ? undefined : list.data?.items,
    isWhole: list.data?.nextCursor === undefined,
    orderOf: ({ scheduledFor }) => scheduledFor,
    isBusy: isOpen,
  });
  const shown = list.isPlaceholderData ? (list.data?.items ?? []) : held.rows;
  return (
    <Card title="Runs" padded={false}>
      <Asked query={list} height={240}>
        {({ nextCursor }) => (
          <HeldList held={held}>
            {shown.length === 0 ? (
              <Empty title="It has not run yet">Each run appears here with what came back.</Empty>
            ) : (
              <RunsTable runs={shown} onOpen={onOpen} />
            )}
            <Pager pages={pages} nextCursor={nextCursor} />
          </HeldList>
        )}
      </Asked>
    </Card>
  );
}
