import { DESTINATION } from '../columns.ts';
import type { DestinationStore } from '../contract/destinations.ts';
import { DESTINATIONS, presentFrom, SHOWN, secretsRowFrom } from '../rows/destinations.ts';
import { tooMany } from '../rows/named-resource.ts';
import type { Connections, Statement } from './connection.ts';
import { postgresNamedResource } from './named-resource.ts';
import type { Notifier } from './notifications/notifier.ts';

const findSecret: Statement = {
  name: 'destinations_find_secret',
  text: `SELECT ${DESTINATION.list()} FROM destinations WHERE client_key = $1 AND name = $2`,
};
const findAll: Statement = {
  name: 'destinations_find_all',
  text: `SELECT ${SHOWN.list()} FROM destinations WHERE client_key = $1 AND name = ANY ($2)`,
};
const put: Statement = {
  name: 'destinations_put',
  text: `
    INSERT INTO destinations (client_key, name, config, secrets, version, created_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (client_key, name) DO UPDATE SET config = excluded.config,
      secrets = excluded.secrets, version = excluded.version, updated_at = excluded.created_at
    RETURNING ${SHOWN.list()}`,
};
const present: Statement = {
  name: 'destinations_present',
  text: `
    SELECT destinations.client_key, clients.id AS client_id, ${DESTINATION.list('destinations.')}
    FROM unnest($1::bigint[], $2::text[]) AS named (client_key, name)
    JOIN destinations ON destinations.client_key = named.client_key AND destinations.name = named.name
    JOIN clients ON clients.client_key = destinations.client_key`,
};
const secrets: Statement = {
  name: 'destinations_secrets',
  text: `
    SELECT destinations.client_key, clients.id AS client_id, destinations.name, secrets
    FROM destinations JOIN clients USING (client_key)
    WHERE (destinations.client_key, destinations.name) > ($1, $2) AND secrets IS NOT NULL
    ORDER BY destinations.client_key, destinations.name LIMIT $3`,
};
const replaceSecrets: Statement = {
  name: 'destinations_replace_secrets',
  text: `
    UPDATE destinations SET secrets = $4
    WHERE client_key = $1 AND name = $2 AND secrets = $3 RETURNING 1`,
};

export function postgresDestinations(
  connections: Pick<Connections, 'query' | 'transaction'>,
  notifier: Notifier,
): DestinationStore {
  const { query } = connections;
  const named = postgresNamedResource(connections, DESTINATIONS);
  return {
    ...named.reads,
    async put({ clientRowId }, name, expected, { config, secrets: kept, version }, at) {
      const stored = await named.writing(clientRowId, async send => {
        const was = await named.read(send, clientRowId, name);
        if ((was?.version ?? null) !== expected) return 'changed';
        if (was === null && (await named.isFull(send, clientRowId))) return 'full';
        const cells = [JSON.stringify(config), kept ?? null, version, at];
        const [row] = await send(put, [clientRowId, name, ...cells]);
        return SHOWN.fromRow(row!);
      });
      if (stored === 'full') throw tooMany(DESTINATIONS);
      if (stored !== 'changed') notifier.rotated(clientRowId);
      return stored;
    },
    async findAll(clientRowId, names) {
      return (await query(findAll, [clientRowId, names])).map(SHOWN.fromRow);
    },
    async findSecret({ clientRowId }, name) {
      const [row] = await query(findSecret, [clientRowId, name]);
      return row === undefined ? null : DESTINATION.fromRow(row);
    },
    delete: (clientRowId, name) => named.delete(clientRowId, name),
    async present(asked) {
      const clients = asked.map(({ clientRowId }) => clientRowId);
      const names = asked.map(({ name }) => name);
      return (await query(present, [clients, names])).map(presentFrom);
    },
    async secrets(after, limit) {
      const { clientRowId = -1, name = '' } = after ?? {};
      return (await query(secrets, [clientRowId, name, limit])).map(secretsRowFrom);
    },
    async replaceSecrets({ clientRowId, name }, was, anew) {
      return (await query(replaceSecrets, [clientRowId, name, was, anew])).length === 1;
    },
  };
}
