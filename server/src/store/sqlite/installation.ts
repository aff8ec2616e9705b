import type { DatabaseSync } from 'node:sqlite';
import {
  BELIEVED_CLOCK,
  type InstallationStore,
  nameOfPause,
  PAUSES_KEPT,
  pauseOf,
} from '../contract/installation.ts';
import type { GroupCommit } from './group-commit.ts';
import { sqliteKeptMark } from './kept-mark.ts';

export function sqliteInstallation(
  database: DatabaseSync,
  commits: GroupCommit,
): InstallationStore {
  const insert = database.prepare(
    "INSERT INTO installation (name, value) VALUES ('paused', ?) ON CONFLICT DO NOTHING",
  );
  const remove = database.prepare("DELETE FROM installation WHERE name = 'paused'");
  const note = database.prepare(
    'INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const latest = database.prepare(`
    SELECT name, value FROM installation WHERE name LIKE 'pause %'
    ORDER BY name DESC LIMIT ${PAUSES_KEPT}`);
  const forget = database.prepare(`
    DELETE FROM installation WHERE name LIKE 'pause %' AND name NOT IN (
      SELECT name FROM installation WHERE name LIKE 'pause %' ORDER BY name DESC LIMIT ${PAUSES_KEPT}
    )`);
  const findValue = database.prepare('SELECT value FROM installation WHERE name = ?');
  const insertValue = database.prepare(
    'INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const replaceValue = database.prepare(
    'UPDATE installation SET value = :value WHERE name = :name AND value = :was',
  );
  const noted = (name: string): string | null => {
    const row = findValue.get(name) as { value: string } | undefined;
    return row?.value ?? null;
  };
  const instantOf = (name: string): number | null => {
    const value = noted(name);
    return value === null ? null : Number(value);
  };
  const keep = (since: number, until: number) => {
    note.run(nameOfPause(since), String(until));
    forget.run();
  };
  return {
    ...sqliteKeptMark(database, commits),
    async pausedSince() {
      return instantOf('paused');
    },
    pause(now) {
      return commits.write(() => {
        insert.run(String(now));
        return instantOf('paused')!;
      });
    },
    resume(now) {
      return commits.write(() => {
        const began = instantOf('paused');
        if (began === null) return false;
        remove.run();
        keep(began, now);
        return true;
      });
    },
    notePause({ since, until }) {
      return commits.write(() => keep(since, until));
    },
    async pauses() {
      const rows = latest.all() as { name: string; value: string }[];
      return rows.map(pauseOf).reverse();
    },
    async believedClock() {
      return instantOf(BELIEVED_CLOCK);
    },
    async noteBelievedClock(at) {
      await commits.write(() => note.run(BELIEVED_CLOCK, String(at)));
    },
    async findSecret(name) {
      return noted(name);
    },
    replaceSecret(name, was, secret) {
      return commits.write(() => {
        const { changes } =
          was === null
            ? insertValue.run(name, secret)
            : replaceValue.run({ name, was, value: secret });
        return changes === 1;
      });
    },
  };
}
