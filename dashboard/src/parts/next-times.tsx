import { Text } from '@mantine/core';
import { fullTime, READER_ZONE } from '../times.ts';

/** The next times in the schedule's zone and in the reader's. */
export function NextTimes({
  times,
  timezone,
  name,
}: {
  times: string[];
  timezone: string;
  name: string;
}) {
  const isSame = timezone === READER_ZONE;
  return (
    <table className="rows times" aria-label={name}>
      <thead>
        <tr>
          <th>{timezone}</th>
          {!isSame && <th>You ({READER_ZONE})</th>}
        </tr>
      </thead>
      <tbody>
        {times.map(at => (
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
