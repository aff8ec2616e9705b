import { Text } from '@mantine/core';
import { fullTime, READER_ZONE, useNow } from '../time/times.ts';

/** The next times in the schedule's zone and in the reader's. */
export function NextTimes({
  times,
  timezone,
  name,
  count = 10,
}: {
  times: string[];
  timezone: string;
  name: string;
  /** How many of those that are still to come are shown. */
  count?: number;
}) {
  const isSame = timezone === READER_ZONE;
  const now = useNow();
  const coming = times.filter(at => Date.parse(at) > now).slice(0, count);
  return (
    <table className="rows times" aria-label={name}>
      <thead>
        <tr>
          <th>{timezone}</th>
          {!isSame && <th>You ({READER_ZONE})</th>}
        </tr>
      </thead>
      <tbody>
        {coming.map(at => (
          <tr key={at}>
            <td>
              <Text size="sm" className="numbers">
                {fullTime(at, timezone)}
              </Text>
            </td>
            {!isSame && (
              <td>
                <Text size="sm" className="numbers muted">
                  {fullTime(at)}
                </Text>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
