import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchCommand } from '../bench/command.ts';
import { program } from '../src/cli/main.ts';
import { heldBy, IN_BLOCKS, IN_PROSE, isNamed } from './support/docs/held.ts';
import { beside, pasteCommandsOf } from './support/docs/paste.ts';
import { COMMANDS, type DocCommand, place, ROOT } from './support/docs/shown.ts';

/**
 * Each command of README and the docs runs, or support/docs/held.ts says why not. Here are those of README;
 * docs-commands.long.test.ts has the others.
 */

const inBlocks = COMMANDS.filter(({ isInBlock }) => isInBlock);
const inProse = COMMANDS.filter(({ isInBlock }) => !isInBlock);
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('every command in a block runs here, runs in another test, or has a reason why not', () => {
  assert.ok(inBlocks.length > 80, `${inBlocks.length} commands`);
  const orphans = inBlocks.filter(command => heldBy(command) === undefined).map(place);
  assert.deepEqual(
    orphans,
    [],
    'Say in server/test/support/docs/held.ts how these commands are held.',
  );
  for (const [page, lines] of Object.entries(IN_BLOCKS)) {
    for (const name of Object.keys(lines)) {
      const named = inBlocks.filter(
        command => command.page === page && isNamed(name, command.text),
      );
      const texts = new Set(named.map(({ text }) => text));
      assert.equal(texts.size, 1, `${page}: "${name}" is for one command, and names ${texts.size}`);
    }
  }
});

/** Spans such as `punctual pause`, and `npm run check`, are held by the two tests below and by docs.test.ts. */
function isOurs({ text }: DocCommand): boolean {
  return wordsOf(text) !== undefined || text.startsWith('npm run ');
}

test('every command in the text is one of Punctual or of the checkout, runs, or has a reason', () => {
  const orphans = inProse.filter(command => !isOurs(command) && heldBy(command) === undefined);
  assert.deepEqual(orphans.map(place), []);
  const texts = inProse.map(({ text }) => text);
  assert.deepEqual(
    Object.keys(IN_PROSE).filter(text => !texts.includes(text)),
    [],
    'no page has these any longer',
  );
});

test('a test that is said to hold a command is there, and has it', () => {
  const all = [...Object.values(IN_BLOCKS), IN_PROSE].flatMap(lines => Object.entries(lines));
  const wrong = all.filter(([, held]) => 'by' in held && !read(held.by).includes(held.holds));
  assert.deepEqual(wrong, []);
});

/** @returns what stands behind `punctual` where that is the program */
function wordsOf(text: string): string[] | undefined {
  const [, words] =
    /^(?:.* (?:--|exec punctual) |(?:[A-Z_]+=\S+ )*(?:npx )?(?:--no -- )?)punctual (.*)$/.exec(
      text,
    ) ?? [];
  return words?.split(' ');
}

test('commands and options of punctual are those of the command line', () => {
  let looked = 0;
  for (const command of COMMANDS) {
    const words = wordsOf(command.text);
    if (words === undefined) continue;
    let known = program();
    for (const word of words) {
      const next = known.commands.find(each => each.name() === word);
      const options = [...known.options.map(({ long }) => long), '--help'];
      if (next !== undefined) known = next;
      else if (word.startsWith('--') || known.commands.length > 0) {
        assert.ok(options.includes(word), `${place(command)}: there is no ${word}`);
      }
    }
    looked += 1;
  }
  assert.ok(looked > 40, `${looked} commands`);
});

test('files and variables that a command names are there', () => {
  const sources = globSync('{server,client,dashboard}/test/**/*.ts', { cwd: ROOT })
    .map(read)
    .join();
  for (const command of COMMANDS) {
    const files = command.text.matchAll(
      /(?<![\w/.*-])(?:server|docs|deploy|dashboard)\/[\w./*-]+|(?<=^node )\S+/g,
    );
    for (const [file] of files) {
      const isThere = file.startsWith('-') || globSync(file, { cwd: ROOT }).length > 0;
      assert.ok(isThere, `${place(command)}: there is no ${file}`);
    }
    if (!command.text.includes('node --test')) continue;
    for (const [, name] of command.text.matchAll(/\b([A-Z][A-Z_]+)=/g)) {
      assert.ok(sources.includes(`env.${name}`), `${place(command)}: no test reads ${name}`);
    }
  }
});

test('scenes of the bench, and their options, are those of the bench', () => {
  const calls = COMMANDS.flatMap(command => {
    // The comparison with others has a bench of its own, which takes what they bring.
    if (command.page.includes('peers')) return [];
    const [, scene, options] = /npm run bench -- (\w[\w-]*)(.*)/.exec(command.text) ?? [];
    return scene === undefined ? [] : [{ command, scene, options: options! }];
  });
  const { commands } = benchCommand();
  for (const { command, scene, options } of calls) {
    const help = commands.find(each => each.name() === scene)?.helpInformation() ?? '';
    assert.ok(help.startsWith(`Usage: npm run bench -- ${scene} `), place(command));
    for (const [option] of options.matchAll(/--[\w-]+/g)) {
      assert.ok(help.includes(`  ${option} `), `${place(command)}: ${scene} has no ${option}`);
    }
  }
});

pasteCommandsOf(['README.md']);

test('the line that README shows for a firing is what the terminal shows', async () => {
  const [, shown] = /```\n(\d\d:\d\d:\d\d.*late\))\n```/.exec(read('README.md'))!;
  const pattern = shown!
    .replaceAll(/[.()]/g, '\\$&')
    .replaceAll(/\d+/g, '\\d+')
    .replaceAll(/ {2,}/g, ' +');
  const line = new RegExp(`^${pattern}$`, 'm');
  const until = Date.now() + 20_000;
  while (!line.test(beside.terminal!.out)) {
    assert.ok(Date.now() < until, `${line} is not in:\n${beside.terminal!.out}`);
    await sleep(50);
  }
});
