import { Group, SegmentedControl, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Forecast as ForecastAnswer } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { AdviceCard } from '../forecast/advice.tsx';
import { type Cell, cellFrom, stillChosen } from '../forecast/cell-firings.ts';
import { ForecastCell } from '../forecast/forecast-cell.tsx';
import { forecastQuery } from '../forecast/forecast-query.ts';
import { HeatMap } from '../forecast/heat-map.tsx';
import { schedulesText, whole } from '../parts/numbers.ts';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { fullTime } from '../time/times.ts';

type Span = 'day' | 'week';

export function Forecast() {
  const [span, setSpan] = useState<Span>('day');
  const [host, setHost] = useState<string | null>(null);
  const forecast = useQuery({ ...forecastQuery(span, host), placeholderData: keepPreviousData });
  return (
    <Page
      name="Forecast"
      actions={
        <SegmentedControl
          aria-label="How far ahead"
          data={[
            { value: 'day', label: '24 hours' },
            { value: 'week', label: '7 days' },
          ]}
          value={span}
          onChange={value => setSpan(value as Span)}
        />
      }
    >
      <AdviceCard />
      <Asked query={forecast} height={420}>
        {data =>
          data.hosts.length === 0 ? (
            <Card>
              <Empty title="Nothing is to come">
                Firings of enabled schedules appear here, minute by minute.
              </Empty>
            </Card>
          ) : (
            <Shown forecast={data} host={host} onHost={setHost} />
          )
        }
      </Asked>
    </Page>
  );
}

function Shown({
  forecast,
  host,
  onHost,
}: {
  forecast: ForecastAnswer;
  host: string | null;
  onHost: (host: string | null) => void;
}) {
  const { firings, schedules, uncounted, hosts, isPartial = false } = forecast;
  const [chosen, setChosen] = useState<Cell | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const counted = { ...forecast, host };
  const cell = stillChosen(chosen, counted);
  const away = (from: Cell, steps: number) =>
    cellFrom(counted, from.at + steps * from.stepSeconds * 1_000);
  return (
    <Stack gap="md">
      <Card
        title={`${whole(firings)} firings of ${schedulesText(schedules)}`}
        aside={
          <Select
            aria-label="Host"
            placeholder="All hosts"
            clearable
            searchable
            size="xs"
            w={240}
            data={hosts.map(each => each.host)}
            value={host}
            onChange={onHost}
            clearButtonProps={{ 'aria-label': 'All hosts' }}
          />
        }
      >
        <Stack gap="sm">
          <HeatMap
            forecast={forecast}
            chosen={cell?.at ?? null}
            onChoose={at => setChosen(at === null ? null : cellFrom(counted, at))}
            gridRef={grid}
          />
          {isPartial && (
            <Text size="sm" className="muted" role="status">
              Schedules are still being counted: this is of the newest so far.
            </Text>
          )}
          {uncounted > 0 && (
            <Text size="sm" className="muted">
              {whole(uncounted)} schedules of rare intervals are not counted.
            </Text>
          )}
        </Stack>
      </Card>
      {cell !== null && (
        <ForecastCell
          cell={cell}
          hasCell={steps => away(cell, steps) !== null}
          onMove={steps => setChosen(away(cell, steps))}
          onClose={() => {
            setChosen(null);
            grid.current?.focus();
          }}
        />
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Busiest forecast={forecast} />
        <Card title="By host" padded={false}>
          <Ranking
            heads={['Host', 'Firings']}
            rows={hosts.slice(0, 10).map(each => [each.host, each.firings])}
          />
        </Card>
      </SimpleGrid>
    </Stack>
  );
}

function Busiest({ forecast: { counts, from, stepSeconds } }: { forecast: ForecastAnswer }) {
  const start = Date.parse(from);
  const rows = counts
    .map((count, index) => ({ count, at: start + index * stepSeconds * 1_000 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || a.at - b.at)
    .slice(0, 10)
    .map(({ at, count }): [string, number] => [fullTime(at), count]);
  return (
    <Card title={stepSeconds === 60 ? 'Busiest minutes' : 'Busiest hours'} padded={false}>
      <Ranking heads={['When', 'Firings']} rows={rows} />
    </Card>
  );
}

function Ranking({ heads, rows }: { heads: [string, string]; rows: [string, number][] }) {
  return (
    <table className="rows times">
      <thead>
        <tr>
          {heads.map(head => (
            <th key={head}>{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, count]) => (
          <tr key={name}>
            <td className="wrap">
              <Text size="sm" className="numbers">
                {name}
              </Text>
            </td>
            <td>
              <Group justify="flex-start">
                <Text size="sm" className="numbers">
                  {whole(count)}
                </Text>
              </Group>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
