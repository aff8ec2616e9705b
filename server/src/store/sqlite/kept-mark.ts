import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { InstallationStore, Loss } from '../contract/installation.ts';
import type { GroupCommit } from './group-commit.ts';

/**
 * The kept mark: an instant that a commit writes into the database and, once it is on the disk, into a file beside
 * it. A database that knows an earlier one than the file has lost what it acknowledged in between.
 *
 * A plain kill leaves the file behind the database, never ahead of it. Nobody waits for the file to reach the disk.
 * It names the database's file, so a copy under the same name has no mark.
 */

/** The mark follows a write after this time at most, and costs one commit more at most. */
const EVERY_MS = 1_000;
/** The mark in a backup: what it lacks is no loss. */
const COPIED = 'copied';

export function sqliteKeptMark(
  database: DatabaseSync,
  commits: GroupCommit,
): Pick<InstallationStore, 'beginKeeping' | 'lastLoss'> {
  const path = database.location();
  const find = database.prepare('SELECT value FROM installation WHERE name = ?');
  const put = database.prepare(
    'INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const noted = (name: string) => find.get(name)?.value as string | undefined;

  function foundLoss(path: string): Loss | null {
    // The file first: the database is ahead of it while the service runs.
    const until = markBeside(path);
    const kept = noted('kept');
    if (until === null || kept === COPIED || Number(kept ?? 0) >= until) return null;
    return { since: kept === undefined ? null : Number(kept), until };
  }

  function keep(path: string, startedAt: number): void {
    const file = identityOf(path);
    const aheadMs = startedAt - performance.now();
    let mark = Number(noted('kept')) || 0;
    let isMarked = false;
    let isBehind = false;
    let nextAt = Number.NEGATIVE_INFINITY;
    let isTimed = false;
    commits.beforeCommit(() => {
      isMarked = performance.now() >= nextAt;
      isBehind = !isMarked;
      if (!isMarked) return;
      nextAt = performance.now() + EVERY_MS;
      mark = Math.max(mark + 1, Math.round(performance.now() + aheadMs));
      put.run('kept', String(mark));
    });
    commits.afterCommit(() => {
      if (isMarked) markFile(path, `${mark} ${file}`);
      if (!isBehind || isTimed) return;
      isTimed = true;
      setTimeout(markAgain, EVERY_MS).unref();
    });
    function markAgain(): void {
      isTimed = false;
      // A commit that fails says so to its writers; this one has none.
      if (isBehind) commits.write(() => {}).catch(() => {});
    }
  }

  return {
    async beginKeeping(now) {
      if (path === null) return null;
      const loss = await commits.write(() => {
        const loss = foundLoss(path);
        if (loss !== null) put.run('lost', JSON.stringify(loss));
        return loss;
      });
      keep(path, now);
      await commits.write(() => {});
      return loss;
    },
    async lastLoss() {
      const lost = noted('lost');
      return (path && foundLoss(path)) || (lost === undefined ? null : JSON.parse(lost));
    },
  };
}

/** Says in a copy that it is one. */
export function markAsCopy(database: DatabaseSync): void {
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'installation'").get();
  if (known === undefined) return;
  database.exec(`
    INSERT INTO installation (name, value) VALUES ('kept', '${COPIED}')
    ON CONFLICT DO UPDATE SET value = excluded.value`);
}

const fileOf = (path: string) => `${path}.kept`;

/** One whose file cannot be written stays behind, and raises no alarm. */
function markFile(path: string, text: string): void {
  try {
    writeFileSync(fileOf(path), text, { mode: 0o600 });
  } catch {}
}

/** Epoch ms; null where there is none, or it is of another file. */
function markBeside(path: string): number | null {
  try {
    const [mark, file] = readFileSync(fileOf(path), 'utf8').split(' ');
    return file === identityOf(path) && /^\d+$/.test(mark!) ? Number(mark) : null;
  } catch {
    return null;
  }
}

/** The number of a file that is gone may be given to the next one, which is younger. */
function identityOf(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return `${ino}-${birthtimeNs}`;
}
