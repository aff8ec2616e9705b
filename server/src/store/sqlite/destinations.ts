import type { DatabaseSync } from 'node:sqlite';
import { DESTINATION, type Row } from '../columns.ts';
import type { DestinationStore } from '../contract/destinations.ts';
import { DESTINATIONS, presentFrom, secretsRowFrom } from '../rows/destinations.ts';
import type { GroupCommit } from './group-commit.ts';
import { sqliteNamedResource } from './named-resource.ts';

export function sqliteDestinations(database: DatabaseSync, commits: GroupCommit): DestinationStore {
  const named = sqliteNamedResource(database, commits, DESTINATIONS);
  const findSecret = database.prepare(
    `SELECT ${DESTINATION.list()} FROM destinations WHERE client_key = ? AND name = ?`,
  );
  const insert = database.prepare(`
    INSERT INTO destinations (client_key, name, config, secrets, version, created_at)
    VALUES (:client, :name, :config, :secrets, :version, :at)`);
  const replace = database.prepare(`
    UPDATE destinations SET config = :config, secrets = :secrets, version = :version, updated_at = :at
    WHERE client_key = :client AND name = :name`);
  const present = database.prepare(`
    SELECT destinations.client_key, clients.id AS client_id, ${DESTINATION.list('destinations.')}
    FROM destinations JOIN clients USING (client_key)
    WHERE destinations.client_key = ? AND destinations.name = ?`);
  const secrets = database.prepare(`
    SELECT destinations.client_key, clients.id AS client_id, destinations.name, secrets
    FROM destinations JOIN clients USING (client_key)
    WHERE (destinations.client_key, destinations.name) > (?, ?) AND secrets IS NOT NULL
    ORDER BY destinations.client_key, destinations.name LIMIT ? + 0`);
  const replaceSecrets = database.prepare(`
    UPDATE destinations SET secrets = :secrets
    WHERE client_key = :client AND name = :name AND secrets = :was`);

  return {
    ...named.reads,
    put({ clientRowId }, name, expected, { config, secrets: kept, version }, at) {
      return commits.write(() => {
        const was = named.read(clientRowId, name);
        if ((was?.version ?? null) !== expected) return 'changed';
        if (was === null) named.refuseFull(clientRowId);
        (was === null ? insert : replace).run({
          ...{ client: clientRowId, name, version, at },
          ...{ config: JSON.stringify(config), secrets: kept ?? null },
        });
        return named.read(clientRowId, name)!;
      });
    },
    async findAll(clientRowId, names) {
      return names.map(name => named.read(clientRowId, name)).filter(each => each !== null);
    },
    async findSecret({ clientRowId }, name) {
      const row = findSecret.get(clientRowId, name) as Row | undefined;
      return row === undefined ? null : DESTINATION.fromRow(row);
    },
    delete: (clientRowId, name) => named.delete(clientRowId, name),
    async present(asked) {
      return asked.flatMap(({ clientRowId, name }) => {
        const row = present.get(clientRowId, name) as Row | undefined;
        return row === undefined ? [] : [presentFrom(row)];
      });
    },
    async secrets(after, limit) {
      const { clientRowId = -1, name = '' } = after ?? {};
      return (secrets.all(clientRowId, name, limit) as Row[]).map(secretsRowFrom);
    },
    replaceSecrets({ clientRowId, name }, was, anew) {
      return commits.write(
        () => replaceSecrets.run({ client: clientRowId, name, was, secrets: anew }).changes === 1,
      );
    },
  };
}
