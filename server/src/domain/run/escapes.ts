/**
 * Escapes: how writers spell a text in JSON, in a url and in a form.
 *
 * Writers differ in what they escape, and how: Go writes `\u0026` for an ampersand, and .NET `\u002B` for a plus. So a text is
 * searched as it reads. A list of spellings would never be complete.
 */
interface Escapes {
  /** Finds each escape, and the beginning of one at the end of a text that was cut. */
  readonly pattern: RegExp;
  /** The character, or the byte of UTF-8, that an escape stands for; empty for the beginning of one. */
  readonly read: (written: string) => string;
}

export const ALL_ESCAPES: readonly Escapes[] = [
  {
    pattern: /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?$|.)/gis,
    read: inJson,
  },
  { pattern: /%(?:[0-9a-f]{2}|[0-9a-f]?$)/gi, read: inUrl },
  {
    pattern: /\+|%(?:[0-9a-f]{2}|[0-9a-f]?$)/gi,
    read: written => (written === '+' ? ' ' : inUrl(written)),
  },
];

/** The text as it reads. */
export function unescaped(text: string, { pattern, read }: Escapes): string {
  return text.replace(pattern, written => read(written));
}

/** The offsets in the written text of each character that it reads as, and of its end. */
export function offsetsOf(text: string, { pattern, read }: Escapes): number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const { 0: written, index } of text.matchAll(pattern)) {
    while (at < index) offsets.push(at++);
    if (read(written) !== '') offsets.push(index);
    at = index + written.length;
  }
  while (at <= text.length) offsets.push(at++);
  return offsets;
}

function inJson(written: string): string {
  const sign = written[1] ?? '';
  const digits = DIGITS[sign];
  if (digits === undefined) return CONTROLS[sign] ?? sign;
  return written.length === 2 + digits ? ofNumber(written.slice(2)) : '';
}

function inUrl(written: string): string {
  return written.length === 3 ? ofNumber(written.slice(1)) : '';
}

function ofNumber(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** How many digits follow these signs. */
const DIGITS: Readonly<Record<string, number>> = { u: 4, U: 4, x: 2, X: 2 };
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
