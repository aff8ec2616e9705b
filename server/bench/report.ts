import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { mean, type Result, whole } from './result.ts';
import { SCENES } from './scenes.ts';

/**
 * `npm run bench -- report`: results as the tables of docs/performance.md. A test compares the page
 * with the results beside it, so figures are changed by measuring.
 */
const BEGIN =
  '<!-- figures: npm run bench -- report docs/performance/*.json --write docs/performance.md -->';
const END = '<!-- end of figures -->';

export function reportCommand(): Command {
  return new Command('report')
    .description('Prints results, kept with --json, as the tables of docs/performance.md.')
    .argument('<results...>', 'files that --json wrote')
    .option('--write <page>', 'puts them into this page instead')
    .action((files: string[], { write }: { write?: string }) => {
      const report = reportOf(files.map(readResult));
      if (write === undefined) process.stdout.write(report);
      else writeFileSync(write, withReport(readFileSync(write, 'utf8'), report));
    });
}

export function readResult(file: string): Result {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** In the order of the scenes, however the results come. */
export function reportOf(results: Result[]): string {
  const places = SCENES.map(({ name }) => name);
  const place = ({ scene }: Result) => places.indexOf(scene);
  return results
    .toSorted((a, b) => place(a) - place(b))
    .map(sectionOf)
    .join('\n');
}

/** @throws where the page has no place for it */
export function withReport(page: string, report: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the page needs the lines ${BEGIN} and ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${report}\n${page.slice(end)}`;
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
