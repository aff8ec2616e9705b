import {
  BELIEVED_CLOCK,
  type InstallationStore,
  nameOfPause,
  PAUSES_KEPT,
  pauseOf,
} from '../contract/installation.ts';
import type { Query, Statement } from './connection.ts';

const find: Statement = {
  name: 'installation_paused',
  text: "SELECT value FROM installation WHERE name = 'paused'",
};
const insert = `
  INSERT INTO installation (name, value) VALUES ('paused', $1)
  ON CONFLICT (name) DO UPDATE SET value = installation.value RETURNING value`;
/** A node that sees that it is over sees the pause that has ended. */
const end = `
  WITH ended AS (DELETE FROM installation WHERE name = 'paused' RETURNING value), noted AS (
    INSERT INTO installation (name, value) SELECT 'pause ' || lpad(value, 15, '0'), $1 FROM ended
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
  )
  SELECT 1 FROM ended`;
const note = `
  INSERT INTO installation (name, value) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
const latest = `
  SELECT name, value FROM installation WHERE name LIKE 'pause %'
  ORDER BY name DESC LIMIT ${PAUSES_KEPT}`;
const forget = `
  DELETE FROM installation WHERE name LIKE 'pause %' AND name NOT IN (
    SELECT name FROM installation WHERE name LIKE 'pause %' ORDER BY name DESC LIMIT ${PAUSES_KEPT}
  )`;

const findValue = 'SELECT value FROM installation WHERE name = $1';
const insertValue = `
  INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1`;
const replaceValue =
  'UPDATE installation SET value = $2 WHERE name = $1 AND value = $3 RETURNING 1';

export function postgresInstallation(query: Query): InstallationStore {
  const noted = async (name: string): Promise<string | null> => {
    const [row] = await query(findValue, [name]);
    return (row?.value as string | undefined) ?? null;
  };
  return {
    async pausedSince() {
      const [row] = await query(find);
      return row === undefined ? null : Number(row.value);
    },
    async pause(now) {
      return Number((await query(insert, [String(now)]))[0]!.value);
    },
    async resume(now) {
      const wasPaused = (await query(end, [String(now)])).length === 1;
      if (wasPaused) await query(forget);
      return wasPaused;
    },
    async notePause({ since, until }) {
      await query(note, [nameOfPause(since), String(until)]);
      await query(forget);
    },
    async pauses() {
      const rows = (await query(latest)) as { name: string; value: string }[];
      return rows.map(pauseOf).reverse();
    },
    // The server itself knows what it has kept, and does not start without it.
    beginKeeping: async () => null,
    lastLoss: async () => null,
    async believedClock() {
      const value = await noted(BELIEVED_CLOCK);
      return value === null ? null : Number(value);
    },
    async noteBelievedClock(at) {
      await query(note, [BELIEVED_CLOCK, String(at)]);
    },
    async findSecret(name) {
      return noted(name);
    },
    async replaceSecret(name, was, secret) {
      const written =
        was === null
          ? await query(insertValue, [name, secret])
          : await query(replaceValue, [name, secret, was]);
      return written.length === 1;
    },
  };
}
