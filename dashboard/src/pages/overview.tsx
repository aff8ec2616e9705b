import { Button, Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import type { FailingSchedule, Stats, UpcomingFiring } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { StatsCharts } from '../chart/stats-charts.tsx';
import { IncidentRow } from '../incident/incident-card.tsx';
import { useIncidents } from '../incident/incident-queries.ts';
import { NoAnswer } from '../incident/no-answer.tsx';
import { reachBack } from '../live/live-figures.ts';
import { whole } from '../parts/numbers.ts';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { runsPath } from '../run/run-query.ts';
import { nameOf } from '../schedule/schedule-name.ts';
import { ShowMe } from '../start/show-me-button.tsx';
import { clockTime, fullTime, relative, shortTime, span, useNow } from '../time/times.ts';

const SPANS = { '1 h': 60, '3 h': 180 };
type Span = keyof typeof SPANS;
/** Events are counted into the figures. The rest, such as how late runs were, is asked for. */
const ASK_EVERY_MS = 15_000;
/** While the service still counts. */
const ASK_SOON_MS = 2_000;

export function Overview() {
  const [span, setSpan] = useState<Span>('1 h');
  const minutes = SPANS[span];
  const stats = useQuery({
    queryKey: ['stats', minutes],
    queryFn: () => api.stats({ minutes }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || reachBack(data, minutes) ? ASK_EVERY_MS : ASK_SOON_MS,
  });
  return (
    <Page
      name="Overview"
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label="How far back"
            data={Object.keys(SPANS)}
            value={span}
            onChange={value => setSpan(value as Span)}
          />
          <Button component={Link} href="/schedules/new">
            New schedule
          </Button>
        </>
      }
    >
      <OpenIncidents />
      <Asked query={stats} height={420}>
        {data => (isUnused(data) ? <Welcome /> : <Figures stats={data} span={span} />)}
      </Asked>
    </Page>
  );
}

/** The count of schedules may be some seconds old: firings to come are not. */
function isUnused({ enabledSchedules, disabledSchedules, next, minutes }: Stats): boolean {
  return enabledSchedules + disabledSchedules + next.length + minutes.length === 0;
}

function Welcome() {
  return (
    <Card>
      <Empty title="Nothing is scheduled yet">
        <Stack gap="md" align="center">
          <span>
            A schedule is a url, a verb and an interval. Punctual calls the url at each time of the
            interval, tries again when it fails, and keeps what came back. Paste a cURL command to
            begin with one that you have.
          </span>
          <Button component={Link} href="/schedules/new">
            Make the first schedule
          </Button>
          <ShowMe />
        </Stack>
      </Empty>
    </Card>
  );
}

function Figures({ stats, span: asked }: { stats: Stats; span: Span }) {
  const { total, from } = stats;
  const ended = total.succeeded + total.failed;
  const passed = total.skipped + total.missed;
  const failedShare = ended === 0 ? '' : `${((total.failed / ended) * 100).toFixed(1)} % of runs`;
  return (
    <Stack gap="md">
      <NoAnswer breakers={stats.openBreakers} />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <Figure
          name={reachBack(stats, SPANS[asked]) ? `Runs, ${asked}` : `Runs since ${clockTime(from)}`}
          href={runsPath({ from })}
          value={whole(ended)}
          note={`${whole(total.succeeded)} succeeded`}
        />
        <Figure
          name="Failed"
          href={runsPath({ from, status: 'failed' })}
          value={whole(total.failed)}
          note={
            passed > 0 ? `and ${whole(passed)} skipped or missed` : failedShare || 'none ended yet'
          }
          {...(total.failed > 0 && { tone: 'bad' })}
        />
        <Figure
          name="Late, p99"
          value={total.p99LateMs === undefined ? '–' : span(total.p99LateMs)}
          note={
            total.p50LateMs === undefined ? 'nothing fired yet' : `p50 ${span(total.p50LateMs)}`
          }
        />
        <Figure
          name="Schedules"
          href="/schedules"
          value={whole(stats.enabledSchedules + stats.disabledSchedules)}
          note={`${whole(stats.enabledSchedules)} enabled, ${whole(stats.disabledSchedules)} paused`}
        />
      </SimpleGrid>
      <div className="duo">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" className="duo-second">
          <Next items={stats.next} />
          <Failing items={stats.failing} />
        </SimpleGrid>
        <StatsCharts stats={stats} />
      </div>
    </Stack>
  );
}

const MOST_INCIDENTS = 3;

/** Incidents that go on, before everything else. */
function OpenIncidents() {
  const open = (useIncidents().data?.items ?? []).filter(({ isOpen }) => isOpen);
  if (open.length === 0) return null;
  return (
    <Card
      title={open.length === 1 ? 'An open incident' : `${open.length} open incidents`}
      padded={false}
      aside={
        <Link href="/incidents" className="link">
          All incidents
        </Link>
      }
    >
      <ul className="incidents">
        {open.slice(0, MOST_INCIDENTS).map(incident => (
          <IncidentRow
            key={`${incident.cause} ${incident.statusCode} ${incident.host}`}
            incident={incident}
          />
        ))}
      </ul>
    </Card>
  );
}

function Figure({
  name,
  href,
  value,
  note,
  tone,
}: {
  name: string;
  /** Leads to what is counted. */
  href?: string;
  value: string;
  note: string;
  tone?: string;
}) {
  return (
    <Card>
      <Text size="sm" className="muted">
        {name}
      </Text>
      <Text fz={28} fw={650} lh={1.25} className="numbers" {...(tone && { c: `var(--${tone})` })}>
        {href === undefined ? (
          value
        ) : (
          <Link href={href} className="figure-link" aria-label={`${value}: show ${name}`}>
            {value}
          </Link>
        )}
      </Text>
      <Text size="sm" className="muted numbers">
        {note}
      </Text>
    </Card>
  );
}

function Next({ items }: { items: UpcomingFiring[] }) {
  const now = useNow();
  return (
    <Card title="Due next" padded={false}>
      {items.length === 0 ? (
        <Empty title="Nothing is due">Enabled schedules appear here with their next time.</Empty>
      ) : (
        <List>
          {items.map(({ scheduleId, dueAt, isRetry, ...item }) => (
            <Row key={scheduleId} id={scheduleId} name={nameOf(item)}>
              <Text size="sm" className="numbers" title={fullTime(dueAt)}>
                {isRetry && 'retry '}
                {relative(Math.max(now, Date.parse(dueAt)), now)}
              </Text>
            </Row>
          ))}
        </List>
      )}
    </Card>
  );
}

/** The service looks at this many runs of each. */
const MOST_IN_A_ROW = 20;

function inARowText(inARow: number): string {
  return inARow < MOST_IN_A_ROW ? `${inARow} in a row` : `${MOST_IN_A_ROW} or more in a row`;
}

function Failing({ items }: { items: FailingSchedule[] }) {
  return (
    <Card title="Keep failing" padded={false}>
      {items.length === 0 ? (
        <Empty title="Nothing keeps failing">
          Schedules whose latest runs failed appear here, with the reason.
        </Empty>
      ) : (
        <List>
          {items.map(({ scheduleId, inARow, lastFailedFor, error, ...item }) => (
            <Row key={scheduleId} id={scheduleId} name={nameOf(item)} note={error}>
              <Text
                size="sm"
                className="status tone-bad numbers"
                title={`Last for ${shortTime(lastFailedFor)}`}
              >
                {inARowText(inARow)}
              </Text>
            </Row>
          ))}
        </List>
      )}
    </Card>
  );
}

function List({ children }: { children: React.ReactNode }) {
  return <ul style={{ listStyle: 'none', margin: 0, padding: '0 0 8px' }}>{children}</ul>;
}

function Row({
  id,
  name,
  note,
  children,
}: {
  id: string;
  name: string;
  note?: string | undefined;
  children: React.ReactNode;
}) {
  return (
    <Group component="li" justify="space-between" wrap="nowrap" px="md" py={7} gap="md">
      <div className="clip">
        <Link href={`/schedules/${id}`} className="link">
          {name}
        </Link>
        {note && (
          <Text size="sm" className="muted clip" title={note}>
            {note}
          </Text>
        )}
      </div>
      <div style={{ flex: 'none' }}>{children}</div>
    </Group>
  );
}
