import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { migrateStore, nameOf } from '../store/open.ts';
import { print } from './output.ts';

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database to the newest version; dev and serve do so by themselves.')
    .option('--json', 'print one JSON object')
    .action(async ({ json }: { json?: boolean }) => {
      const { database } = readConfig(process.env);
      const { from, to } = await migrateStore(database);
      const line =
        from === to
          ? `The store (${nameOf(database)}) is at version ${to} already.`
          : `The store (${nameOf(database)}) was brought from version ${from} to ${to}.`;
      print(json === true, { from, to }, [line]);
    });
}
