import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { newSigningSecret } from '../domain/credential.ts';
import { PunctualError } from '../domain/errors.ts';
import { newId } from '../domain/id.ts';
import { iso } from '../domain/iso.ts';
import type { Store } from '../store/store.ts';
import { issueKey } from './key.ts';
import { print, table } from './output.ts';
import { withStore } from './tool.ts';

export function clientCommand(program: Command): void {
  const client = program
    .command('client')
    .description('Clients: who may call the interface. Works beside a running service.');
  client
    .command('create')
    .description('Make a client with its first key; key and signing secret are shown once.')
    .requiredOption('--name <name>', 'what people call it, 1 to 200 characters')
    .option('--json', 'print one JSON object')
    .action(({ name, json }: { name: string; json?: boolean }) =>
      withStore(async store => {
        const made = await createClient(store, name);
        print(json === true, made, [
          `Client ${made.name} was made. The key and the secret are not shown again.`,
          '',
          `ClientId:       ${made.clientId}`,
          `ApiKey:         ${made.apiKey}   (key ${made.keyId})`,
          `Signing secret: ${made.signingSecret}`,
        ]);
      }),
    );
  client
    .command('list')
    .description('List all clients.')
    .option('--json', 'print one JSON array')
    .action(({ json }: { json?: boolean }) =>
      withStore(async store => {
        const clients = (await store.clients.listClients()).map(({ id, name, createdAt }) => ({
          clientId: id,
          name,
          createdAt: iso(createdAt),
        }));
        const rows = clients.map(({ clientId, name, createdAt }) => [clientId, createdAt, name]);
        print(json === true, clients, table(['CLIENT', 'CREATED', 'NAME'], rows));
      }),
    );
}

/** @throws PunctualError `request_invalid` where the name is not usable */
export async function createClient(store: Store, name: string) {
  if (!/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(name)) {
    throw new PunctualError(
      'request_invalid',
      'A client name has 1 to 200 characters and no control characters.',
    );
  }
  const createdAt = systemClock.now();
  const clientId = newId(createdAt);
  const signingSecret = newSigningSecret();
  await store.clients.insertClient({ id: clientId, name, signingSecret, createdAt });
  return { clientId, name, ...(await issueKey(store, clientId)), signingSecret };
}
