import { Group } from '@mantine/core';
import type { Schedule } from '@punctual/client';
import { Link } from 'wouter';
import { withMarks } from './schedule-name.ts';
import { tagText } from './schedule-state.ts';

/** The tags of a schedule, each a link to all schedules with it, and its external id. */
export function Tags({ schedule: { tags = {}, externalId } }: { schedule: Schedule }) {
  const all = Object.entries(tags).map(tagText);
  if (all.length === 0 && externalId === undefined) return null;
  return (
    <Group gap={6} mt={2}>
      {externalId !== undefined && <code className="tag">{externalId}</code>}
      {all.map(tag => (
        <Link
          key={tag}
          className="tag"
          href={`/schedules?${new URLSearchParams({ tag })}`}
          title={`All schedules with the tag ${withMarks(tag)}`}
        >
          {withMarks(tag)}
        </Link>
      ))}
    </Group>
  );
}
