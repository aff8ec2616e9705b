import { Button, Stack, Text } from '@mantine/core';
import type { Run } from '@punctual/client';
import { Card } from '../parts/page.tsx';
import { Status } from '../schedule/status.tsx';
import { relative, shortTime, useNow } from '../time/times.ts';
import { resultOf } from './runs-table.tsx';

interface Props {
  /** Newest first. */
  runs: readonly Run[];
  onOpen: (id: string) => void;
}

/** The latest run that has ended, if it failed or was missed. A narrow page shows it before all else. */
export function LastRun({ runs, onOpen }: Props) {
  const [last, now] = useLastRun(runs);
  if (last === undefined || last.status === 'succeeded') return null;
  return (
    <Card title="The last run">
      <Stack gap={6} align="start">
        <Text size="sm">
          <Status of={last.status} />
          <Text span size="sm" className="muted numbers" ml="sm">
            {shortTime(last.scheduledFor)}, {ago(last, now)}
          </Text>
        </Text>
        <Text size="sm" className="wrap">
          {resultOf(last)}
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => onOpen(last.id)}>
          Show the run
        </Button>
      </Stack>
    </Card>
  );
}

/** How the latest run ended, in the line that a wide page has for it. */
export function LastRunLine({ runs, onOpen }: Props) {
  const [last, now] = useLastRun(runs);
  return (
    <div className="last-run">
      {last && (
        <>
          <span className="muted">Last run</span>
          <Status of={last.status} />
          <span className="muted numbers" title={shortTime(last.scheduledFor)}>
            {ago(last, now)}
          </span>
          {last.status !== 'succeeded' && (
            <span className="clip" title={resultOf(last)}>
              {resultOf(last)}
            </span>
          )}
          <Button size="compact-xs" variant="default" onClick={() => onOpen(last.id)}>
            Show the run
          </Button>
        </>
      )}
    </div>
  );
}

function useLastRun(runs: readonly Run[]): [last: Run | undefined, now: number] {
  const now = useNow(5_000);
  return [runs.find(({ status }) => ENDED.has(status)), now];
}

/** The clock ticks more rarely than runs end: none of them is still to come. */
function ago({ scheduledFor }: Run, now: number): string {
  return relative(scheduledFor, Math.max(now, Date.parse(scheduledFor)));
}

const ENDED = new Set(['succeeded', 'failed', 'missed']);
