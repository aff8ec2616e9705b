import { Button, Group, Text } from '@mantine/core';
import type { Schedule, ScheduleVersion } from '@punctual/client';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Failed } from '../parts/page.tsx';
import type { TimeWindow } from '../time/time-window.ts';
import { fullTime, shortTime } from '../time/times.ts';
import { Version } from './changes-card.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import {
  beforePresent,
  MARK_PX,
  type VersionMark,
  versionMarksOf,
  versionText,
} from './version-marks.ts';
import { useVersionsSince } from './version-queries.ts';

/** The changes of one mark. */
export interface OpenMark {
  /** Newest first. */
  versions: ScheduleVersion[];
  /** The one before, where it can be restored from here. */
  before: number | null;
}

/** The changes of a schedule below its lane: each tells who, when and what. */
export function VersionMarks({
  schedule,
  window,
  width,
  timezone,
  onOpen,
}: {
  schedule: Schedule;
  window: TimeWindow;
  /** Of the window, px. */
  width: number;
  timezone: string;
  onOpen: (mark: OpenMark) => void;
}) {
  const { versions, cutAt, error, again } = useVersionsSince(
    schedule.id,
    schedule.updatedAt,
    window.from,
  );
  const marks = versionMarksOf(versions, window, width);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: no form has these fields */}
      <div className="version-marks" role="group" aria-label="Changes">
        {marks.map(mark => (
          <Mark
            key={mark.versions[0]!.version}
            mark={mark}
            timezone={timezone}
            onOpen={() =>
              onOpen({
                versions: mark.versions,
                before: beforePresent(mark.versions, versions),
              })
            }
          />
        ))}
      </div>
      {error !== null && <Failed error={error} again={again} />}
      {cutAt !== null && (
        <Text size="xs" className="muted">
          Changes before {shortTime(cutAt, timezone)} have no marks: there are too many. They are in
          the list of changes.
        </Text>
      )}
    </>
  );
}

/**
 * The changes of a mark, which lead to the versions before. It stands outside of the plot: events of a dialog go up to the
 * parts that show it, and the plot would take them for its own.
 */
export function OpenedMark({
  schedule,
  opened,
  onClose,
}: {
  schedule: Schedule;
  /** Null: none is open. */
  opened: OpenMark | null;
  onClose: () => void;
}) {
  const [restored, setRestored] = useState<number | null>(null);
  const restore = (version: number) => {
    onClose();
    setRestored(version);
  };
  return (
    <>
      {opened !== null && (
        <Dialog
          opened
          title={opened.versions.length === 1 ? 'A change' : `${opened.versions.length} changes`}
          onClose={onClose}
        >
          <Opened schedule={schedule} mark={opened} onRestore={restore} />
        </Dialog>
      )}
      {restored !== null && (
        <RestoreDialog id={schedule.id} version={restored} onClose={() => setRestored(null)} />
      )}
    </>
  );
}

function Mark({
  mark: { x, versions },
  timezone,
  onOpen,
}: {
  mark: VersionMark;
  timezone: string;
  onOpen: () => void;
}) {
  const when = fullTime(versions[0]!.at, timezone);
  const text =
    versions.length === 1
      ? `${when}. ${versionText(versions[0]!)}`
      : `${versions.length} changes, the last one ${when}. ${versionText(versions[0]!)}`;
  return (
    <button
      type="button"
      className="version-mark"
      style={{ left: Math.round(x - MARK_PX / 2) }}
      aria-label={text}
      title={text}
      onClick={onOpen}
    >
      {versions.length === 1 ? <IconPencil size={14} aria-hidden /> : versions.length}
    </button>
  );
}

function Opened({
  schedule,
  mark: { versions, before },
  onRestore,
}: {
  schedule: Schedule;
  mark: OpenMark;
  onRestore: (version: number) => void;
}) {
  const isDeleted = schedule.status === 'deleted';
  return (
    <>
      <ul className="changes">
        {versions.map(version => (
          <Version
            key={version.version}
            version={version}
            onRestore={
              version.until === undefined || isDeleted ? null : () => onRestore(version.version)
            }
          />
        ))}
      </ul>
      {before !== null && !isDeleted && (
        <Group justify="flex-end" mt="sm">
          <Button variant="default" onClick={() => onRestore(before)}>
            Restore version {before}
          </Button>
        </Group>
      )}
    </>
  );
}
