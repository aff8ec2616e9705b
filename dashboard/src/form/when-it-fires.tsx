import { Stack, Text } from '@mantine/core';
import type { Schedule } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { Asked, Card, Empty } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { useIntervalWords } from '../schedule/interval-words.ts';
import { NextTimes } from '../schedule/next-times.tsx';
import { knowClock } from '../time/zone-clock.ts';
import { previewOf } from './as-stored.ts';
import { ClockNotes } from './clock-notes.tsx';
import { type Draft, draftOf, inputOf } from './draft.ts';
import { ExcludedTimes } from './excluded-times.tsx';
import { patchOf, timesPatch } from './schedule-patch.ts';
import type { Checked } from './use-check.ts';

/** The next times of the interval in the form, and of the stored one. */
export function WhenItFires({
  draft,
  check,
  stored,
}: {
  draft: Draft;
  /** Of what was checked last, which may be before what stands there now. */
  check: Checked | undefined;
  stored?: Schedule;
}) {
  const isChanged =
    stored !== undefined && timesPatch(patchOf(inputOf(draftOf(stored)), inputOf(draft))) !== null;
  return (
    <Card title={isChanged ? 'When it will fire' : 'When it fires'} padded={false}>
      {check === undefined || check.times.length === 0 ? (
        <Empty title="No times yet">A valid interval and time zone show the next ten times.</Empty>
      ) : (
        <Coming check={check} draft={draft} />
      )}
      {isChanged && <AsItIs schedule={stored} />}
    </Card>
  );
}

function Coming({ check, draft }: { check: Checked; draft: Draft }) {
  const { interval, timezone } = check.checked;
  const isOld = interval !== draft.interval.trim() || timezone !== draft.timezone;
  const words = useIntervalWords(interval);
  return (
    <Stack gap="sm" pb="xs">
      {words && (
        <Text px="md" fw={550}>
          {words}.
        </Text>
      )}
      {isOld && (
        <Text px="md" size="sm" className="muted wrap" role="status">
          These are the times of <code>{interval}</code> in {timezone}; those of what stands in the
          form have not come yet.
        </Text>
      )}
      {check.clockNotes.length > 0 && (
        <div style={{ padding: '0 16px' }}>
          <ClockNotes notes={check.clockNotes} timezone={timezone} />
        </div>
      )}
      <NextTimes times={check.times} timezone={timezone} name="The next ten times" />
      {check.excluded && check.excluded.length > 0 && (
        <ExcludedTimes times={check.excluded} timezone={timezone} />
      )}
    </Stack>
  );
}

/** Before the change: what stands in the service now. */
function AsItIs({ schedule }: { schedule: Schedule }) {
  const { interval, timezone } = schedule;
  const asked = { ...previewOf(schedule), count: 5 };
  const before = useQuery({
    queryKey: ['preview', asked],
    queryFn: async () => {
      await knowClock(timezone);
      return api.previewTimes(asked);
    },
  });
  return (
    <div style={{ borderTop: '1px solid var(--line)', paddingTop: 12 }}>
      <Text px="md" fw={550}>
        As it is now: <code>{interval}</code>
      </Text>
      <Asked query={before}>
        {({ times }) => (
          <NextTimes times={times} timezone={timezone} name="The times as it is now" />
        )}
      </Asked>
    </div>
  );
}
