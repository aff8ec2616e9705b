import { PunctualError } from '../../domain/errors.ts';
import { jsonPathOf } from './json-path.ts';

/**
 * Reads the bytes of a body as JSON, strictly.
 *
 * Guarantee: the result holds only well-formed Unicode without NUL, in keys too, and is at most 32
 * levels deep. So recursion is safe, and every database can store and return it unchanged. A key
 * such as `__proto__` is an ordinary key: JSON.parse makes it an own property.
 *
 * @throws PunctualError `body_invalid`
 */
export function readJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (text.trim() === '') throw invalid('The body is empty; it must be a JSON object.');
  if (isTooDeep(text)) throw invalid(`The body is nested deeper than ${MOST_LEVELS} levels.`);
  const value = parse(text);
  const way = text.includes('\\u') ? wayToBadText(value) : null;
  if (way === null) return value;
  throw invalid(
    `${jsonPathOf(way)} has text that is not well-formed Unicode, or has a NUL character in it.`,
  );
}

const MOST_LEVELS = 32;

/** With the byte order mark kept, which JSON.parse then refuses (RFC 8259, 8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid('The body is not valid UTF-8.');
  }
}

/**
 * Looked at before it is parsed, in one pass: JSON.parse and every walk after it recurse. On text
 * that is not JSON the count means nothing, and JSON.parse has the last word.
 */
function isTooDeep(text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === BRACE || code === BRACKET) {
      level++;
      if (level > MOST_LEVELS) return true;
    } else if (code === BRACE_END || code === BRACKET_END) {
      level--;
    }
  }
  return false;
}

/** By `indexOf`, which takes a tenth of the time of a look at each character. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

const [QUOTE, BACKSLASH, BRACE, BRACE_END, BRACKET, BRACKET_END] = [...'"\\{}[]'].map(character =>
  character.charCodeAt(0),
);

/** The parser's own words quote the body; only the position is taken from them. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    const where = position === undefined ? '' : `, from character ${position} on`;
    throw invalid(`The body is not valid JSON${where}.`);
  }
}

/**
 * The keys that lead to the first text that cannot be kept, or null. Only an escape (`\\u0000`, `\\ud800`)
 * can bring one: UTF-8 has no surrogates, and JSON takes a NUL in no other form.
 */
function wayToBadText(value: unknown): string[] | null {
  if (typeof value === 'string') return isKeepable(value) ? null : [];
  if (value === null || typeof value !== 'object') return null;
  if (Array.isArray(value)) {
    // By index: a body of 4 MiB can hold millions of items, and pairs of them would be many more.
    for (let index = 0; index < value.length; index++) {
      const way = wayToBadText(value[index]);
      if (way !== null) return [String(index), ...way];
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    const way = isKeepable(key) ? wayToBadText((value as Record<string, unknown>)[key]) : [];
    if (way !== null) return [key, ...way];
  }
  return null;
}

/** PostgreSQL refuses NUL, and both databases would change a lone surrogate. */
export function isKeepable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function invalid(sentence: string): PunctualError {
  return new PunctualError('body_invalid', sentence);
}
