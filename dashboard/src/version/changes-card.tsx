import { Button, Group, Stack, Text } from '@mantine/core';
import type { FieldChange, Schedule, ScheduleVersion } from '@punctual/client';
import { useState } from 'react';
import { Asked, Card } from '../parts/page.tsx';
import { SecretValue } from '../schedule/secret-value.tsx';
import { fullTime } from '../time/times.ts';
import { isSecretChange, valueText, whoText } from './changes-words.ts';
import { RestoreDialog } from './restore-dialog.tsx';
import { useVersions } from './version-queries.ts';
import './changes.css';

/** The changes of a schedule: who, when, and what differs; each state before can be brought back. */
export function ChangesCard({ schedule }: { schedule: Schedule }) {
  const versions = useVersions(schedule.id, schedule.updatedAt);
  const [restored, setRestored] = useState<number | null>(null);
  return (
    <Card title="Changes" padded={false}>
      <Asked query={versions} height={80}>
        {({ pages }) => (
          <ul className="changes">
            {pages
              .flatMap(({ items }) => items)
              .map(version => (
                <Version
                  key={version.version}
                  version={version}
                  onRestore={
                    version.until === undefined || schedule.status === 'deleted'
                      ? null
                      : () => setRestored(version.version)
                  }
                />
              ))}
          </ul>
        )}
      </Asked>
      {versions.hasNextPage && (
        <Group px="md" pb="md">
          <Button
            size="xs"
            variant="default"
            loading={versions.isFetchingNextPage}
            onClick={() => void versions.fetchNextPage()}
          >
            Older changes
          </Button>
        </Group>
      )}
      {restored !== null && (
        <RestoreDialog id={schedule.id} version={restored} onClose={() => setRestored(null)} />
      )}
    </Card>
  );
}

/** One version: who stored it, when, and what differs. */
export function Version({
  version,
  onRestore,
}: {
  version: ScheduleVersion;
  /** Null: it cannot be brought back, or is the present one. */
  onRestore: (() => void) | null;
}) {
  const { at, changes } = version;
  const who = whoText(version);
  return (
    <li aria-label={`Version ${version.version}`}>
      <Group justify="space-between" gap="xs" align="start" wrap="nowrap">
        <Text size="sm" className="wrap">
          <b>Version {version.version}</b>
          {version.until === undefined && ', the present one'}
          <span className="muted">
            {' · '}
            {fullTime(at)}
            {who && `, by ${who}`}
          </span>
        </Text>
        {onRestore && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Restore version ${version.version}`}
            onClick={onRestore}
          >
            Restore
          </Button>
        )}
      </Group>
      <Stack gap={2} mt={4}>
        {changes === undefined && (
          <Text size="sm" className="muted">
            The version before is not kept: nobody knows what changed.
          </Text>
        )}
        {changes?.length === 0 && (
          <Text size="sm" className="muted">
            {version.version === 1 ? 'Created.' : 'Stored again as it was.'}
          </Text>
        )}
        {changes?.map(change => (
          <Change key={change.path} change={change} />
        ))}
      </Stack>
    </li>
  );
}

function Change({ change }: { change: FieldChange }) {
  const { path, before, after } = change;
  const text = `${valueText(before)} → ${valueText(after)}`;
  return (
    <Text size="sm" className="wrap">
      <span className="muted">{path}: </span>
      {isSecretChange(change) ? (
        <SecretValue name={path} value={text} />
      ) : (
        <>
          <del>{valueText(before)}</del> <span aria-hidden>→</span> <ins>{valueText(after)}</ins>
        </>
      )}
    </Text>
  );
}
