/** Finds sentences in a page of Markdown that a reader would have to read twice. */

export interface Sentence {
  /** Where its first word stands, from 1. */
  line: number;
  text: string;
  /** A cell of a table names things; only its wording is judged. */
  isCell: boolean;
}

const MAX_WORDS = 32;
const HEADLESS = /^\W*(?:What|Where|Who)\b/;
const HARD = /\b(?:of which|so many|as it stands|has stopped to)\b/i;
const END =
  /(?<=[.!?][)"'*_”]*\s*)\s(?=["'(*_[“`]*[\p{Lu}\d`]|\*\*|(?:croner|nginx|npm|pgBouncer)\b)/u;
/** A list of names, or of many words, is read as one thing. */
const LISTS = /(?<=`),?\s+(?:and |or )?(?=`)|(?:[\w-]+,\s+){6,}/g;

export function sentencesOf(page: string): Sentence[] {
  return blocksOf(page).flatMap(({ line, text, isCell }) => {
    let at = 0;
    return withoutCode(text)
      .split(END)
      .map(({ length }) => {
        const raw = text.slice(at, at + length);
        const start = line + text.slice(0, at).split('\n').length - 1;
        at += length + 1;
        return { line: start, text: raw.replaceAll(/\s+/g, ' ').trim(), isCell };
      })
      .filter(sentence => /\p{L}/u.test(sentence.text));
  });
}

/** Says why a sentence is hard to read, or `undefined`. */
export function faultOf({ text, isCell }: Sentence): string | undefined {
  const prose = withoutCode(text);
  if (HEADLESS.test(prose) && !/\?\W*$/.test(prose))
    return 'begins with a headless What, Where or Who';
  const hard = HARD.exec(prose)?.[0];
  if (hard) return `says "${hard}"`;
  const words = prose
    .replaceAll(LISTS, '')
    .split(/\s+/)
    .filter(word => /[\p{L}\d`]/u.test(word)).length;
  if (!isCell && words > MAX_WORDS) return `has ${words} words`;
  return undefined;
}

function blocksOf(page: string): Sentence[] {
  const blocks: Sentence[] = [];
  const lines = page.split('\n');
  let fence: string | undefined;
  let isOpen = false;
  for (const [index, raw] of lines.entries()) {
    const mark = /^\s*(```|~~~)/.exec(raw)?.[1];
    const isCode = fence !== undefined || mark !== undefined;
    if (mark && (fence === undefined || fence === mark)) fence = fence ? undefined : mark;
    if (isCode || raw.trim() === '' || /^(?:#|<!--|---$)/.test(raw)) {
      isOpen = false;
    } else if (raw.startsWith('|')) {
      isOpen = false;
      if (/^\|[\s|:-]+\|$/.test(raw)) continue;
      const isHeader = /^\|[\s|:-]+\|$/.test(lines[index + 1] ?? '');
      if (isHeader) continue;
      const cells = raw.split(/(?<!\\)\|/).slice(1, -1);
      blocks.push(...cells.map(text => ({ line: index + 1, text: text.trim(), isCell: true })));
    } else if (isOpen && !/^\s*(?:[-*]|\d+\.) /.test(raw)) {
      blocks.at(-1)!.text += `\n${raw}`;
    } else {
      isOpen = true;
      const text = raw.replace(/^\s*(?:[-*]|\d+\.|>) (?:\[ \] )?/, '');
      blocks.push({ line: index + 1, text, isCell: false });
    }
  }
  return blocks;
}

/** A piece of code is one word, as long as it was. */
function withoutCode(text: string): string {
  return text.replaceAll(/`[^`]+`/g, code => `\`${'x'.repeat(code.length - 2)}\``);
}
