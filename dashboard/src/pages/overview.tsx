import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { FailingSchedule, Stats, UpcomingFiring } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { NoAnswer } from '../parts/no-answer.tsx';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { StatsCharts, whole } from '../parts/stats-charts.tsx';
import { api } from '../queries.ts';
import { nameOf } from '../schedule-name.ts';
import { fullTime, relative, shortTime, span, useNow } from '../times.ts';

const SHOWN_MINUTES = 60;

export function Overview() {
  const stats = useQuery({
    queryKey: ['stats'],
    queryFn: () => api.stats({ minutes: SHOWN_MINUTES }),
    refetchInterval: 5_000,
  });
  return (
    <Page
      name="Overview"
      actions={
        <Button component={Link} href="/schedules/new">
          New schedule
        </Button>
      }
    >
      <Asked query={stats} height={420}>
        {data =>
          data.enabledSchedules + data.disabledSchedules === 0 ? (
            <Welcome />
          ) : (
            <Figures stats={data} />
          )
        }
      </Asked>
    </Page>
  );
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
        </Stack>
      </Empty>
    </Card>
  );
}

function Figures({ stats }: { stats: Stats }) {
  const { total } = stats;
  const ended = total.succeeded + total.failed;
  const passed = total.skipped + total.missed;
  const failedShare = ended === 0 ? '' : `${((total.failed / ended) * 100).toFixed(1)} % of runs`;
  return (
    <>
      <NoAnswer breakers={stats.openBreakers} />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <Figure
          name="Runs, last hour"
          value={whole(ended)}
          note={`${whole(total.succeeded)} succeeded`}
        />
        <Figure
          name="Failed"
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
          value={whole(stats.enabledSchedules + stats.disabledSchedules)}
          note={`${whole(stats.enabledSchedules)} enabled, ${whole(stats.disabledSchedules)} paused`}
        />
      </SimpleGrid>
      <StatsCharts stats={stats} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Next items={stats.next} />
        <Failing items={stats.failing} />
      </SimpleGrid>
    </>
  );
}

function Figure({
  name,
  value,
  note,
  tone,
}: {
  name: string;
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
        {value}
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
