import { Stack, Text } from '@mantine/core';
import type { ChangeEffect, Schedule, ScheduleInput } from '@punctual/client';
import { whole } from '../parts/numbers.ts';
import { Card } from '../parts/page.tsx';
import { fullTime } from '../time/times.ts';
import { useSimulation } from './use-simulation.ts';

/** The effect of an edit on the next 31 days, before it is saved. It never keeps anybody from saving. */
export function EditEffect({ schedule, edited }: { schedule: Schedule; edited: ScheduleInput }) {
  const { data, error, isChange, isOld } = useSimulation(schedule, edited);
  if (!isChange) return null;
  return (
    <Card title="Effect on the next 31 days">
      <div role="status" style={{ opacity: isOld && !error ? 0.6 : 1 }}>
        {error ? (
          <Text size="sm" className="muted">
            The effect cannot be worked out now. You can save all the same.
          </Text>
        ) : data === undefined ? (
          <Text size="sm" className="muted">
            It is being worked out.
          </Text>
        ) : (
          <Effect change={data} timezone={edited.timezone} />
        )}
      </div>
    </Card>
  );
}

function Effect({ change, timezone }: { change: ChangeEffect; timezone: string }) {
  const { firingsBefore, firingsAfter, problems, clockNotes } = change;
  if (problems.length > 0) {
    return (
      <Text size="sm" className="muted">
        It has no effect until it is valid.
      </Text>
    );
  }
  return (
    <>
      <Stack gap={2}>
        <Text fw={650} className="numbers">
          {whole(firingsBefore)} → {whole(firingsAfter)} firings
        </Text>
        <Difference
          sign="+"
          count={change.addedCount}
          first={change.added?.[0]}
          {...{ timezone }}
        />
        <Difference
          sign="−"
          count={change.removedCount}
          first={change.removed?.[0]}
          {...{ timezone }}
        />
      </Stack>
      {change.addedCount === 0 && change.removedCount === 0 && (
        <Text size="sm" className="muted">
          The same times as now.
        </Text>
      )}
      {clockNotes.map(({ localTime, sentence }) => (
        <Text key={localTime} size="sm" className="wrap" mt={4}>
          {sentence}
        </Text>
      ))}
    </>
  );
}

function Difference({
  sign,
  count,
  first,
  timezone,
}: {
  sign: '+' | '−';
  count: number | undefined;
  first: string | undefined;
  timezone: string;
}) {
  if (!count) return null;
  return (
    <Text size="sm" className="numbers">
      {sign}
      {whole(count)} {sign === '+' ? 'added' : 'removed'}
      {first && <span className="muted">, the first {fullTime(first, timezone)}</span>}
    </Text>
  );
}
