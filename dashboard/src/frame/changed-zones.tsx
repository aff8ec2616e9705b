import { Alert, Stack, Text } from '@mantine/core';
import type { ChangedZone, ZoneReport } from '@punctual/client';
import { Link } from 'wouter';
import { withMarks } from '../schedule/schedule-name.ts';
import { fullTime } from '../time/times.ts';

/** The zones whose rules have changed, and the schedules that fire at other times now. */
export function ChangedZones({ report, onClose }: { report: ZoneReport; onClose: () => void }) {
  const { version, previousVersion, zones } = report;
  return (
    <Alert
      color="orange"
      variant="outline"
      mb="md"
      title="Rules of time zones have changed"
      withCloseButton
      closeButtonLabel="Close this report"
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">
          Punctual counts by IANA {version} now
          {previousVersion && `, no longer by ${previousVersion}`}. These schedules fire at other
          instants than before.
        </Text>
        {zones.map(zone => (
          <Zone key={zone.timezone} zone={zone} />
        ))}
      </Stack>
    </Alert>
  );
}

function Zone({ zone: { timezone, scheduleCount, schedules } }: { zone: ChangedZone }) {
  if (schedules.length === 0) return null;
  return (
    <details>
      <summary style={{ fontSize: 14, cursor: 'pointer' }}>
        {timezone}: {schedules.length.toLocaleString('en-GB')} of{' '}
        {scheduleCount.toLocaleString('en-GB')} schedules
      </summary>
      <ul style={{ margin: '4px 0 0', paddingLeft: 18, fontSize: 14 }}>
        {schedules.map(({ id, label, moved: [first] }) => (
          <li key={id} className="wrap numbers">
            <Link href={`/schedules/${id}`} className="link">
              {withMarks(label) || id}
            </Link>
            : {first?.before ? fullTime(first.before) : 'no time'} →{' '}
            {first?.after ? fullTime(first.after) : 'no time'}
          </li>
        ))}
      </ul>
    </details>
  );
}
