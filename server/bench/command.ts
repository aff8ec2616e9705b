import { writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  describeCommit,
  describeMachine,
  describeVersions,
  warningsOfSpread,
  watchOthers,
} from './machine.ts';
import { pictureOf } from './picture.ts';
import { profileCommand } from './profile.ts';
import { reportCommand } from './report.ts';
import { type Result, tableOf } from './result.ts';
import { SCENES } from './scenes.ts';
import { type Options, type Scene, Session } from './session.ts';

const DEFAULTS: Options = {
  store: 'sqlite',
  nodes: 1,
  schedules: 20_000,
  duration: 60,
  rounds: 1,
  rest: [],
  runs: 0,
  folder: undefined,
  profile: undefined,
};

interface Files {
  json?: string;
  svg?: string;
}

function commandOf(scene: Scene): Command {
  const { schedules, duration, rounds, rest, runs, store, nodes } = {
    ...DEFAULTS,
    ...scene.defaults,
  };
  const has = (name: keyof Options) => name in scene.defaults;
  const command = new Command(scene.name).description(scene.about);
  const number = (flags: string, about: string, fallback: number, variable: string) =>
    command.addOption(new Option(flags, about).argParser(positive).default(fallback).env(variable));
  command.addOption(
    new Option('--store <kind>', 'where the schedules are kept')
      .choices(['sqlite', 'postgres'])
      .default(store),
  );
  number('--nodes <count>', 'of Punctual, on PostgreSQL', nodes, 'BENCH_NODES');
  if (has('schedules')) number('--schedules <count>', 'that fire', schedules, 'BENCH_SCHEDULES');
  if (has('duration')) {
    number('--duration <seconds>', 'of each measured window', duration, 'BENCH_DURATION');
  }
  if (has('rounds')) number('--rounds <count>', 'to take the median of', rounds, 'BENCH_ROUNDS');
  if (has('runs')) number('--runs <count>', 'in history before', runs, 'BENCH_RUNS');
  if (has('rest')) {
    command.option('--rest <counts>', 'schedules at rest, step by step', list, rest);
  }
  return command
    .option('--folder <path>', 'where the embedded store stands, on the disk to be measured')
    .option('--profile <folder>', 'has V8 write profiles of the nodes, for the command profile')
    .option('--json <file>', 'keeps the result')
    .option('--svg <file>', 'draws the distribution of lateness')
    .action(async (given: Partial<Options> & Files) => {
      await runScene(scene, { ...DEFAULTS, ...given }, given);
    });
}

async function runScene(scene: Scene, options: Options, files: Files): Promise<void> {
  if (options.nodes > 1 && options.store === 'sqlite') {
    throw new Error('more than one node needs --store postgres');
  }
  const others = await watchOthers();
  const date = new Date().toISOString();
  await using session = new Session(options);
  session.say(`${scene.name}: ${scene.about}`);
  for (const warning of others.warnings) session.say(`WARNING: ${warning}`);
  await scene.run(session);
  const { bare, rounds, figures, lateness } = session;
  const rates = bare.map(({ perSecond }) => perSecond);
  const result: Result = {
    scene: scene.name,
    date,
    commit: describeCommit(),
    machine: describeMachine(),
    versions: describeVersions(),
    target: session.targetName,
    settings: settingsOf(scene, options),
    bare,
    rounds,
    figures,
    lateness,
    warnings: [...others.warnings, ...others.since(), ...warningsOfSpread(rates)],
  };
  session.say(`\n${tableOf(result)}`);
  if (files.json) writeFileSync(files.json, jsonOf(result));
  if (files.svg) writeFileSync(files.svg, pictureOf(result));
  if (figures.some(({ pass }) => pass === false)) process.exitCode = 1;
}

/** Hundreds of pairs of numbers take one line each. */
function jsonOf(result: Result): string {
  const text = JSON.stringify(result, null, 1);
  return `${text.replace(/\[\s+([\d.]+),\s+([\d.]+)\s+\]/g, '[$1, $2]')}\n`;
}

/** The scene's own options, and the settings of Punctual that the shell brought along. */
function settingsOf(scene: Scene, options: Options): Record<string, unknown> {
  const names: (keyof Options)[] = ['store', 'nodes', ...(Object.keys(scene.defaults) as [])];
  const ours = Object.entries(process.env).filter(([name]) => name.startsWith('PUNCTUAL_'));
  return Object.fromEntries([...names.map(name => [name, options[name]]), ...ours]);
}

function positive(value: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

function list(value: string): number[] {
  return value.split(',').map(positive);
}

/** The command line of the bench: a command for each scene, and those for what is measured already. */
export function benchCommand(): Command {
  const program = new Command('npm run bench --')
    .description('Measures Punctual by scenes, each beside the bare HTTP client of the same run.')
    .showHelpAfterError()
    .enablePositionalOptions();
  for (const scene of SCENES) {
    program.addCommand(commandOf(scene), { isDefault: scene === SCENES[0] });
  }
  return program.addCommand(reportCommand()).addCommand(profileCommand());
}
