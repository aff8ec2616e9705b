import { SegmentedControl, Text } from '@mantine/core';
import type { HistoryStep, Run, Schedule } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../queries.ts';
import { type Click, stepSecondsFor } from '../timeline.ts';
import { READER_ZONE, useNow } from '../times.ts';
import { Asked, Card } from './page.tsx';
import { Timeline } from './timeline.tsx';

const SPANS = {
  '15 min': 15 * 60_000,
  '2 h': 2 * 3_600_000,
  '1 day': 86_400_000,
  '7 days': 7 * 86_400_000,
};
type Span = keyof typeof SPANS;
/** Of what a timeline shows, this part is still to come. */
const AHEAD = 0.15;

/** The timeline of one schedule over the span that one chooses. */
export function TimelineCard({
  schedule,
  going,
  coming,
  onRun,
  onTime,
}: {
  schedule: Schedule;
  going: Run[];
  coming: number[];
  onRun: (id: string) => void;
  onTime: (click: Click, step: (HistoryStep & { to: string }) | undefined) => void;
}) {
  const [chosen, setSpan] = useState<Span | null>(null);
  const [width, setWidth] = useState(0);
  const span = chosen ?? spanFor(coming);
  const spanMs = SPANS[span];
  const now = useNow(spanMs > 3_600_000 ? 10_000 : 1_000);
  const stepSeconds = stepSecondsFor(spanMs, width);
  const history = useQuery({
    queryKey: ['history', schedule.id, span, stepSeconds],
    queryFn: () => historyOf(schedule.id, spanMs, stepSeconds),
    enabled: width > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.isPartial ? 1_000 : 5_000),
  });
  const endOf = (step: HistoryStep) =>
    new Date(Date.parse(step.at) + (history.data?.stepSeconds ?? 0) * 1_000).toISOString();
  const openOnly = async (step: HistoryStep) => {
    const found = await api.listRuns({ scheduleId: schedule.id, from: step.at, to: endOf(step) });
    const run = found.items[0];
    if (run !== undefined) onRun(run.id);
  };
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
      {schedule.timezone !== READER_ZONE && (
        <Text size="xs" className="muted" mb={4}>
          In your time, {READER_ZONE}
        </Text>
      )}
      {history.error && <Asked query={history}>{() => null}</Asked>}
      <Timeline
        from={now - spanMs}
        to={now + spanMs * AHEAD}
        now={now}
        history={history.data}
        going={going}
        coming={coming}
        onRun={run => onRun(run.id)}
        onStep={step => void openOnly(step).catch(() => {})}
        onTime={(click, step) => onTime(click, step && { ...step, to: endOf(step) })}
        onWidth={setWidth}
      />
    </Card>
  );
}

/** The shortest in which a schedule of this pace has a handful of runs. */
function spanFor([first, second]: number[]): Span {
  if (first === undefined || second === undefined) return '1 day';
  const names = Object.keys(SPANS) as Span[];
  return names.find(name => SPANS[name] >= 10 * (second - first)) ?? '7 days';
}

/**
 * The clocks of the page and the service may differ by this many ms without hiding the latest runs.
 */
const CLOCKS_MS = 60_000;

function historyOf(id: string, spanMs: number, stepSeconds: number) {
  const now = Date.now();
  const from = new Date(now - spanMs).toISOString();
  const to = new Date(now + Math.min(CLOCKS_MS, stepSeconds * 1_000)).toISOString();
  return api.history(id, { from, to, stepSeconds });
}
