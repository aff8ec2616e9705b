import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { faultOf, type Sentence, sentencesOf } from './support/docs/sentences.ts';

/** Plain sentences, as CONTRIBUTING.md asks for them, in all that somebody reads without the code. */

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
/** Programs write these: lists of figures, and the licences that a package ships. */
const GENERATED = new Set(['figures.md', 'THIRD-PARTY.md']);
const FOLDERS = ['.', 'docs', 'client', 'server', '.github', '.github/ISSUE_TEMPLATE'];
const PAGES = [
  ...FOLDERS.flatMap(folder => pagesIn(folder, false)),
  ...['docs/decisions', 'docs/performance', 'server/bench/peers'].flatMap(at => pagesIn(at, true)),
];

function pagesIn(folder: string, recursive: boolean): string[] {
  return readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter(file => file.endsWith('.md') && !file.includes('node_modules') && !GENERATED.has(file))
    .map(file => join(folder, file));
}

const faultsOf = (file: string, sentences: Sentence[]) =>
  sentences.flatMap(sentence => {
    const fault = faultOf(sentence);
    return fault ? [`${file}:${sentence.line} ${fault}: ${sentence.text}`] : [];
  });

test('a page is made of plain sentences', () => {
  assert.ok(PAGES.length > 40);
  const faults = PAGES.flatMap(page => faultsOf(page, sentencesOf(read(page))));
  assert.deepEqual(faults, []);
});

test('an alert says in plain sentences what is wrong', () => {
  const file = 'docs/monitoring/alerts.yml';
  const text = read(file);
  const { groups } = parse(text) as {
    groups: { rules: { alert: string; annotations: Record<string, string> }[] }[];
  };
  const faults = groups
    .flatMap(({ rules }) => rules)
    .flatMap(({ alert, annotations }) => {
      const line = text.slice(0, text.indexOf(`alert: ${alert}\n`)).split('\n').length;
      const said = Object.values(annotations).flatMap(sentencesOf);
      return faultsOf(
        file,
        said.map(sentence => ({ ...sentence, line })),
      );
    });
  assert.deepEqual(faults, []);
});

test('a hard sentence is found with its line, and a plain one is not', () => {
  const page = [
    '# What it is',
    '',
    'A run is sent. Is it late?',
    'What is late is missed. Where is it?',
    '- It waits `as it stands`; the rows, of which',
    '  ten are late, wait.',
    '| What |',
    '|---|',
    `| ${'word '.repeat(40)}|`,
    '```',
    'What is code is no sentence.',
    '```',
    `1. ${'word '.repeat(33)}`,
    `2. It knows ${'`name`, '.repeat(40)}and \`name\`.`,
  ].join('\n');
  assert.deepEqual(
    sentencesOf(page)
      .map(sentence => `${sentence.line} ${faultOf(sentence) ?? ''}`)
      .filter(each => !each.endsWith(' ')),
    ['4 begins with a headless What, Where or Who', '5 says "of which"', '13 has 33 words'],
  );
});
