import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The commands that a page shows: those of its shell blocks, and those that stand in its text as code. */

export const ROOT = join(import.meta.dirname, '../../../..');

const PAGES = ['*.md', '{docs,deploy,client,server}/**/*.md']
  .flatMap(pattern => globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules'] }))
  // What a version brought is no instruction, and the licences of others are theirs.
  .filter(page => !/CHANGELOG|THIRD-PARTY/.test(page))
  .sort();

export interface DocCommand {
  page: string;
  line: number;
  /** As the page has it, in one line, without the remark behind it. */
  text: string;
  isInBlock: boolean;
}

const BLOCK = /^```(\w*)\n([\s\S]*?)^```/gm;
const SHELLS = ['sh', 'shell', 'bash', 'console'];
/** A code span that begins so is a command; others are names, bodies and values. */
const PROGRAM =
  /^(?:[A-Z_]+=\S+ )*(?:npx|npm|node|curl|docker|kubectl|promtool|openssl|systemctl|systemd-analyze|pg_dump|apt-get|punctual) \S/;

function commandsOf(page: string): DocCommand[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const lineAt = (index: number) => text.slice(0, index).split('\n').length;
  const found: DocCommand[] = [];
  for (const match of text.matchAll(BLOCK)) {
    if (!SHELLS.includes(match[1]!)) continue;
    const first = lineAt(match.index) + 1;
    found.push(
      ...inBlock(match[2]!, first).map(command => ({ page, isInBlock: true, ...command })),
    );
  }
  const prose = text.replace(BLOCK, block => block.replace(/[^\n]/g, ' '));
  for (const { 1: code, index } of prose.matchAll(/(?<!`)`([^`]+)`(?!`)/g)) {
    const command = code!.replace(/\s+/g, ' ');
    if (PROGRAM.test(command))
      found.push({ page, line: lineAt(index), text: command, isInBlock: false });
  }
  return found;
}

/** Lines that belong together are one command: the shell itself says where one ends. */
function inBlock(block: string, first: number): Omit<DocCommand, 'page' | 'isInBlock'>[] {
  const found: Omit<DocCommand, 'page' | 'isInBlock'>[] = [];
  let open = '';
  let line = first;
  for (const [index, raw] of block.split('\n').entries()) {
    if (open === '') line = first + index;
    open += `${raw}\n`;
    if (raw.endsWith('\\') || !isWhole(open)) continue;
    const text = withoutRemark(open.replace(/\\\n\s*/g, '').trim());
    if (text !== '') found.push({ line, text });
    open = '';
  }
  if (open.trim() !== '') found.push({ line, text: open.trim() });
  return found;
}

function isWhole(text: string): boolean {
  return (
    spawnSync('bash', ['-n'], { input: text, stdio: ['pipe', 'ignore', 'ignore'] }).status === 0
  );
}

function withoutRemark(text: string): string {
  return text.replace(/(^|\s+)#\s.*$/, '');
}

export const COMMANDS = PAGES.flatMap(commandsOf);

export const place = ({ page, line, text }: DocCommand) => `${page}, line ${line}: ${text}`;
