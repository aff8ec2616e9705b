import type * as Wire from '@punctual/client';
import type { ClockNote } from '../domain/calendar/clock-change.ts';
import { iso } from '../domain/iso.ts';

/** A note on a change of the clock, as the wire has it. */
export function clockNoteAnswer(note: ClockNote): Wire.ClockNote {
  return { ...note, at: iso(note.at), sentence: sentenceOf(note) };
}

function sentenceOf({ kind, localTime }: ClockNote): string {
  const [day, time] = localTime.split('T');
  switch (kind) {
    case 'moved':
      return `On ${day}, ${time} does not exist: it will fire when the clock has been set forward.`;
    case 'dropped':
      return `On ${day}, ${time} does not exist: it will not fire then.`;
    case 'once':
      return `On ${day}, ${time} comes twice: it will fire the first time only.`;
    case 'twice':
      return `On ${day}, ${time} comes twice: it will fire both times.`;
  }
}
