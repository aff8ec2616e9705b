import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Command, CommanderError } from 'commander';
import { program } from '../../src/cli/main.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { isLongRun, skipUnlessLong } from '../support/long.ts';
import { emptyFolder, type Folder } from '../support/service/command.ts';

/**
 * Bad input to every command that the command line has: one sentence, exit code 1 or 2, nothing made and nothing
 * lost. The commands and their options are its own, so a new one is held to this too.
 */

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
const groupsOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [] : [command, ...command.commands.flatMap(groupsOf)];

/** The words that call it. */
function wordsOf(command: Command): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

const LEAVES = leavesOf(program());
const nameOf = (command: Command) => `punctual ${wordsOf(command).join(' ')}`;
const taking = (command: Command) => command.options.filter(({ required }) => required);

/** All that it wants, each in turn with another value. */
function wanted(command: Command): { flag?: string; value: string }[] {
  const options = taking(command).filter(({ mandatory }) => mandatory);
  return [
    ...command.registeredArguments.filter(({ required }) => required).map(() => ({ value: 'x' })),
    ...options.map(({ long }) => ({ flag: long!, value: 'x' })),
  ];
}

const call = (command: Command, parts = wanted(command), ...more: string[]) => [
  ...wordsOf(command),
  ...parts.flatMap(({ flag, value }) => (flag === undefined ? [value] : [flag, value])),
  ...more,
];

/** @returns what it says, where it ends before any command has begun */
async function refusedUse(args: string[]): Promise<string> {
  let said = '';
  const all = program();
  for (const command of [...groupsOf(all), ...leavesOf(all)]) {
    command.configureOutput({
      writeErr: text => {
        said += text;
      },
    });
  }
  const refused = await all.parseAsync(args, { from: 'user' }).then(
    () => assert.fail(`punctual ${args.join(' ')} was taken`),
    (error: unknown) => error,
  );
  assert.ok(refused instanceof CommanderError, `${args.join(' ')}: ${refused}`);
  assert.notEqual(refused.exitCode, 0);
  return said;
}

describe('wrong use of every command is one sentence', () => {
  // A command that begins all the same ends here, and fails its test.
  process.env.DATABASE_URL = 'none of these commands may begin';

  const one = async (...args: string[]) => {
    const said = await refusedUse(args);
    assert.match(said, /^error: [^\n]+\n$/, `punctual ${args.join(' ')}`);
  };

  test('the command line has its commands', () => {
    assert.ok(LEAVES.length > 15, `${LEAVES.length} commands`);
  });

  for (const group of groupsOf(program())) {
    test(`${nameOf(group)} without a command, or with one that is none`, async () => {
      assert.match(await refusedUse(wordsOf(group)), /^Usage: punctual/);
      await one(...wordsOf(group), 'no-such-command');
      await one(...wordsOf(group), 'lost');
      await one(...wordsOf(group), '');
      await one(...wordsOf(group), '--no-such-option');
    });
  }

  for (const command of LEAVES) {
    test(nameOf(command), async () => {
      const parts = wanted(command);
      await one(...call(command, parts, '--no-such-option'));
      await one(...call(command, parts, '--no-such-option=1'));
      await one(...call(command, parts, 'one', 'too', 'many'));
      await one(...call(command, parts, ''));
      for (const part of parts) {
        await one(
          ...call(
            command,
            parts.filter(each => each !== part),
          ),
        );
        await one(
          ...call(
            command,
            parts.map(each => (each === part ? { ...part, value: '' } : each)),
          ),
        );
      }
      for (const option of taking(command)) {
        const others = parts.filter(({ flag }) => flag !== option.long);
        await one(...call(command, others, option.long!));
        await one(...call(command, others, option.long!, ''));
        await one(...call(command, others, `${option.long!}=`));
      }
      for (const { long } of command.options.filter(each => !each.required)) {
        await one(...call(command, parts, `${long}=1`));
      }
    });
  }
});

/** All files, with what is in them. */
function contentOf(folder: Folder): Record<string, string> {
  const files = globSync('**', { cwd: folder.path, exclude: name => name === '.' });
  return Object.fromEntries(
    files.sort().map(file => {
      const path = join(folder.path, file);
      return [file, statSync(path).isFile() ? readFileSync(path).toString('base64') : 'a folder'];
    }),
  );
}

/** A path of the store, with what is put there. */
const STORES: Record<string, (folder: Folder) => string | Promise<string>> = {
  'a damaged file': ({ path }) => {
    writeFileSync(join(path, 'store.db'), randomBytes(8_192));
    return './store.db';
  },
  none: () => './store.db',
  'a text': ({ path }) => {
    writeFileSync(join(path, 'store.db'), 'hello');
    return './store.db';
  },
  'half of a store': async ({ path }) => {
    await openSqlite(join(path, 'whole.db')).close();
    const whole = readFileSync(join(path, 'whole.db'));
    // The first page is whole, and says of how many others there are.
    writeFileSync(join(path, 'store.db'), whole.subarray(0, 4_096));
    return './store.db';
  },
  'a folder': ({ path }) => {
    mkdirSync(join(path, 'store.db'));
    return './store.db';
  },
  'a path through a file': ({ path }) => {
    writeFileSync(join(path, 'file'), 'hello');
    return './file/store.db';
  },
  'a path where nothing can be made': () => '/proc/none/store.db',
};
const BESIDE = ['.engine', '-wal', '-shm'];
/** Commands of one group open their store by the same lines: the quick run takes the first of each. */
const OPENING = LEAVES.filter(
  command =>
    isLongRun || command.parent?.parent === null || command === command.parent?.commands[0],
);
/** These make a store, where there is none. */
const MAKES = ['serve', 'dev', 'migrate'];

/** The store that is not to be opened, and else what the command wants. */
function callOn(command: Command, path: string): string[] {
  if (command.name() !== 'move') return call(command);
  return ['move', '--from', `sqlite:${path}`, '--to', 'postgres://u:hidden@127.0.0.1:1/x'];
}

for (const [kind, put] of Object.entries(STORES)) {
  const skip = kind !== 'a damaged file' && skipUnlessLong;
  describe(`where the store is ${kind}`, { concurrency: 3, skip }, () => {
    for (const command of OPENING) {
      if (kind === 'none' && MAKES.includes(command.name())) continue;
      test(nameOf(command), { timeout: 60_000 }, async context => {
        const folder = emptyFolder(context);
        const path = await put(folder);
        const before = contentOf(folder);
        const { code, out, err } = await folder.run(callOn(command, path), {
          DATABASE_URL: `sqlite:${path}`,
          PUNCTUAL_SECRET_KEY:
            command.name() === 'encrypt' ? randomBytes(32).toString('base64') : '',
        });
        assert.equal(code, 1, out + err);
        if (command.name() === 'doctor') assert.match(out, /^problem +store: \S.+\.$/m);
        else assert.match(err, /^[A-Z][^\n]+\.\n$/);
        assert.doesNotMatch(out + err, /\n +at /);
        const after = contentOf(folder);
        // What stands beside every store that is read or locked: this one is, until its lack is met.
        if (kind === 'half of a store') for (const end of BESIDE) delete after[`store.db${end}`];
        assert.deepEqual(after, before);
      });
    }
  });
}
