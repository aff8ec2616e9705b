import { Button, SimpleGrid } from '@mantine/core';
import type { Run, Schedule } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useDelete, useRunNow, useSetStatus } from '../change/actions.ts';
import { SnoozeMenu } from '../change/snooze-menu.tsx';
import { type AskedTime, ExplainBox } from '../explain/explain-box.tsx';
import { HeldList, useHeld } from '../live/held.tsx';
import { Asked, Card, Empty, Page, useIsPhone } from '../parts/page.tsx';
import { Pager, usePages } from '../parts/pager.tsx';
import { api } from '../queries.ts';
import { LastRun, LastRunLine } from '../run/last-run.tsx';
import { RunDrawer } from '../run/run-detail.tsx';
import { RunsTable } from '../run/runs-table.tsx';
import { Configuration } from '../schedule/configuration.tsx';
import { NextTimes } from '../schedule/next-times.tsx';
import { nameOf } from '../schedule/schedule-name.ts';
import { stateOf } from '../schedule/schedule-state.ts';
import { ScheduleStateText } from '../schedule/status.tsx';
import { Tags } from '../schedule/tags.tsx';
import { inputThatMakes } from '../schedule-text/schedule-code.ts';
import { ShowAs } from '../schedule-text/show-as.tsx';
import { instantFrom } from '../time/time-window.ts';
import { TimelineCard } from '../timeline/timeline-card.tsx';
import { ChangesCard } from '../version/changes-card.tsx';

const LIST = { href: '/schedules', name: 'Schedules' };

