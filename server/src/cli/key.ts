import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { hashApiKey, newApiKey } from '../domain/credential.ts';
import { PunctualError } from '../domain/errors.ts';
import { newId } from '../domain/id.ts';
import { iso } from '../domain/iso.ts';
import type { Store } from '../store/store.ts';
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
        const keys = (await store.clients.listKeys(client)).map(({ id, createdAt, revokedAt }) => ({
          keyId: id,
          createdAt: iso(createdAt),
          ...(revokedAt !== undefined && { revokedAt: iso(revokedAt) }),
        }));
        const rows = keys.map(({ keyId, createdAt, revokedAt }) => [
          keyId,
          createdAt,
          revokedAt ?? '-',
        ]);
        print(json === true, keys, table(['KEY', 'CREATED', 'REVOKED'], rows));
      }),
    );
  key
    .command('revoke')
    .description('Revoke a key: it stops working within 5 seconds.')
    .argument('<keyId>', 'the key, as "key list" shows it')
    .option('--json', 'print one JSON object')
    .action((keyId: string, { json }: { json?: boolean }) =>
      withStore(async store => {
        if (!(await store.clients.revokeKey(keyId, systemClock.now()))) {
          throw new PunctualError('not_found', `There is no key ${keyId}.`);
        }
        print(json === true, { keyId, revoked: true }, [`Key ${keyId} is revoked.`]);
      }),
    );
}

/** @throws PunctualError `not_found` where the client does not exist */
export async function issueKey(store: Store, clientId: string) {
  const createdAt = systemClock.now();
  const keyId = newId(createdAt);
  const apiKey = newApiKey();
  const key = { id: keyId, clientId, hash: hashApiKey(apiKey), createdAt };
  if (!(await store.clients.insertKey(key))) throw unknownClient(clientId);
  return { keyId, apiKey };
}

export function unknownClient(clientId: string): PunctualError {
  return new PunctualError('not_found', `There is no client ${clientId}.`);
}
