/** Names characters that nobody sees: without its name, the reader of a refusal looks for one in vain. */

/** @param character one of `\r\n`, or a single code point */
export function characterName(character: string): string {
  return NAMES.get(character) ?? `the character ${codePointName(character)}`;
}

/** The sentence of a refusal, which then names white space at the ends of the refused text too. */
export function namingEnds(sentence: string, text: string): string {
  const start = text.startsWith('\r\n') ? '\r\n' : text.slice(0, 1);
  const end = text.endsWith('\r\n') ? '\r\n' : text.slice(-1);
  const named = [
    ...(INVISIBLE.test(start) ? [`begins with ${characterName(start)}`] : []),
    ...(INVISIBLE.test(end) ? [`ends with ${characterName(end)}`] : []),
  ];
  if (named.length === 0) return sentence;
  return `${sentence.replace(/\.$/, '')}; the text that was sent ${named.join(' and ')}.`;
}

/** The text with control characters as JSON writes them. */
export function shown(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, character => {
    const units = Array.from({ length: character.length }, (_, index) =>
      character.charCodeAt(index),
    );
    return (
      ESCAPES.get(character) ??
      units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
    );
  });
}

function codePointName(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

const INVISIBLE = /^(?:\r\n|[\s\p{Cc}\p{Cf}])$/u;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
]);
const NAMES: ReadonlyMap<string, string> = new Map([
  [' ', 'a space'],
  ['\t', 'a tab'],
  ['\n', 'a line end'],
  ['\r', 'a line end'],
  ['\r\n', 'a line end'],
  ['\u00a0', 'a no-break space (U+00A0)'],
  ['\ufeff', 'a byte order mark (U+FEFF)'],
]);