export function OneSchedule({ id }: { id: string }) {
  const schedule = useQuery({ queryKey: ['schedule', id], queryFn: () => api.getSchedule(id) });
  if (schedule.data === undefined) {
    return (
      <Page name="Schedule" up={LIST}>
        <Asked query={schedule} up={LIST}>
          {() => null}
        </Asked>
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
  const [asked, setAsked] = useState<AskedTime | null>(() => clickFrom(search));
  const next = useQuery({
    queryKey: ['next', id],
    queryFn: () => api.nextTimes(id, { count: 50 }),
    refetchInterval: ({ state }) => untilFew(state.data?.times ?? []),
  });
  const times = next.data?.times ?? [];
  const askEveryMs = askEvery(times);
  const runs = useRunsOf(id, askEveryMs).data?.items ?? [];
  const going = runs.filter(isGoing);
  const isPhone = useIsPhone();
  const timeline = (
    <TimelineCard
      key="timeline"
      schedule={schedule}
      going={going}
      coming={next.data?.times.map(at => Date.parse(at))}
      onTime={(click, step) => setAsked({ click, ...(step && { step }) })}
    />
  );
  const why = (
    <ExplainBox
      key="why"
      id={id}
      timezone={timezone}
      asked={asked}
      onAsk={at => setAsked({ at })}
      onOpenRun={openRun}
    />
  );
  const upcoming = (
    <Card key="next" title="Next times" padded={false}>
      {times.length === 0 ? (
        <Empty title="It will not fire">{whyNone(schedule)}</Empty>
      ) : (
        <NextTimes times={times} timezone={timezone} name="Next times" count={isPhone ? 3 : 5} />
      )}
    </Card>
  );
  const history = (
    <History
      key="history"
      schedule={schedule}
      askEveryMs={askEveryMs}
      isOpen={search.has('run')}
      onOpen={openRun}
    />
  );
  const both = (
    <SimpleGrid key="both" cols={{ base: 1, md: 2 }} spacing="md">
      {why}
      {upcoming}
    </SimpleGrid>
  );
  return (
    <Page
      name={nameOf(schedule)}
      up={LIST}
      badge={<ScheduleStateText schedule={schedule} />}
      actions={schedule.status !== 'deleted' && <Actions schedule={schedule} />}
    >
      <Tags schedule={schedule} />
      {!isPhone && <LastRunLine runs={runs} onOpen={openRun} />}
      <div className="duo">
        {isPhone && <LastRun runs={runs} onOpen={openRun} />}
        {isPhone ? [upcoming, history, timeline, why] : [timeline, both, history]}
        <Configuration schedule={schedule} />
        <ChangesCard schedule={schedule} />
      </div>
      <RunDrawer id={search.get('run')} onClose={() => openRun(null)} />
    </Page>
  );
}

/** Times that are still to come when more are asked for. */
const FEW_TIMES = 10;

/** How long the times suffice, in ms: 5 s to a minute. */
function untilFew(times: string[]): number {
  const at = times.at(-FEW_TIMES);
  const left = at === undefined ? 0 : Date.parse(at) - Date.now();
  return Math.min(60_000, Math.max(5_000, left));
}

/** The timeline of all schedules names in the address the time that was clicked. */
function clickFrom(search: URLSearchParams): AskedTime | null {
  const at = instantFrom(search.get('at'));
  const nearMs = Number(search.get('near'));
  return at === null || !(nearMs > 0) ? null : { click: { at, nearMs } };
}

/** Why no time comes. */
function whyNone(schedule: Schedule): string {
  switch (stateOf(schedule, Date.now())) {
    case 'completed':
      return 'The schedule has completed: its last time has passed.';
    case 'disabled':
      return 'The schedule is paused.';
    case 'targetGone':
      return 'Its target answered 410, so it is gone for good. Resume the schedule if it is back.';
    case 'targetDisabled':
      return 'Its target asked to be called no more. Resume the schedule to call it again.';
    case 'tooManyFailures':
      return 'Too many runs in a row failed. Resume the schedule when its target is mended.';
    case 'deleted':
      return 'The schedule is deleted.';
    default:
      return 'No time comes.';
  }
}

function Actions({ schedule }: { schedule: Schedule }) {
  const { id, status } = schedule;
  const [, go] = useLocation();
  const runNow = useRunNow();
  const next = status === 'enabled' ? 'disabled' : 'enabled';
  const setStatus = useSetStatus(next);
  const remove = useDelete();
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
      {status === 'enabled' && (
        <SnoozeMenu
          of={{ ids: [id] }}
          timezone={schedule.timezone}
          pausedUntil={schedule.pausedUntil}
        />
      )}
      <Button variant="default" component={Link} href={`/schedules/${id}/edit`}>
        Edit
      </Button>
      <Button variant="default" component={Link} href={`/schedules/new?from=${id}`}>
        Clone
      </Button>
      <ShowAs input={inputThatMakes(schedule)} />
      <Button
        variant="outline"
        color="red"
        onClick={() => remove.mutate([id], { onSuccess: () => go('/schedules') })}
      >
        Delete
      </Button>
    </>
  );
}

/** A page of a schedule's runs, newest first. */
function useRunsOf(scheduleId: string, askEveryMs: number, cursor?: string) {
  const query = { scheduleId, limit: 20, ...(cursor && { cursor }) };
  return useQuery({
    queryKey: ['runs', query],
    queryFn: () => api.listRuns(query),
    placeholderData: keepPreviousData,
    // Events tell what ends. Only what begins is asked for.
    refetchInterval: askEveryMs,
  });
}

/** A schedule that fires every few seconds has ended runs to tell of; a slow one has one that goes on, or waits for a retry. */
function askEvery([first, second]: string[]): number {
  const isFast =
    first !== undefined && second !== undefined && Date.parse(second) - Date.parse(first) < 5_000;
  return isFast ? 15_000 : 3_000;
}

function isGoing({ status }: Run): boolean {
  return status === 'running' || status === 'retrying' || status === 'queued';
}

function History({
  schedule,
  askEveryMs,
  isOpen,
  onOpen,
}: {
  schedule: Schedule;
  askEveryMs: number;
  /** Whether one of its runs is looked at. */
  isOpen: boolean;
  onOpen: (id: string) => void;
}) {
  const pages = usePages();
  const list = useRunsOf(schedule.id, askEveryMs, pages.cursor);
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
            <Pager pages={pages} nextCursor={nextCursor} isOld={list.isPlaceholderData} />
          </HeldList>
        )}
      </Asked>
    </Card>
  );
}
