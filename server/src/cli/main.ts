import { Command, CommanderError } from 'commander';
import { PunctualError, withReason } from '../domain/errors.ts';
import { commit, VERSION } from '../version.ts';
import { backupCommand } from './backup.ts';
import { clientCommand } from './client.ts';
import { devCommand } from './dev.ts';
import { doctorCommand } from './doctor.ts';
import { encryptCommand } from './encrypt.ts';
import { issuerCommand } from './issuer.ts';
import { keyCommand } from './key.ts';
import { migrateCommand } from './migrate.ts';
import { moveCommand } from './move.ts';
import { fail, SETTINGS_HELP } from './output.ts';
import { pauseCommands } from './pause.ts';
import { secretCommand } from './secret.ts';
import { serveCommand } from './serve.ts';

/** The command line. Exit codes: 0 done, 1 it failed (one sentence says why), 2 wrong usage. */
export async function main(argv: string[]): Promise<void> {
  try {
    await program().parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else if (error instanceof PunctualError) {
      fail(withReason(error), argv.includes('--json'));
    } else {
      throw error;
    }
  }
}

/** All commands, with their options. */
export function program(): Command {
  const command = new Command('punctual')
    .description('Calls your URLs on time: a self-hosted HTTP schedule service.')
    .option('-V, --version', 'print the version, and the commit that it was built from')
    .on('option:version', printVersion)
    .addHelpText('after', SETTINGS_HELP)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/\n(?=.)/, ' ')) })
    .hook('preAction', (_, action) => refuseEmpty(action));
  for (const add of COMMANDS) {
    add(command);
  }
  return command;
}

/** A variable of a script that is not set: nothing is meant by it. */
function refuseEmpty(command: Command): void {
  const option = command.options.find(each => command.opts()[each.attributeName()] === '');
  const argument = command.registeredArguments[command.args.indexOf('')]?.name();
  const what = option?.flags ?? argument;
  if (what !== undefined) command.error(`error: ${what} is empty`);
}

/** Commander's own would ask for the commit at each start. */
function printVersion(): never {
  const builtFrom = commit();
  process.stdout.write(`${VERSION}${builtFrom === null ? '' : ` (${builtFrom})`}\n`);
  throw new CommanderError(0, 'commander.version', VERSION);
}

const COMMANDS = [
  devCommand,
  serveCommand,
  migrateCommand,
  moveCommand,
  backupCommand,
  doctorCommand,
  pauseCommands,
  clientCommand,
  keyCommand,
  secretCommand,
  encryptCommand,
  issuerCommand,
];
