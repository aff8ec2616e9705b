/**
 * One simple command as its words, as a POSIX shell splits it (XCU 2.2, Quoting), and with `$'…'` of
 * bash, which browsers use where they copy a request as cURL. Libraries for this lose escapes within
 * double quotes.
 *
 * @returns null where it is more than one command: variables, substitutions, pipes, files
 */
export function shellWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const [part, length] = nextPart(rest);
    if (part === null) return null;
    if (part === SEPARATOR) {
      if (word !== null) words.push(word);
      word = null;
    } else if (part !== NOTHING) {
      word = (word ?? '') + part;
    }
    at += length;
  }
  return word === null ? words : [...words, word];
}

const SEPARATOR = Symbol('separator');
/** A line that goes on: part of no word, and the end of none. */
const NOTHING = Symbol('nothing');
type Meaning = string | typeof SEPARATOR | typeof NOTHING | null;
type Part = [part: Meaning, length: number];

/**
 * The quoting rules of the shell. Variables within double quotes do not match, because they mean
 * more than their text.
 */
const PATTERNS: [RegExp, (match: RegExpExecArray) => Meaning][] = [
  [/^\\\r?\n/, () => NOTHING],
  [/^\s+/, () => SEPARATOR],
  [/^\$'((?:[^'\\]|\\[\s\S])*)'/, ([, inner]) => unescaped(inner!)],
  [/^'([^']*)'/, ([, inner]) => inner!],
  [/^"((?:[^"\\$`]|\\[\s\S]|\$(?![\w({?!@*#$-]))*)"/, ([, inner]) => inDoubleQuotes(inner!)],
  [/^\\([\s\S])/, ([, escaped]) => escaped!],
  // The remaining special characters do not begin a word.
  [/^[^\s'"\\|&;<>()$`]+/, ([plain]) => plain],
  [/^\$(?![\w({'"?!@*#$-])/, () => '$'],
];

function nextPart(rest: string): Part {
  for (const [pattern, meaning] of PATTERNS) {
    const match = pattern.exec(rest);
    if (match !== null) return [meaning(match), match[0].length];
  }
  return [null, 0];
}

function inDoubleQuotes(inner: string): string {
  return inner.replace(/\\(\r?\n|[\s\S])/g, (whole, escaped: string) => {
    if (/^\r?\n$/.test(escaped)) return '';
    return '$`"\\'.includes(escaped) ? escaped : whole;
  });
}

const CONTROLS: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
};

/** ANSI-C quoting (https://www.gnu.org/software/bash/manual/html_node/ANSI_002dC-Quoting.html). */
function unescaped(inner: string): string {
  const escapes =
    /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g;
  return inner.replace(escapes, (whole, x, u, wide, octal, other: string | undefined) => {
    if (other !== undefined) return CONTROLS[other] ?? (`\\'"?`.includes(other) ? other : whole);
    const code = octal ? Number.parseInt(octal, 8) : Number.parseInt(x ?? u ?? wide, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The words of a command as somebody copies it, also with the prompt in front. @returns null as `shellWords` does */
export function commandWords(command: string): string[] | null {
  return shellWords(command.trim().replace(/^\$\s+/, ''));
}
