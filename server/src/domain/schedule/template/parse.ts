import { isJson } from '../content-type.ts';
import type { Schedule } from '../schedule.ts';

/** Parses texts with templates. */

/** A literal text, or a name in braces; null: the braces are not closed. */
export type TemplatePiece = string | { name: string | null };

/** Whether a text may have a template, or an escaped one. */
export function mayHaveTemplate(text: string): boolean {
  return text.includes(OPEN);
}

/** `\{{` is a literal `{{`. Blanks beside the name count for nothing. */
export function parseTemplate(text: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let literal = '';
  let at = 0;
  for (const match of text.matchAll(MARK)) {
    const [mark, name, close] = match;
    literal += text.slice(at, match.index);
    at = match.index + mark.length;
    if (mark === ESCAPED) {
      literal += OPEN;
      continue;
    }
    if (literal !== '') pieces.push(literal);
    pieces.push({ name: close === CLOSE ? name!.trim() : null });
    literal = '';
  }
  literal += text.slice(at);
  if (literal !== '') pieces.push(literal);
  return pieces;
}

/** The fields that may have templates. `data` and `body` exclude each other. */
export interface TemplatedFields extends Pick<Schedule, 'url' | 'headers' | 'data'> {
  body?: string | undefined;
}

/** The texts of a field. In a body that is JSON these are its strings, as they read without their quotes. */
export interface FieldText {
  field: 'url' | 'headers' | 'data' | 'body';
  /** Of a header, or a key of data. */
  key?: string;
  text: string;
}

/** All texts that have templates, or escaped ones. */
export function textsOf({ url, headers = {}, data = {}, body }: TemplatedFields): FieldText[] {
  const of = (field: 'headers' | 'data', values: Record<string, string>): FieldText[] =>
    Object.entries(values).map(([key, text]) => ({ field, key, text }));
  const texts: FieldText[] = [
    { field: 'url', text: url },
    ...of('headers', headers),
    ...of('data', data),
    ...bodyTexts(body).map((text): FieldText => ({ field: 'body', text })),
  ];
  return texts.filter(({ text }) => mayHaveTemplate(text));
}

/** The names in the texts of these fields, known or not. */
export function namesOf(fields: TemplatedFields): Set<string> {
  const names = new Set<string>();
  for (const { text } of textsOf(fields)) {
    for (const piece of parseTemplate(text)) {
      if (typeof piece !== 'string' && piece.name !== null) names.add(piece.name);
    }
  }
  return names;
}

function bodyTexts(body: string | undefined): string[] {
  if (body === undefined) return [];
  return isJson(body) ? [...jsonStrings(body)] : [body];
}

/** @param json a valid JSON text */
function jsonStrings(json: string): string[] {
  const strings: string[] = [];
  replaceStrings(json, text => {
    strings.push(text);
    return text;
  });
  return strings;
}

/**
 * Replaces the strings of a JSON text that may have templates; all else of it stays as it is written.
 *
 * @param json valid
 * @param replaced takes and gives a string without its quotes and escapes
 */
export function replaceStrings(json: string, replaced: (text: string) => string): string {
  return json.replace(JSON_STRING, token => {
    // A brace may be written as `\u007b`.
    if (!token.includes('{') && !token.includes('\\')) return token;
    const text = JSON.parse(token) as string;
    return mayHaveTemplate(text) ? JSON.stringify(replaced(text)) : token;
  });
}

const OPEN = '{{';
const CLOSE = '}}';
const ESCAPED = `\\${OPEN}`;
/** Braces that are not closed reach to the end: no text is read twice. */
const MARK = /\\\{\{|\{\{([\s\S]*?)(\}\}|$)/g;
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
