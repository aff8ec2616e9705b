import { Button, SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import type { Run, Schedule } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useDelete, useRunNow, useSetStatus } from '../parts/actions.ts';
import { Configuration } from '../parts/configuration.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { ExplainBox } from '../parts/explain-box.tsx';
import { NextTimes } from '../parts/next-times.tsx';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { Pager, usePages } from '../parts/pager.tsx';
import { RunDrawer } from '../parts/run-detail.tsx';
import { RunsTable } from '../parts/runs-table.tsx';
import { Status } from '../parts/status.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { api } from '../queries.ts';
import { nameOf } from '../schedule-name.ts';
import { useNow } from '../times.ts';

const SPANS = {
  '15 min': 15 * 60_000,
  '2 h': 2 * 3_600_000,
  '1 day': 86_400_000,
  '7 days': 7 * 86_400_000,
};
type Span = keyof typeof SPANS;
/** Of what a timeline shows, this part is still to come. */
const AHEAD = 0.15;

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
  const [asked, setAsked] = useState<string | null>(null);
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
        coming={times.map(at => Date.parse(at))}
        onRun={run => openRun(run.id)}
        onEmpty={at => setAsked(new Date(at).toISOString())}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <ExplainBox
          id={id}
          timezone={timezone}
          at={asked}
          onAsk={setAsked}
          onOpenRun={run => openRun(run)}
        />
        <Card title="Next times" padded={false}>
          {times.length === 0 ? (
            <Empty title="It will not fire">
              {schedule.status === 'enabled'
                ? 'No time comes.'
                : `The schedule is ${schedule.status === 'disabled' ? 'paused' : 'deleted'}.`}
            </Empty>
          ) : (
            <NextTimes times={times.slice(0, 5)} timezone={timezone} name="Next times" />
          )}
        </Card>
      </SimpleGrid>
      <History schedule={schedule} onOpen={openRun} />
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

function TimelineCard({
  schedule,
  coming,
  onRun,
  onEmpty,
}: {
  schedule: Schedule;
  coming: number[];
  onRun: (run: Run) => void;
  onEmpty: (at: number) => void;
}) {
  const [chosen, setSpan] = useState<Span | null>(null);
  const span = chosen ?? spanFor(coming);
  const now = useNow(SPANS[span] > 3_600_000 ? 10_000 : 1_000);
  const from = now - SPANS[span];
  const to = now + SPANS[span] * AHEAD;
  const runs = useQuery({
    queryKey: ['runs', 'timeline', schedule.id, span],
    queryFn: () => recentRuns(schedule.id, SPANS[span]),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  return (
    <Card
      title="Timeline"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Span of the timeline"
          data={Object.keys(SPANS)}
          value={span}
          onChange={value => setSpan(value as Span)}
        />
      }
    >
      <Asked query={runs} height={76}>
        {({ items, isCut }) => (
          <>
            <Timeline
              from={from}
              to={to}
              now={now}
              runs={items}
              coming={coming}
              onRun={onRun}
              onEmpty={onEmpty}
            />
            {isCut && (
              <Text size="xs" className="muted">
                The latest {items.length} runs; earlier ones are in the list below.
              </Text>
            )}
          </>
        )}
      </Asked>
    </Card>
  );
}

/** The shortest in which a schedule of this pace has a handful of runs. */
function spanFor([first, second]: number[]): Span {
  if (first === undefined || second === undefined) return '1 day';
  const names = Object.keys(SPANS) as Span[];
  return names.find(name => SPANS[name] >= 10 * (second - first)) ?? '7 days';
}

const MOST_MARKS = 300;

async function recentRuns(scheduleId: string, spanMs: number) {
  const from = new Date(Date.now() - spanMs).toISOString();
  const items: Run[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.listRuns({ scheduleId, from, limit: 100, ...(cursor && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined && items.length < MOST_MARKS);
  return { items, isCut: cursor !== undefined };
}

function History({ schedule, onOpen }: { schedule: Schedule; onOpen: (id: string) => void }) {
  const pages = usePages(schedule.id);
  const list = useQuery({
    queryKey: ['runs', 'of', schedule.id, pages.cursor],
    queryFn: () =>
      api.listRuns({
        scheduleId: schedule.id,
        limit: 20,
        ...(pages.cursor && { cursor: pages.cursor }),
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  return (
    <Card title="Runs" padded={false}>
      <Asked query={list} height={240}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 ? (
              <Empty title="It has not run yet">Each run appears here with what came back.</Empty>
            ) : (
              <RunsTable runs={items} onOpen={onOpen} />
            )}
            <Pager pages={pages} nextCursor={nextCursor} />
          </>
        )}
      </Asked>
    </Card>
  );
}
