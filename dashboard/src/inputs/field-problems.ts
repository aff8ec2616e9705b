import type { Problem } from '@punctual/client';

/** The checks of single fields, which hold for the text of any form. */

export function numberProblem(
  where: string,
  text: string,
  { subject, from, to }: { subject: string; from: number; to: number },
): Problem[] {
  const trimmed = text.trim();
  const isWithin = /^\d{1,9}$/.test(trimmed) && Number(trimmed) >= from && Number(trimmed) <= to;
  if (trimmed === '' || isWithin) return [];
  const bounds = `${from} to ${to.toLocaleString('en-GB')}`;
  return [{ where, sentence: `${subject} must be a whole number from ${bounds}.` }];
}

export function tooLong(where: string, name: string, text: string, most: number): Problem[] {
  const length = [...text].length;
  if (length <= most) return [];
  const sentence = `${name} has ${length} characters, above the limit of ${most}.`;
  return [{ where, sentence }];
}
