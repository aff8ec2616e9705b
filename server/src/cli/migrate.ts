import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { migrateStore } from '../store/open.ts';
import { print } from './output.ts';

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database to the newest version; dev and serve do so by themselves.')
    .option('--json', 'print one JSON object')
    .action(async ({ json }: { json?: boolean }) => {
      const { from, to } = await migrateStore(readConfig(process.env).database);
      const line =
        from === to
          ? `The database is at version ${to} already.`
          : `The database was brought from version ${from} to ${to}.`;
      print(json === true, { from, to }, [line]);
    });
}
