import { type ControlReading, readControl, UNREADABLE } from '../domain/run/control.ts';

/** Longer ones are not read. */
export const MOST_CONTROL_CHARACTERS = 1_000;

/**
 * Reads the header `Punctual-Control` of an answer. Few answers have it, so its parser is loaded with the first.
 *
 * @param text several of its lines joined with ", "
 */
export async function readControlHeader(text: string): Promise<ControlReading> {
  if (text.length > MOST_CONTROL_CHARACTERS) return UNREADABLE;
  try {
    const { parseDictionary } = await import('structured-headers');
    const dictionary = parseDictionary(text);
    return readControl(new Map([...dictionary].map(([name, [value]]) => [name, value])));
  } catch {
    return UNREADABLE;
  }
}
