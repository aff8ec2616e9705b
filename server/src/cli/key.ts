import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { hashApiKey, newApiKey } from '../domain/access/credential.ts';
import { PunctualError } from '../domain/errors.ts';
import { newId } from '../domain/id.ts';
import { iso } from '../domain/iso.ts';
import type { ApiKey } from '../store/contract/keys.ts';
import type { Store } from '../store/contract/store.ts';
import { print, table } from './output.ts';
import { withStore } from './tool.ts';

export function keyCommand(program: Command): void {
  const key = program
    .command('key')
    .description('Keys of a client. Works beside a running service.');
  key
    .command('create')
    .description('Make another key for a client; it is shown once.')
    .requiredOption('--client <clientId>', 'the client')
    .option('--json', 'print one JSON object')
    .action(({ client, json }: { client: string; json?: boolean }) =>
      withStore(async store => {
        const made = await issueKey(store, client);
        print(json === true, made, [
          `Key ${made.keyId} was made. It is not shown again.`,
          '',
          `ApiKey: ${made.apiKey}`,
        ]);
      }),
    );
  key
    .command('list')
    .description('List the keys of a client, revoked ones included.')
    .requiredOption('--client <clientId>', 'the client')
    .option('--json', 'print one JSON array')
    .action(({ client, json }: { client: string; json?: boolean }) =>
      withStore(async store => {
        if ((await store.clients.findClient(client)) === null) throw unknownClient(client);
        const keys = (await store.keys.listKeys(client)).map(shown);
        const rows = keys.map(({ keyId, createdAt, createdBy, revokedAt }) => [
          keyId,
          createdAt,
          createdBy ?? '-',
          revokedAt ?? '-',
        ]);
        print(json === true, keys, table(['KEY', 'CREATED', 'CREATED BY', 'REVOKED'], rows));
      }),
    );
  key
    .command('revoke')
    .description('Revoke a key: it stops working within 5 seconds.')
    .argument('<keyId>', 'the key, as "key list" shows it')
    .option('--with-descendants', 'also revoke all keys that were made with it, and with these')
    .option('--json', 'print one JSON object')
    .action((keyId: string, { withDescendants = false, json = false }: RevokeOptions) =>
      withStore(async store => {
        const descendants = await revokeKey(store, keyId, withDescendants);
        const and = descendants.map(id => `Key ${id}, which came of it, is revoked.`);
        const answer = { keyId, revoked: true, ...(withDescendants && { descendants }) };
        print(json, answer, [`Key ${keyId} is revoked.`, ...and]);
      }),
    );
}

interface RevokeOptions {
  withDescendants?: boolean;
  json?: boolean;
}

function shown({ id, createdAt, createdBy, revokedAt }: ApiKey) {
  return {
    keyId: id,
    createdAt: iso(createdAt),
    ...(createdBy !== undefined && { createdBy }),
    ...(revokedAt !== undefined && { revokedAt: iso(revokedAt) }),
  };
}

/**
 * @returns the ids of the keys that came of it and are revoked too
 * @throws PunctualError `not_found`
 */
async function revokeKey(store: Store, keyId: string, withDescendants: boolean): Promise<string[]> {
  const key = await store.keys.findKey(keyId);
  if (key === null) throw new PunctualError('not_found', `There is no key ${keyId}.`);
  const revocation = { revokedAt: systemClock.now(), withDescendants };
  const revoked = await store.keys.revokeKey(key.clientId, keyId, revocation);
  return revoked.filter(id => id !== keyId).sort();
}

/** @throws PunctualError `not_found` where the client does not exist */
export async function issueKey(store: Store, clientId: string) {
  const createdAt = systemClock.now();
  const keyId = newId(createdAt);
  const apiKey = newApiKey();
  const key = { id: keyId, clientId, hash: hashApiKey(apiKey), createdAt };
  if (!(await store.keys.insertKey(key))) throw unknownClient(clientId);
  return { keyId, apiKey };
}

export function unknownClient(clientId: string): PunctualError {
  return new PunctualError('not_found', `There is no client ${clientId}.`);
}
