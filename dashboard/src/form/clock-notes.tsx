import { Alert } from '@mantine/core';
import type { ClockNote } from '@punctual/client';
import { fullTime } from '../time/times.ts';

/** The effects of clock changes on the interval, with the names of the zone. */
export function ClockNotes({ notes, timezone }: { notes: ClockNote[]; timezone: string }) {
  if (notes.length === 0) return null;
  return (
    <Alert color="orange" variant="outline" title="Daylight saving">
      <ul style={{ margin: 0, paddingLeft: 18 }}>
        {notes.map(({ localTime, sentence, at, kind }) => (
          <li key={localTime}>
            {sentence}
            {kind === 'moved' && ` That is ${fullTime(at, timezone)}.`}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
