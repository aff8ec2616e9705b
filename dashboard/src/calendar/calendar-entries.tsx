import { Stack, Text } from '@mantine/core';
import type { Calendar } from '@punctual/client';
import { Facts } from '../parts/facts.tsx';
import { schedulesText } from '../parts/numbers.ts';
import { Card, Empty } from '../parts/page.tsx';
import { fullTime } from '../time/times.ts';
import { MOST_ENTRIES } from './calendar-draft.ts';
import { entryText } from './entry-text.ts';

/** The days and times of a stored calendar that are to come. */
export function CalendarEntries({ calendar }: { calendar: Calendar | null }) {
  if (calendar === null) {
    return (
      <Card>
        <Empty title="No days yet">The next ones appear here as soon as it is stored.</Empty>
      </Card>
    );
  }
  const { entries, createdAt, updatedAt, usedBy } = calendar;
  return (
    <Stack gap="md">
      <Card title="Next" padded={false}>
        {entries.length === 0 ? (
          <Empty title="Nothing is to come">Schedules that exclude it fire as usual.</Empty>
        ) : (
          <table className="rows times" aria-label="Next entries">
            <thead>
              <tr>
                <th>When</th>
                <th>Name</th>
              </tr>
            </thead>
            <tbody>
              {entries.map(entry => (
                <tr key={`${entry.from} ${entry.to} ${entry.summary}`}>
                  <td>
                    <Text size="sm" className="numbers">
                      {entryText(entry)}
                    </Text>
                  </td>
                  <td className="wrap">
                    <Text size="sm" className="muted">
                      {entry.summary}
                    </Text>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {entries.length === MOST_ENTRIES && (
          <Text size="sm" className="muted" px="md" pb="sm">
            Those behind the next {MOST_ENTRIES} are not shown.
          </Text>
        )}
      </Card>
      <Card>
        <Facts
          facts={[
            ['Used by', schedulesText(usedBy)],
            ['Made', fullTime(createdAt)],
            ['Changed', updatedAt && fullTime(updatedAt)],
          ]}
        />
      </Card>
    </Stack>
  );
}
