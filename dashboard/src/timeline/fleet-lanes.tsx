import { Box, Group, Text } from '@mantine/core';
import type { Schedule } from '@punctual/client';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Failed } from '../parts/page.tsx';
import { nameOf } from '../schedule/schedule-name.ts';
import { stateOf } from '../schedule/schedule-state.ts';
import { fullTime, READER_ZONE, shortTime } from '../time/times.ts';
import { Lane } from './lane.tsx';
import type { Pointed } from './plot-gestures.ts';
import { PlotControls, PlotFoot, TimePlot } from './time-plot.tsx';
import { countsText, nextStep, type Step, stepAt, stepsIn, totalOf } from './timeline.ts';
import { type Lanes, useLanes } from './use-lanes.ts';
import { useTimeView } from './use-time-view.ts';

const HOUR_MS = 3_600_000;
/** Past and to come: now is in the middle. */
const SPANS = {
  '30 min': HOUR_MS / 2,
  '4 h': 4 * HOUR_MS,
  '2 days': 48 * HOUR_MS,
  '14 days': 14 * 24 * HOUR_MS,
};
const PAST_SHARE = 0.5;
const HEIGHT = 24;
const NEAR_PX = 5;

/** A lane for each schedule, on one axis. A click opens the schedule at that time. */
export function FleetLanes({ schedules }: { schedules: Schedule[] }) {
  const [, go] = useLocation();
  const [width, setWidth] = useState(0);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const [isTable, setTable] = useState(false);
  const view = useTimeView(SPANS['4 h'], PAST_SHARE);
  const { window, now } = view;
  const ids = schedules.map(({ id }) => id);
  const lanes = useLanes(ids, view, width, { most: 200, leastPx: 5, leastPollMs: 5_000 });
  const nearMs = width === 0 ? 0 : (NEAR_PX * view.spanMs) / width;
  const shown = new Map(ids.map(id => [id, stepsIn(lanes.of(id).steps, window)]));
  const totalText = (id: string) => countsText(totalOf(shown.get(id)!)) || lanes.of(id).empty;
  const text = pointedText(pointed, schedules, shown, lanes, nearMs);
  const open = ({ at, lane }: Pointed) => {
    const id = lane ?? pointed?.lane ?? null;
    if (id === null) return;
    const near = Math.max(nearMs, lanes.stepMs);
    const search = new URLSearchParams({
      at: new Date(Math.round(at)).toISOString(),
      span: String(Math.max(60, Math.round(view.spanMs / 1_000))),
      near: String(Math.round(near)),
    });
    go(`/schedules/${id}?${search}`);
  };
  const arrow = (key: string) => {
    const lane = pointed?.lane ?? ids[0]!;
    const at = pointed?.at ?? now;
    if (key === 'ArrowUp' || key === 'ArrowDown') {
      const next = ids[ids.indexOf(lane) + (key === 'ArrowDown' ? 1 : -1)];
      return setPointed({ at, lane: next ?? lane });
    }
    const { steps } = lanes.of(lane);
    const next = nextStep(steps, at, key === 'ArrowRight') ?? at;
    setPointed({ at: next, lane });
    if (next < window.from || next > window.to) view.move(next - (window.from + window.to) / 2);
  };
  return (
    <Box px="md" pb="md">
      <Group justify="space-between" gap="xs" mb={4}>
        <PlotControls view={view} spans={SPANS} name="Span of the timeline" />
        <Text size="xs" className="muted">
          By your clock, {READER_ZONE}
        </Text>
      </Group>
      {lanes.error !== null && (
        <Failed error={lanes.error} again={lanes.again} isBusy={lanes.isBusy} />
      )}
      <Text size="sm" className="numbers clip" fw={550} mih={22}>
        {text}
      </Text>
      <TimePlot
        view={view}
        timezone={READER_ZONE}
        name="Time axis of all lanes"
        cursor={pointed?.at ?? null}
        cursorText={text}
        isFleet
        onPoint={setPointed}
        onPick={open}
        onArrow={arrow}
        onWidth={setWidth}
      >
        {plotWidth => (
          <ul className="lanes" aria-label="Schedules">
            {schedules.map(schedule => {
              const { id } = schedule;
              const { countedFrom } = lanes.of(id);
              return (
                <li key={id} data-lane={id} data-pointed={pointed?.lane === id || undefined}>
                  <LaneName schedule={schedule} now={now} />
                  <Lane
                    label={`${nameOf(schedule)}: ${totalText(id)}.`}
                    width={plotWidth}
                    height={HEIGHT}
                    window={window}
                    now={now}
                    steps={shown.get(id)!}
                    countedFrom={countedFrom ?? window.from}
                  />
                </li>
              );
            })}
          </ul>
        )}
      </TimePlot>
      <PlotFoot isTable={isTable} onTable={() => setTable(!isTable)} />
      {isTable && (
        <TotalsTable schedules={schedules} shown={shown} from={window.from} to={window.to} />
      )}
    </Box>
  );
}

function LaneName({ schedule, now }: { schedule: Schedule; now: number }) {
  const state = stateOf(schedule, now);
  return (
    <span className="lane-name clip">
      <Link className="link" href={`/schedules/${schedule.id}`}>
        {nameOf(schedule)}
      </Link>
      {state !== 'enabled' && (
        <span className="muted"> · {state === 'disabled' ? 'paused' : state}</span>
      )}
    </span>
  );
}

const COLUMNS = ['succeeded', 'failed', 'skipped', 'missed', 'due'] as const;

function TotalsTable({
  schedules,
  shown,
  from,
  to,
}: {
  schedules: Schedule[];
  shown: Map<string, Step[]>;
  from: number;
  to: number;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: by keyboard it could not be scrolled
    <section className="table-scroll" tabIndex={0} aria-label="The lanes as a table">
      <table className="rows times">
        <caption className="muted">
          From {fullTime(from)} to {fullTime(to)}, by your clock
        </caption>
        <thead>
          <tr>
            <th scope="col">Schedule</th>
            {COLUMNS.map(name => (
              <th key={name} scope="col">
                {name === 'due' ? 'To come' : name[0]!.toUpperCase() + name.slice(1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="numbers">
          {schedules.map(schedule => {
            const total = totalOf(shown.get(schedule.id)!);
            return (
              <tr key={schedule.id}>
                <th scope="row">{nameOf(schedule)}</th>
                {COLUMNS.map(name => (
                  <td key={name}>{total[name].toLocaleString('en-GB')}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function pointedText(
  pointed: Pointed | null,
  schedules: Schedule[],
  shown: Map<string, Step[]>,
  lanes: Lanes,
  nearMs: number,
): string {
  if (pointed === null) return '';
  const schedule = schedules.find(({ id }) => id === pointed.lane);
  if (schedule === undefined) return fullTime(pointed.at);
  const step = stepAt(shown.get(schedule.id) ?? [], pointed.at, nearMs);
  const name = nameOf(schedule);
  if (step === undefined) return `${name}, ${fullTime(pointed.at)}: ${lanes.of(schedule.id).empty}`;
  return `${name}, ${fullTime(step.at)} to ${shortTime(step.to)}: ${countsText(step)}`;
}
