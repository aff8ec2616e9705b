import { Text } from '@mantine/core';
import type { Calendar } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { calendarsQuery } from '../calendar/calendar-queries.ts';
import { entryText } from '../calendar/entry-text.ts';
import { NamedList } from '../named/named-list.tsx';
import { shortTime } from '../time/times.ts';

/** All calendars: named days and times without firings. */
export function Calendars() {
  return (
    <NamedList
      kind="calendar"
      query={useQuery(calendarsQuery)}
      about="Named days and times without firings, such as public holidays or a freeze. A schedule excludes them by name."
      first="Make one of dates, of an ICS text, or of the address of such a text."
      heads={['Next', 'Source']}
    >
      {calendar => <Cells calendar={calendar} />}
    </NamedList>
  );
}

function Cells({ calendar: { entries, url, staleSince, fault } }: { calendar: Calendar }) {
  const [next] = entries;
  return (
    <>
      <td className="grow">
        <Text size="sm" className="clip">
          {next === undefined ? 'nothing to come' : entryText(next)}
          {next !== undefined && next.summary !== '' && (
            <span className="muted"> · {next.summary}</span>
          )}
        </Text>
      </td>
      <td className="line" style={{ maxWidth: 320 }}>
        {staleSince === undefined ? (
          <Text size="sm" className="clip muted" title={url}>
            {url ?? 'stored here'}
          </Text>
        ) : (
          <Text size="sm" className="status tone-warn" title={fault}>
            not readable since {shortTime(staleSince)}
          </Text>
        )}
      </td>
    </>
  );
}
