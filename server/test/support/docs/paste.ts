import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type PostgresServer, startPostgres } from '../store/postgres-server.ts';
import { heldBy, IN_BLOCKS, type Runs } from './held.ts';
import { COMMANDS, place, ROOT } from './shown.ts';

interface Pasted {
  child: ChildProcess;
  out: string;
  err: string;
}

/** This ends a command that hangs. On a busy machine `npx` alone takes several seconds. */
const PATIENCE_MS = 180_000;

/** The terminal of the one command that goes on beside the others. */
export const beside: { terminal?: Pasted } = {};

/** A test for each command that these pages have to run, in the order of the table, in one folder. */
export function pasteCommandsOf(pages: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-docs-'));
  const running = new Set<ChildProcess>();
  let postgres: PostgresServer | undefined;
  const known: Record<string, string> = {
    USER: execFileSync('id', ['-un'], { encoding: 'utf8' }).trim(),
    OLD_KEY: Buffer.alloc(32, 1).toString('base64'),
    NEW_KEY: Buffer.alloc(32, 2).toString('base64'),
  };

  before(async () => {
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    for (const part of ['backups', 'var']) mkdirSync(join(folder, part));
    symlinkSync(join(ROOT, 'server'), join(folder, 'node_modules/punctual'));
    symlinkSync('../punctual/bin/punctual.js', join(folder, 'node_modules/.bin/punctual'));
    if (!pages.includes('docs/scaling.md')) return;
    postgres = await startPostgres();
    for (const name of ['FIRST', 'SECOND', 'DUMPED', 'RESTORED']) {
      known[`${name}_DATABASE`] = await postgres.createDatabase();
    }
  });
  after(async () => {
    for (const child of running) await stop(child);
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Names in the docs that stand for what a reader has, and what the test has for them. */
  function ours(text: string): string {
    const swaps: [string, string | undefined][] = [
      ['http://127.0.0.1:8080', known.URL],
      ['"$(openssl rand -base64 32)"', '"$OLD_KEY"'],
      ['postgres://punctual:…@db.example/punctual', known.FIRST_DATABASE],
      ['postgres://…', known.SECOND_DATABASE],
      ['postgres://db.example/dumped', known.DUMPED_DATABASE],
      ['postgres://punctual@db.example/restored', known.RESTORED_DATABASE],
      ['sqlite:…', `sqlite:${folder}/var/punctual.db`],
      ['/var/lib/punctual/', `${folder}/var/`],
      ['/opt/punctual', folder],
      ['/etc/punctual.env', `${folder}/punctual.env`],
      ['/backups/punctual-2026-11-23.db', '/backups/punctual-2*.db'],
      ['/backups/', `${folder}/backups/`],
      ['chown punctual:', `chown ${known.USER}:`],
      ['CLIENTID', known.MADE_CLIENT],
      ['KEYID', known.MADE_KEY],
    ];
    return swaps.reduce((all, [theirs, value]) => all.replaceAll(theirs, value ?? theirs), text);
  }

  /** Later commands need what earlier ones have printed. The first service and schedule are the reader's. */
  function remember(text: string): void {
    const found = (name: string, pattern: RegExp) => {
      const value = pattern.exec(text)?.[1];
      if (value !== undefined) known[name] = value;
    };
    found('MADE_CLIENT', /^ClientId: +(\S+)/m);
    found('MADE_KEY', /^Key (\S+) was made/m);
    if (known.ID === undefined) found('ID', /^\{"id":"([^"]+)"/);
    if (known.URL !== undefined) return;
    found('CLIENT_ID', /^ {2}ClientId: (\S+)/m);
    found('API_KEY', /^ {2}ApiKey: +(\S+)/m);
    found('URL', /listens on (\S+) and/);
  }

  function environmentOf({ env = {} }: Runs): Record<string, string | undefined> {
    // An empty one is left out.
    const own = Object.entries(env).map(([name, value]) => [name, ours(value) || undefined]);
    return {
      PATH: process.env.PATH,
      HOME: folder,
      PORT: '0',
      DATABASE_URL: `sqlite:${folder}/var/punctual.db`,
      // npx has the package, as in a folder where it is installed; it may not look for another one.
      npm_config_offline: 'true',
      ...known,
      ...Object.fromEntries(own),
    };
  }

  /** @returns when it has ended or, where it stays, has printed what it shall */
  async function paste(text: string, run: Runs): Promise<Pasted> {
    const child = spawn('bash', ['-c', ours(text)], {
      cwd: run.inCheckout ? ROOT : folder,
      detached: true,
      env: environmentOf(run),
    });
    running.add(child);
    const pasted = { child, out: '', err: '' };
    const closed = once(child, 'close');
    child.stderr.on('data', chunk => {
      pasted.err += chunk;
    });
    const hasSaid = new Promise<void>(resolve => {
      child.stdout.on('data', chunk => {
        pasted.out += chunk;
        if (run.stays !== undefined && run.prints.test(pasted.out)) resolve();
      });
    });
    await Promise.race([closed, hasSaid]);
    remember(pasted.out);
    return pasted;
  }

  async function stop(child: ChildProcess): Promise<void> {
    running.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    process.kill(-child.pid!, 'SIGTERM');
    await closed;
  }

  for (const page of [...Object.keys(IN_BLOCKS), 'docs/monitoring.md']) {
    if (!pages.includes(page)) continue;
    let exported = '';
    for (const command of COMMANDS.filter(each => each.page === page)) {
      const run = heldBy(command) as Runs | undefined;
      if (run?.prints === undefined) continue;
      test(place(command), { timeout: PATIENCE_MS, skip: run.skip ?? false }, async t => {
        if (run.before !== undefined) await paste(run.before, run);
        const text = command.text.replace(run.without ?? '', '');
        const pasted = await paste(exported + text, run);
        if (run.skipsAt?.test(pasted.err)) return t.skip(pasted.err.split('\n')[0]);
        assert.match(pasted.out + pasted.err, run.prints);
        if (text.startsWith('export ')) exported += `${text}\n`;
        if (run.stays === undefined) assert.equal(pasted.child.exitCode, 0, pasted.err);
        else if (run.stays === 'this test') await stop(pasted.child);
        else beside.terminal = pasted;
      });
    }
  }
}
