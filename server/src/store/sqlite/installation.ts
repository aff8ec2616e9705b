import type { DatabaseSync } from 'node:sqlite';
import type { InstallationStore } from '../installation.ts';
import type { Commits } from './commit.ts';

export function sqliteInstallation(database: DatabaseSync, commits: Commits): InstallationStore {
  const find = database.prepare("SELECT value FROM installation WHERE name = 'paused'");
  const insert = database.prepare(
    "INSERT INTO installation (name, value) VALUES ('paused', ?) ON CONFLICT DO NOTHING",
  );
  const remove = database.prepare("DELETE FROM installation WHERE name = 'paused'");
  const since = () => {
    const row = find.get() as { value: string } | undefined;
    return row === undefined ? null : Number(row.value);
  };
  return {
    async pausedSince() {
      return since();
    },
    pause(now) {
      return commits.write(() => {
        insert.run(String(now));
        return since()!;
      });
    },
    resume() {
      return commits.write(() => remove.run().changes === 1);
    },
  };
}
