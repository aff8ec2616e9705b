import { Group, SimpleGrid, Text } from '@mantine/core';
import type { Stats } from '@punctual/client';
import { lazy, Suspense, useMemo } from 'react';
import { span } from '../times.ts';
import { Card } from './page.tsx';

const MinuteChart = lazy(async () => ({
  default: (await import('./chart.tsx')).MinuteChart,
}));
const MINUTE_MS = 60_000;

/** A count; nothing for what lies between two. */
export const whole = (value: number) =>
  Number.isInteger(value) ? value.toLocaleString('en-GB') : '';

/** The runs that ended in each minute, and their lateness. */
export function StatsCharts({ stats }: { stats: Stats }) {
  const { times, firings, lateness } = useMemo(() => seriesOf(stats), [stats]);
  return (
    <Suspense fallback={null}>
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
            unit={whole}
            label={`Runs that ended in each minute of the last hour: ${stats.total.succeeded} succeeded, ${stats.total.failed} failed.`}
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
            label={`From the nominal time to the request: p50 ${stats.total.p50LateMs ?? 'unknown'} ms, p99 ${stats.total.p99LateMs ?? 'unknown'} ms.`}
          />
        </Card>
      </SimpleGrid>
    </Suspense>
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
