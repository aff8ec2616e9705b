/** A schedule without a label is called by what it calls. */
export function nameOf({ label, url }: { label: string; url: string }): string {
  return withMarks(label).trim() || withMarks(url.replace(/^https?:\/\//, ''));
}

/**
 * Shows invisible characters, and those that turn the direction of the text, as visible marks. So a
 * name reads as it is written and cannot pose as another.
 */
export function withMarks(text: string): string {
  return text.replace(INVISIBLE, sign => {
    const code = sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return `[U+${code}]`;
  });
}

/** Controls, marks of direction, and what has no width (Unicode Bidi_Control, Cc, and joiners aside). */
const INVISIBLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu;
