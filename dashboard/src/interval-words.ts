import cronstrue from 'cronstrue';

/** The interval as a sentence, or null where the library cannot read what the service can. */
export function inWords(interval: string): string | null {
  const trimmed = interval.trim();
  if (trimmed === '') return null;
  try {
    const words = cronstrue.toString(trimmed, { use24HourTimeFormat: true, verbose: false });
    return /undefined|null|NaN/.test(words) ? null : words;
  } catch {
    return null;
  }
}
