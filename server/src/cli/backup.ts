import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { backUpStore, nameOf } from '../store/open.ts';
import { print } from './output.ts';

export function backupCommand(program: Command): void {
  program
    .command('backup')
    .description('Copy an embedded store into a new file. Works beside a running service.')
    .argument('<file>', 'where the copy shall stand; refused where there is a file')
    .option('--json', 'print one JSON object')
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { database } = readConfig(process.env);
      const made = await backUpStore(database, file);
      const megabytes = (made.bytes / 1e6).toFixed(1);
      print(json === true, made, [
        `${nameOf(database)} was copied to ${made.file} (${megabytes} MB), and the copy was checked.`,
        'The key that encrypts its secrets (PUNCTUAL_SECRET_KEY or its file) is not in it: keep that apart.',
      ]);
    });
}
