import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { PunctualError } from '../domain/errors.ts';
import { database } from '../setting-checks.ts';
import { type Database, type MovedTable, moveStore, openMove, undoMove } from '../store/open.ts';
import { print, table } from './output.ts';
import { progressBar } from './progress.ts';

interface Options {
  from: string;
  to?: string;
  undo?: boolean;
  json?: boolean;
}

export function moveCommand(program: Command): void {
  program
    .command('move')
    .description(
      'Carry an embedded store over to an empty PostgreSQL database: clients, keys, schedules, what ' +
        'is under way, and history. The service must be stopped. Killed, it goes on where it was.',
    )
    .requiredOption('--from <url>', 'the embedded store: sqlite: and a path')
    .option('--to <url>', 'a postgres:// url; DATABASE_URL where it is left out')
    .option('--undo', 'no move: let the service start on the embedded store again')
    .option('--json', 'print one JSON object, and no progress')
    .action(async ({ from, to, undo, json }: Options) => {
      const source = given('--from', from, 'sqlite');
      if (undo === true) await takeBack(source, json === true);
      else await move(source, targetOf(to), json === true);
    });
}

async function move(
  from: Database & { kind: 'sqlite' },
  to: Database & { kind: 'postgres' },
  json: boolean,
): Promise<void> {
  const { source, target } = await openMove(from, to, systemClock.now());
  const bar = progressBar(process.stdout, !json && process.stdout.isTTY, systemClock);
  try {
    const tables = await moveStore(source, target, step => bar.show(step));
    bar.clear();
    print(json, { tables }, done(tables, from.path));
  } finally {
    bar.clear();
    await Promise.all([source.close(), target.close()]);
  }
}

function done(tables: MovedTable[], path: string): string[] {
  const rows = tables.map(({ table, rows, sha256 }) => [table, String(rows), sha256]);
  return [
    'Moved. Both sides were read again, and are the same:',
    '',
    ...table(['TABLE', 'ROWS', 'SHA-256'], rows),
    '',
    'Start Punctual with DATABASE_URL set to the new database. On the old one it does not start any ' +
      'more: both would fire.',
    `Keep ${path} until you are content, or go back with "punctual move --from sqlite:${path} --undo".`,
  ];
}

async function takeBack(from: Database & { kind: 'sqlite' }, json: boolean): Promise<void> {
  const undone = await undoMove(from);
  const line = undone
    ? `Punctual starts on ${from.path} again, as it was. Never run it on the other database too.`
    : `${from.path} was not moved: there is nothing to undo.`;
  print(json, { undone }, [line]);
}

/** The setting keeps the password out of the list of processes. */
function targetOf(to: string | undefined): Database & { kind: 'postgres' } {
  const value = to ?? process.env.DATABASE_URL;
  if (!value) throw wrong('--to must be given, or DATABASE_URL set, to a postgres:// url.');
  return given(to === undefined ? 'DATABASE_URL' : '--to', value, 'postgres');
}

/** @throws PunctualError `setting_invalid` */
function given<Kind extends Database['kind']>(
  name: string,
  value: string,
  kind: Kind,
): Database & { kind: Kind } {
  const found = database(value, name);
  if (found.kind === kind) return found as Database & { kind: Kind };
  throw wrong(
    kind === 'sqlite'
      ? `${name} must be an embedded store, sqlite: and a path: nothing else can be moved.`
      : `${name} must be a postgres:// url: a store can be moved nowhere else.`,
  );
}

function wrong(sentence: string): PunctualError {
  return new PunctualError('setting_invalid', sentence);
}
