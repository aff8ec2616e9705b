import { Text } from '@mantine/core';
import type { ExcludedTime } from '@punctual/client';
import { Link } from 'wouter';
import { fullTime } from '../time/times.ts';

/** The next times that calendars take away or move, and the entries that do so. */
export function ExcludedTimes({ times, timezone }: { times: ExcludedTime[]; timezone: string }) {
  return (
    <div>
      <Text px="md" fw={550} size="sm">
        Excluded by calendars
      </Text>
      <table className="rows times" aria-label="Excluded times">
        <thead>
          <tr>
            <th>{timezone}</th>
            <th>Because of</th>
          </tr>
        </thead>
        <tbody>
          {times.map(({ at, movedTo, calendar, summary }) => (
            <tr key={at}>
              <td>
                <Text size="sm" className="numbers">
                  {movedTo === undefined ? <s>{fullTime(at, timezone)}</s> : fullTime(at, timezone)}
                </Text>
                {movedTo !== undefined && (
                  <Text size="sm" className="numbers">
                    moved to {fullTime(movedTo, timezone)}
                  </Text>
                )}
              </td>
              <td className="wrap">
                <Text size="sm" className="muted">
                  <Link href={`/calendars/${calendar}`} className="link">
                    {calendar}
                  </Link>
                  {summary !== '' && `: ${summary}`}
                </Text>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
