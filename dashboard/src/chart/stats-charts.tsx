import { Group, SimpleGrid, Text } from '@mantine/core';
import type { Stats } from '@punctual/client';
import { lazy, useMemo } from 'react';
import { useLocation } from 'wouter';
import { whole } from '../parts/numbers.ts';
import { OnItsWay } from '../parts/on-its-way.tsx';
import { Card } from '../parts/page.tsx';
import { runsPath } from '../run/run-query.ts';
import { span } from '../time/times.ts';

const MinuteChart = lazy(async () => ({
  default: (await import('./chart.tsx')).MinuteChart,
}));
const MINUTE_MS = 60_000;

/** A count at an axis; nothing for what lies between two. */
const axisCount = (value: number) => (Number.isInteger(value) ? whole(value) : '');

/** The runs that ended in each minute, and their lateness. */
export function StatsCharts({ stats }: { stats: Stats }) {
  const { times, firings, lateness } = useMemo(() => seriesOf(stats), [stats]);
  const [, go] = useLocation();
  // A run is found by its nominal time, which may be in a minute before the one in which it ended.
  const show = (at: number) => go(runsPath({ from: at, to: at + MINUTE_MS }));
  return (
    <OnItsWay>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Card
          title="Firings per minute"
          aside={
            <Legend
              entries={[
                ['ok', 'succeeded'],
                ['bad', 'failed'],
                ['quiet', 'skipped or missed'],
              ]}
            />
          }
        >
          <MinuteChart
            times={times}
            series={firings}
            unit={axisCount}
            onMinute={show}
            label={`Runs that ended in each minute: ${stats.total.succeeded} succeeded, ${stats.total.failed} failed.`}
          />
        </Card>
        <Card
          title="Lateness"
          aside={
            <Legend
              entries={[
                ['odd', 'p99'],
                ['busy', 'p50'],
              ]}
            />
          }
        >
          <MinuteChart
            times={times}
            series={lateness}
            unit={span}
            isLog
            onMinute={show}
            label={`From the nominal time to the request: p50 ${stats.total.p50LateMs ?? 'unknown'} ms, p99 ${stats.total.p99LateMs ?? 'unknown'} ms.`}
          />
        </Card>
      </SimpleGrid>
    </OnItsWay>
  );
}

function Legend({ entries }: { entries: [string, string][] }) {
  return (
    <Group gap="sm">
      {entries.map(([tone, name]) => (
        <Text key={name} size="xs" className={`status muted tone-${tone}`}>
          {name}
        </Text>
      ))}
    </Group>
  );
}

function seriesOf({ from, to, minutes }: Stats) {
  const byMinute = new Map(minutes.map(minute => [Date.parse(minute.at), minute]));
  const times: number[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += MINUTE_MS) times.push(at);
  const found = times.map(at => byMinute.get(at));
  return {
    times,
    firings: [
      {
        name: 'succeeded',
        tone: 'ok',
        kind: 'bars' as const,
        values: found.map(each => each?.succeeded ?? 0),
      },
      {
        name: 'failed',
        tone: 'bad',
        kind: 'bars' as const,
        values: found.map(each => each?.failed ?? 0),
      },
      {
        name: 'skipped or missed',
        tone: 'quiet',
        kind: 'bars' as const,
        values: found.map(each => (each?.skipped ?? 0) + (each?.missed ?? 0)),
      },
    ],
    lateness: [
      {
        name: 'p50',
        tone: 'busy',
        kind: 'line' as const,
        values: found.map(each => each?.p50LateMs ?? null),
      },
      {
        name: 'p99',
        tone: 'odd',
        kind: 'line' as const,
        values: found.map(each => each?.p99LateMs ?? null),
      },
    ],
  };
}
