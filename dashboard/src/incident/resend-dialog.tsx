import {
  Alert,
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { RunQuery } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Failed } from '../parts/page.tsx';
import { localText, READER_ZONE, span } from '../time/times.ts';
import { countFailed, MOST_COUNTED, startResending } from './resending.ts';

/** A span of time, and maybe a host and a cause: all that failed in it. */
export type ResendScope = Pick<RunQuery, 'host' | 'cause'> & { from: string; to: string };

type Mode = 'schedule' | 'run';

/** Asks what is sent again, how fast, and says how many that are before anything leaves. */
export function ResendDialog({ scope, onClose }: { scope: ResendScope; onClose: () => void }) {
  const [from, setFrom] = useState(localText(scope.from, READER_ZONE));
  const [to, setTo] = useState(localText(scope.to, READER_ZONE));
  const [mode, setMode] = useState<Mode>('schedule');
  const [perMinute, setPerMinute] = useState(60);
  const query = rangeOf(scope, from, to);
  const counted = useQuery({
    queryKey: ['failed runs', query],
    queryFn: ({ signal }) => countFailed(query!, signal),
    enabled: query !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const runs = counted.data?.scheduleIds ?? [];
  const schedules = [...new Set(runs)];
  const chosen = mode === 'schedule' ? schedules : runs;
  const begin = () => {
    startResending(chosen, perMinute);
    onClose();
  };
  return (
    <Dialog opened title="Send again all that failed" onClose={onClose}>
      <Stack gap="sm">
        <Group grow gap="sm">
          <TextInput
            type="datetime-local"
            step={1}
            label="Due from"
            value={from}
            onChange={event => setFrom(event.currentTarget.value)}
          />
          <TextInput
            type="datetime-local"
            step={1}
            label="Due before"
            value={to}
            onChange={event => setTo(event.currentTarget.value)}
          />
        </Group>
        {(scope.host || scope.cause) && (
          <Text size="sm" className="wrap">
            Only runs of this incident{scope.host && `, to ${scope.host}`}.
          </Text>
        )}
        <div>
          <Text size="sm" fw={500} mb={4}>
            How often
          </Text>
          <SegmentedControl
            aria-label="How often"
            data={[
              { value: 'schedule', label: 'Once per schedule' },
              { value: 'run', label: 'Once per failed run' },
            ]}
            value={mode}
            onChange={value => setMode(value as Mode)}
          />
        </div>
        <NumberInput
          label="Requests a minute"
          min={1}
          max={600}
          clampBehavior="strict"
          allowDecimal={false}
          w={160}
          value={perMinute}
          onChange={value => setPerMinute(Number(value) || 1)}
        />
        {query === null && <Text size="sm">Choose two times, the earlier one first.</Text>}
        {counted.error && <Failed error={counted.error} />}
        {counted.data && (
          <Text role="status" size="sm">
            {foundText(runs.length, schedules.length, counted.data.isCut)}{' '}
            {chosen.length > 0 &&
              `${requests(chosen.length)} in about ${span((chosen.length / perMinute) * 60_000)}.`}
          </Text>
        )}
        <Alert variant="outline" color="gray" p="xs">
          Each schedule is sent as it is today, and one at a time. It goes on while this tab is
          open.
        </Alert>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            onClick={begin}
            loading={counted.isFetching}
            disabled={query === null || chosen.length === 0}
          >
            Send {requests(chosen.length)}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function rangeOf(
  { host, cause }: ResendScope,
  from: string,
  to: string,
): Omit<RunQuery, 'status'> | null {
  const [first, last] = [new Date(from).getTime(), new Date(to).getTime()];
  if (!(first < last)) return null;
  return {
    from: new Date(first).toISOString(),
    to: new Date(last).toISOString(),
    ...(host && { host }),
    ...(cause && { cause }),
  };
}

function requests(count: number): string {
  return count === 1 ? '1 request' : `${count.toLocaleString('en-GB')} requests`;
}

function foundText(runs: number, schedules: number, isCut: boolean): string {
  if (runs === 0) return 'Nothing failed or was missed then.';
  const many = isCut
    ? `More than ${MOST_COUNTED.toLocaleString('en-GB')}`
    : runs.toLocaleString('en-GB');
  const [run, schedule] = [runs === 1 ? 'run' : 'runs', schedules === 1 ? 'schedule' : 'schedules'];
  return `${many} ${run} of ${schedules.toLocaleString('en-GB')} ${schedule} failed or were missed.`;
}
