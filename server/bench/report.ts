import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { type Figure, mean, type Result, whole } from './result.ts';
import { SCENES } from './scenes.ts';

/**
 * `npm run bench -- report`: results as the tables of docs/performance/figures.md, and in short as the table of
 * docs/performance.md. A test compares the pages with the results, so figures are changed by measuring.
 */
const BEGIN = /<!-- figures: npm run bench -- report [^>]+ -->/;
const END = '<!-- end of figures -->';

export function reportCommand(): Command {
  return new Command('report')
    .description('Prints results, kept with --json, as the tables of docs/performance/figures.md.')
    .argument('<results...>', 'files that --json wrote')
    .option('--summary', 'prints one table of all scenes, with the targets alone')
    .option('--write <page>', 'puts them into this page instead')
    .action((files: string[], { summary, write }: { summary?: true; write?: string }) => {
      const report = (summary ? summaryOf : reportOf)(files.map(readResult));
      if (write === undefined) process.stdout.write(report);
      else writeFileSync(write, withReport(readFileSync(write, 'utf8'), report));
    });
}

export function readResult(file: string): Result {
  return JSON.parse(readFileSync(file, 'utf8'));
}

export function reportOf(results: Result[]): string {
  return inOrder(results).map(sectionOf).join('\n');
}

/** One row for each result: its first target, how many of its targets it reached, and those that it missed. */
export function summaryOf(results: Result[]): string {
  const rows = inOrder(results).map(({ scene, settings, figures }) => {
    const wanted = figures.filter(({ pass }) => pass !== null);
    const missed = wanted.filter(({ pass }) => !pass);
    const reached = `${wanted.length - missed.length} of ${wanted.length}`;
    const [first] = wanted;
    const cells = [
      `\`${scene}\` on ${settings.store ?? 'sqlite'}`,
      first === undefined ? '' : sentenceOf(first),
      missed.length === 0
        ? reached
        : `${reached}, **missed:** ${missed.map(sentenceOf).join('; ')}`,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| Scene | First figure | Targets reached |', '|---|---|---|', ...rows, ''].join('\n');
}

function sentenceOf({ what, measured, target }: Figure): string {
  return `${what}: ${measured} (wanted: ${target})`;
}

/** In the order of the scenes, however the results come. */
function inOrder(results: Result[]): Result[] {
  const places = SCENES.map(({ name }) => name);
  const place = ({ scene }: Result) => places.indexOf(scene);
  return results.toSorted((a, b) => place(a) - place(b));
}

/** @throws where the page has no place for it */
export function withReport(page: string, report: string): string {
  const [line] = BEGIN.exec(page) ?? [''];
  const begin = page.indexOf(line);
  const end = page.indexOf(END);
  if (line === '' || end < begin) {
    throw new Error(
      `the page needs the lines <!-- figures: npm run bench -- report … --> and ${END}`,
    );
  }
  return `${page.slice(0, begin + line.length)}\n\n${report}\n${page.slice(end)}`;
}

function sectionOf(result: Result): string {
  const rows = result.figures.map(({ what, measured, target, pass }) => {
    const verdict = pass === null ? '' : pass ? 'pass' : '**miss**';
    return `| ${what} | ${measured} | ${target ?? ''} | ${verdict} |`;
  });
  const warnings = result.warnings.map(warning => `**Warning.** ${warning}\n`);
  return [
    `### ${result.scene}\n`,
    ...warnings,
    '| | Measured | Wanted | |',
    '|---|---|---|---|',
    ...rows,
    ...(result.bare.length > 0 ? [`| bare client, same run | ${bareOf(result)} | | |`] : []),
    `\n${originOf(result)}\n`,
  ].join('\n');
}

function bareOf({ bare }: Result): string {
  const perSecond = bare.map(rate => rate.perSecond);
  const micros = mean(bare.map(({ cpuMicros }) => cpuMicros)).toFixed(0);
  return `${whole(Math.min(...perSecond))}-${whole(Math.max(...perSecond))} requests/s, ${micros} µs each`;
}

function originOf({ date, commit, machine, versions, target, settings }: Result): string {
  const { processor, cores, memoryGb, system } = machine;
  const named = (record: Record<string, unknown>) =>
    Object.entries(record)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ');
  return (
    `${date.slice(0, 10)}, commit ${commit}; ${named(settings)}; target ${target}; ` +
    `${cores} cores of ${processor}, ${memoryGb} GB, ${system}; ${named(versions)}.`
  );
}
