import type { DatabaseSync } from 'node:sqlite';
import { BREAKER } from '../columns.ts';
import type { BreakerStore } from '../contract/breakers.ts';
import type { GroupCommit } from './group-commit.ts';

export function sqliteBreakers(database: DatabaseSync, commits: GroupCommit): BreakerStore {
  const note = database.prepare(`
    INSERT INTO breakers (${BREAKER.list()}) VALUES (${BREAKER.marks()})
    ON CONFLICT (id) DO UPDATE SET closed_at = excluded.closed_at, open_until = excluded.open_until`);
  const forgotten = database.prepare(
    'SELECT 1 FROM breakers WHERE closed_at IS NULL AND open_until <= ? LIMIT 1',
  );
  const closeForgotten = database.prepare(
    'UPDATE breakers SET closed_at = ? WHERE closed_at IS NULL AND open_until <= ?',
  );
  return {
    note(breakers, openUntil) {
      return commits.write(() => {
        for (const breaker of breakers) note.run(...BREAKER.cells({ ...breaker, openUntil }));
      });
    },
    async closeForgotten(now, openUntil) {
      // A commit waits for the disk: it is for those that have something to write.
      if (forgotten.get(openUntil) === undefined) return;
      await commits.write(() => closeForgotten.run(now, openUntil));
    },
  };
}
