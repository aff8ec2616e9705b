/** The first mistake of a text that is meant as JSON. */

export interface Mistake {
  /** The index of its first character; the length of the text if the end is missing. */
  at: number;
  /** From 1. */
  line: number;
  sentence: string;
}

type Expected = 'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'comma' | 'nothing';

/** A text, a number, a word or a sign. Spaces before it belong to no token. */
const TOKEN =
  /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)|[{}[\],:]/y;

/** @returns null if it is JSON, or begins like no object and no list: then it is another text */
export function jsonMistake(text: string): Mistake | null {
  if (!/^[ \t\n\r]*[[{]/.test(text)) return null;
  const found = firstMistake(text);
  return found && { ...found, line: lineOf(text, found.at) };
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

type Found = Omit<Mistake, 'line'>;

function firstMistake(text: string): Found | null {
  /** The places of the objects and lists that are open. */
  const open: number[] = [];
  let expected: Expected = 'value';
  let before = 0;
  for (let at = afterSpaces(text, 0); at < text.length; ) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (text.startsWith('{{', at)) {
      return { at, sentence: 'Within JSON, names in braces stand in double quotes.' };
    }
    if (token === undefined) return { at: badPlace(text, at), sentence: unknown(text, at) };
    const opener = text[open.at(-1) ?? -1];
    const next = step(expected, token, opener);
    if (next === null) return misplaced(text, { at, before, token, expected, open });
    if (token === '{' || token === '[') open.push(at);
    if (token === '}' || token === ']') open.pop();
    expected = next === 'comma' && open.length === 0 ? 'nothing' : next;
    before = at;
    at = afterSpaces(text, at + token.length);
  }
  const last = open.at(-1);
  if (last === undefined) return null;
  const sentence = `The ${text[last]} of line ${lineOf(text, last)} is not closed.`;
  return { at: text.length, sentence };
}

const SPACES = /[ \t\n\r]*/y;

function afterSpaces(text: string, at: number): number {
  SPACES.lastIndex = at;
  SPACES.exec(text);
  return SPACES.lastIndex;
}

/** The kind of token that may follow this one; null if this one may not stand here. */
function step(expected: Expected, token: string, opener: string | undefined): Expected | null {
  switch (expected) {
    case 'firstValue':
      return token === ']' ? 'comma' : afterValue(token);
    case 'value':
      return afterValue(token);
    case 'firstName':
      if (token === '}') return 'comma';
      return token.startsWith('"') ? 'colon' : null;
    case 'name':
      return token.startsWith('"') ? 'colon' : null;
    case 'colon':
      return token === ':' ? 'value' : null;
    case 'comma':
      if (token === ',') return opener === '{' ? 'name' : 'value';
      return token === (opener === '{' ? '}' : ']') ? 'comma' : null;
    case 'nothing':
      return null;
  }
}

function afterValue(token: string): Expected | null {
  if (token === '{') return 'firstName';
  if (token === '[') return 'firstValue';
  return '}],:'.includes(token) ? null : 'comma';
}

function misplaced(
  text: string,
  {
    at,
    before,
    token,
    expected,
    open,
  }: { at: number; before: number; token: string; expected: Expected; open: number[] },
): Found {
  const isEnd = token === '}' || token === ']';
  if (isEnd && text[before] === ',') {
    return { at: before, sentence: `This comma stands before ${token}, and nothing follows it.` };
  }
  switch (expected) {
    case 'nothing':
      return { at, sentence: 'The JSON has ended before this.' };
    case 'colon':
      return { at, sentence: 'A colon is missing before this.' };
    case 'name':
    case 'firstName':
      return { at, sentence: 'A name in double quotes is missing here.' };
    case 'comma': {
      const last = open.at(-1)!;
      if (isEnd) {
        const sentence = `This ${token} does not close the ${text[last]} of line ${lineOf(text, last)}.`;
        return { at, sentence };
      }
      return { at, sentence: 'A comma is missing before this.' };
    }
    default:
      return { at, sentence: 'A value is missing here.' };
  }
}

/** A text in quotes is marked at its first character that JSON forbids there. */
function badPlace(text: string, at: number): number {
  return text[at] === '"' ? at + goodPart(text, at).length : at;
}

const GOOD_PART = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;

function goodPart(text: string, at: number): string {
  GOOD_PART.lastIndex = at;
  return GOOD_PART.exec(text)![0];
}

function unknown(text: string, at: number): string {
  if (text[at] === '"') return unfinished(text[badPlace(text, at)]);
  if (text[at] === "'") return 'JSON has double quotes, and no single ones.';
  if (/^\/[/*]/.test(text.slice(at, at + 2)) || text[at] === '#') return 'JSON has no comments.';
  const word = /^[^\s"'{}[\],:]{1,20}/.exec(text.slice(at, at + 20))?.[0];
  if (word === undefined) return 'This character does not belong here.';
  if (/^[-+.\d]/.test(word)) return `${word} is no number of JSON.`;
  return `${word} is no value of JSON. Texts stand in double quotes.`;
}

function unfinished(character: string | undefined): string {
  if (character === '\\') return 'This backslash begins no escape of JSON.';
  if (character === '\t') return 'A tab within a text is written as \\t.';
  if (character === undefined || character === '\n' || character === '\r') {
    return 'The text of this line has no closing quote.';
  }
  return 'This text has a character that JSON writes as an escape.';
}
