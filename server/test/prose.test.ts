import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { LanguageVariant, SyntaxKind } from 'typescript/unstable/ast';
import { createScanner, type Scanner } from 'typescript/unstable/ast/scanner';

/** Comments and texts of the code are plain sentences, as CONTRIBUTING.md asks. */

const ROOT = resolve(import.meta.dirname, '../..');
const LONGEST_SENTENCE_WORDS = 32;

const HARD: { problem: string; pattern: RegExp }[] = [
  { problem: 'a headless subject', pattern: /^(What|Where|Who|Whom|Whose|Which)(ever)?\b.*[^?]$/s },
  { problem: '"of which"', pattern: /\bof which\b/i },
  { problem: '"so many"', pattern: /\bso many\b/i },
  { problem: '"as it stands"', pattern: /\bas it stands\b/i },
  { problem: '"stopped to answer"', pattern: /\bstopped to answer\b/i },
];

test('comments and texts are plain sentences', () => {
  const found = sourceFiles().flatMap(file =>
    prose(readFileSync(join(ROOT, file), 'utf8'), file.endsWith('x')).flatMap(({ text, line }) =>
      sentences(text).flatMap(sentence =>
        problems(sentence).map(problem => `${file}:${line} ${problem}: ${sentence}`),
      ),
    ),
  );
  assert.equal(found.length, 0, `\n${found.join('\n')}\n`);
});

test('the check finds comments and texts, and only the sentences in them', () => {
  const source = [
    '/** What waits is late. `what.is` waits. */',
    "const text = 'Where it waits, ' + 'nobody knows.';",
    'const sql = `SELECT what FROM work WHERE what.late = true AND not ? `;',
    `const spoken = \`Sent \${many} of which none came.\`; // Why it waits? Who knows?`,
  ].join('\n');
  assert.deepEqual(
    prose(source, false)
      .flatMap(({ text }) => sentences(text))
      .map(sentence => [sentence, ...problems(sentence)]),
    [
      ['What waits is late.', 'a headless subject'],
      ['`code` waits.'],
      ['Where it waits, nobody knows.', 'a headless subject'],
      ['Sent … of which none came.', '"of which"'],
      ['Why it waits?'],
      ['Who knows?'],
    ],
  );
});

function problems(sentence: string): string[] {
  const hard = HARD.filter(({ pattern }) => pattern.test(sentence)).map(({ problem }) => problem);
  const words = sentence.split(' ').filter(word => /[\p{L}\p{N}`…]/u.test(word)).length;
  return words > LONGEST_SENTENCE_WORDS ? [...hard, `${words} words`] : hard;
}

function sourceFiles(): string[] {
  return globSync('{server,client,dashboard}/src/**/*.{ts,tsx}', { cwd: ROOT })
    .concat(globSync('{scripts,server/bench}/**/*.ts', { cwd: ROOT }))
    .sort();
}

type Prose = { text: string; line: number };

/** The comments of a file, and its string literals that hold a sentence; joined strings count as one. */
function prose(source: string, jsx: boolean): Prose[] {
  const scanner = createScanner(
    false,
    jsx ? LanguageVariant.JSX : LanguageVariant.Standard,
    source,
  );
  const found: Prose[] = [];
  let joined: { text: string; start: number }[] = [];
  let plus = false;
  const lineAt = (position: number) => source.slice(0, position).split('\n').length;
  const close = () => {
    const text = joined.map(literal => literal.text).join('');
    const [first] = joined;
    if (first && isSentence(text)) found.push({ text, line: lineAt(first.start) });
    joined = [];
    plus = false;
  };
  const next = tokens(scanner);
  for (let kind = next(); kind !== SyntaxKind.EndOfFile; kind = next()) {
    if (isComment(kind)) {
      const line = lineAt(scanner.getTokenStart());
      found.push(...paragraphs(scanner.getTokenText()).map(text => ({ text, line })));
    } else if (isText(kind)) {
      const start = scanner.getTokenStart();
      const text = wholeText(scanner, kind, next);
      if (!plus) close();
      joined.push({ text, start });
      plus = false;
    } else if (kind === SyntaxKind.PlusToken) {
      plus = true;
    } else if (!isSpace(kind)) {
      close();
    }
  }
  close();
  return found;
}

/** The scanner alone knows no regular expression: a slash begins one unless a value stands before it. */
function tokens(scanner: Scanner): () => SyntaxKind {
  let afterValue = false;
  return () => {
    const before = scanner.getTokenEnd();
    let kind = scanner.scan();
    if (kind === SyntaxKind.SlashToken && !afterValue) kind = scanner.reScanSlashToken();
    if (scanner.getTokenEnd() === before) scanner.resetTokenState(before + 1);
    if (!isSpace(kind) && !isComment(kind)) afterValue = isValue(kind);
    return kind;
  };
}

function isValue(kind: SyntaxKind): boolean {
  return (
    kind === SyntaxKind.Identifier ||
    kind === SyntaxKind.CloseParenToken ||
    kind === SyntaxKind.CloseBracketToken ||
    kind === SyntaxKind.CloseBraceToken ||
    kind === SyntaxKind.StringLiteral ||
    kind === SyntaxKind.NumericLiteral
  );
}

function isComment(kind: SyntaxKind): boolean {
  return kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia;
}

function isSpace(kind: SyntaxKind): boolean {
  return kind === SyntaxKind.WhitespaceTrivia || kind === SyntaxKind.NewLineTrivia;
}

function isText(kind: SyntaxKind): boolean {
  return (
    kind === SyntaxKind.StringLiteral ||
    kind === SyntaxKind.NoSubstitutionTemplateLiteral ||
    kind === SyntaxKind.TemplateHead
  );
}

/** The text of a literal; a template's substitutions read as an ellipsis. */
function wholeText(scanner: Scanner, first: SyntaxKind, next: () => SyntaxKind): string {
  let text = scanner.getTokenValue();
  if (first !== SyntaxKind.TemplateHead) return text;
  for (let depth = 0; ; ) {
    const kind = next();
    if (kind === SyntaxKind.EndOfFile) return text;
    if (kind === SyntaxKind.OpenBraceToken) depth += 1;
    else if (kind === SyntaxKind.TemplateHead) wholeText(scanner, kind, next);
    else if (kind === SyntaxKind.CloseBraceToken && depth > 0) depth -= 1;
    else if (kind === SyntaxKind.CloseBraceToken) {
      const rest = scanner.reScanTemplateToken(false);
      text += `…${scanner.getTokenValue()}`;
      if (rest === SyntaxKind.TemplateTail) return text;
    }
  }
}

/** SQL, markup, commands and names are no sentences. */
function isSentence(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return (
    words.length > 3 &&
    /\s[a-z]/.test(text) &&
    !/\b[A-Z]{2,} .*\b[A-Z]{2,}\b|\w = |=>|;$|^<|[{}]/s.test(text)
  );
}

/** The paragraphs and list items of a comment, without its frame, tags and examples. */
function paragraphs(comment: string): string[] {
  return comment
    .replace(/^\/\/+|^\/\*+|\*+\/$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .replace(/```.*?```/gs, '')
    .split(/\n\s*\n|\n\s*- |\n(?=@)|\n\s*\|/)
    .map(text => text.trim())
    .filter(text => text !== '' && !/^(biome-ignore|@ts-|\/)/.test(text));
}

function sentences(text: string): string[] {
  return text
    .replace(/`[^`]*`/g, '`code`')
    .replace(/\{@link [^}]*\}/g, '`code`')
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?])\s+(?=["'(`\p{Lu}])/u)
    .filter(sentence => sentence !== '');
}
