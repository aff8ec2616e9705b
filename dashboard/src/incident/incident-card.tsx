import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Incident } from '@punctual/client';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useSetStatus } from '../change/actions.ts';
import { api, orNone, sentenceOf } from '../queries.ts';
import { CAUSE_WORDS } from '../run/cause-words.ts';
import { runsPath } from '../run/run-query.ts';
import { nameOf } from '../schedule/schedule-name.ts';
import { inReadersTime, relative, shortTime, span, useNow } from '../time/times.ts';
import type { ResendScope } from './resend-dialog.tsx';

/** `503 from api.example.com`, or `Punctual was not running` */
function incidentTitle({ cause, statusCode, host }: Incident): string {
  if (host === undefined) return CAUSE_WORDS[cause];
  return cause === 'status'
    ? `${statusCode ?? 'Error'} from ${host}`
    : `${CAUSE_WORDS[cause]}: ${host}`;
}

/** The runs of an incident, in the page of runs. */
function runsOfIncident({ cause, host, since, lastFor }: Incident): string {
  return runsPath({
    from: since,
    to: afterOf(Date.parse(lastFor)),
    cause,
    ...(host !== undefined && { host }),
  });
}

/** Bounds are whole seconds in addresses and fields, and the end of a range is not in it. @returns epoch ms */
export function afterOf(at: number): number {
  return Math.floor(at / 1_000 + 1) * 1_000;
}

export function scopeOf({ cause, host, since, lastFor }: Incident): ResendScope {
  return {
    from: since,
    to: new Date(afterOf(Date.parse(lastFor))).toISOString(),
    cause,
    ...(host !== undefined && { host }),
  };
}

export function IncidentRow({
  incident,
  onSendAgain,
}: {
  incident: Incident;
  onSendAgain?: () => void;
}) {
  const { isOpen, since, until, runs, schedules, affected, sentence } = incident;
  const now = useNow(30_000);
  const lasted = Date.parse(until ?? new Date(now).toISOString()) - Date.parse(since);
  const more = schedules - affected.length;
  const showRuns = runs === 1 ? 'Show the run' : `Show ${runs.toLocaleString('en-GB')} runs`;
  return (
    <li className="incident">
      <Stack gap={4}>
        <Group justify="space-between" align="start" gap="sm" wrap="nowrap">
          <Group gap="sm" style={{ minWidth: 0 }}>
            <Text fw={650} className="wrap">
              {incidentTitle(incident)}
            </Text>
            <span
              className={`status tone-${isOpen ? 'bad' : 'quiet'} numbers`}
              title={`Since ${shortTime(since)}`}
            >
              {isOpen ? `open for ${span(lasted)}` : `over after ${span(lasted)}`}
            </span>
          </Group>
          {!isOpen && (
            <Text
              size="sm"
              className="muted numbers"
              title={shortTime(since)}
              style={{ flex: 'none' }}
            >
              began {relative(since, now)}
            </Text>
          )}
        </Group>
        <Text size="sm" className="wrap">
          {inReadersTime(sentence)}
        </Text>
        <Text size="sm" className="wrap">
          {affected.map(({ scheduleId, ...schedule }, index) => (
            <span key={scheduleId}>
              {index > 0 && ', '}
              <Link href={`/schedules/${scheduleId}`} className="link">
                {nameOf(schedule)}
              </Link>
              {schedule.runs > 1 && (
                <span className="muted"> ({schedule.runs.toLocaleString('en-GB')})</span>
              )}
            </span>
          ))}
          {more > 0 && <span className="muted"> and {more.toLocaleString('en-GB')} more</span>}
        </Text>
      </Stack>
      <Group gap="xs" mt={6}>
        <Button
          size="xs"
          variant="default"
          component={Link}
          href={runsOfIncident(incident)}
          aria-label={`${showRuns}: ${incidentTitle(incident)}`}
        >
          {showRuns}
        </Button>
        {onSendAgain && (
          <Button
            size="xs"
            variant="default"
            onClick={onSendAgain}
            aria-label={`Send again…: ${incidentTitle(incident)}`}
          >
            Send again…
          </Button>
        )}
        {isOpen && <StopSending incident={incident} />}
      </Group>
    </li>
  );
}

/**
 * Pauses the schedules of an incident. Of one that names only some of them it leads to the list, where all that match are
 * paused. If Punctual itself is the cause, a pause helps nobody.
 */
function StopSending({ incident }: { incident: Incident }) {
  const { host, schedules, affected } = incident;
  const setStatus = useSetStatus('disabled');
  const pause = useMutation({
    // An undo enables only those that were enabled.
    mutationFn: () =>
      Promise.all(affected.map(({ scheduleId }) => orNone(api.getSchedule(scheduleId)))),
    onSuccess: seen => {
      const ids = seen.flatMap(one => (one?.status === 'enabled' ? [one.id] : []));
      if (ids.length > 0) setStatus.mutate(ids);
      else notifications.show({ message: 'None of them is enabled.', color: 'gray' });
    },
    onError: error => notifications.show({ message: sentenceOf(error), color: 'red' }),
  });
  if (host === undefined) return null;
  const look = { size: 'xs', variant: 'default' } as const;
  if (schedules > affected.length) {
    const href = `/schedules?${new URLSearchParams({ url: host, sort: 'worst' })}`;
    return (
      <Button {...look} component={Link} href={href} aria-label={`Schedules of ${host}`}>
        Schedules of {host}
      </Button>
    );
  }
  const words = schedules === 1 ? 'Pause the schedule' : `Pause ${schedules} schedules`;
  return (
    <Button
      {...look}
      loading={pause.isPending}
      aria-label={`${words}: ${incidentTitle(incident)}`}
      onClick={() => pause.mutate()}
    >
      {words}
    </Button>
  );
}
