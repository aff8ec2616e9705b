import type { InstallationStore } from '../installation.ts';
import type { Query, Statement } from './connection.ts';

const find: Statement = {
  name: 'installation_paused',
  text: "SELECT value FROM installation WHERE name = 'paused'",
};
const insert = `
  INSERT INTO installation (name, value) VALUES ('paused', $1)
  ON CONFLICT (name) DO UPDATE SET value = installation.value RETURNING value`;
const remove = "DELETE FROM installation WHERE name = 'paused' RETURNING 1";

export function postgresInstallation(query: Query): InstallationStore {
  return {
    async pausedSince() {
      const [row] = await query(find);
      return row === undefined ? null : Number(row.value);
    },
    async pause(now) {
      return Number((await query(insert, [String(now)]))[0]!.value);
    },
    async resume() {
      return (await query(remove)).length === 1;
    },
  };
}
