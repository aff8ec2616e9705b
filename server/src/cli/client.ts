import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { newSigningSecret } from '../domain/access/credential.ts';
import { PunctualError } from '../domain/errors.ts';
import { newId } from '../domain/id.ts';
import { iso } from '../domain/iso.ts';
import type { Client } from '../store/contract/clients.ts';
import type { Store } from '../store/contract/store.ts';
import { deleteClient } from './delete-client.ts';
import { issueKey, unknownClient } from './key.ts';
import { print, table } from './output.ts';
import { nowOf, withPlainStore, withStore } from './tool.ts';

interface Options {
  json?: boolean;
}

export function clientCommand(program: Command): void {
  const client = program
    .command('client')
    .description('Clients: who may call the interface. Works beside a running service.');
  client
    .command('create')
    .description('Make a client with its first key; key and signing secret are shown once.')
    .requiredOption('--name <name>', 'what people call it, 1 to 200 characters')
    .option('--json', 'print one JSON object')
    .action(({ name, json }: Options & { name: string }) =>
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
    .description('List all clients, deleted ones included.')
    .option('--json', 'print one JSON array')
    .action(({ json }: Options) =>
      withStore(async store => {
        const clients = (await store.clients.listClients()).map(shown);
        const rows = clients.map(({ clientId, createdAt, status, name }) => [
          clientId,
          createdAt,
          status,
          name,
        ]);
        print(json === true, clients, table(['CLIENT', 'CREATED', 'STATUS', 'NAME'], rows));
      }),
    );
  client
    .command('rename')
    .description('Give a client another name.')
    .argument('<clientId>', 'the client, as "client list" shows it')
    .requiredOption('--name <name>', 'what people call it from now on, 1 to 200 characters')
    .option('--json', 'print one JSON object')
    .action((clientId: string, { name, json }: Options & { name: string }) =>
      withPlainStore(async store => {
        await findLive(store, clientId);
        checkName(name);
        if (!(await store.clients.rename(clientId, name))) throw unknownClient(clientId);
        print(json === true, { clientId, name }, [`Client ${clientId} is called ${name}.`]);
      }),
    );
  client
    .command('suspend')
    .description('Refuse what a client calls, and start nothing of it, within 5 seconds.')
    .argument('<clientId>', 'the client, as "client list" shows it')
    .option('--json', 'print one JSON object')
    .action((clientId: string, { json }: Options) =>
      withPlainStore(async store => {
        await findLive(store, clientId);
        await store.clients.suspend(clientId, await nowOf(store));
        const { suspendedAt } = await findLive(store, clientId);
        const since = iso(suspendedAt ?? (await nowOf(store)));
        print(json === true, { clientId, suspendedAt: since }, [
          `Client ${clientId} is suspended since ${since}: its calls are refused, and nothing of it starts.`,
          'At "punctual client resume", the times that passed meanwhile are recorded as missed.',
        ]);
      }),
    );
  client
    .command('resume')
    .description('Let a suspended client call again, and fire its schedules, within 5 seconds.')
    .argument('<clientId>', 'the client, as "client list" shows it')
    .option('--json', 'print one JSON object')
    .action((clientId: string, { json }: Options) =>
      withPlainStore(async store => {
        await findLive(store, clientId);
        const resumed = await store.clients.resume(clientId, await nowOf(store));
        const line = resumed
          ? `Client ${clientId} is resumed: its schedules fire again.`
          : `Client ${clientId} was not suspended.`;
        print(json === true, { clientId, resumed }, [line]);
      }),
    );
  client
    .command('delete')
    .description('Delete a client for good: its schedules, its keys and its signing secret.')
    .argument('<clientId>', 'the client, as "client list" shows it')
    .requiredOption('--confirm <name>', 'the name of the client, so that it is not another one')
    .option('--json', 'print one JSON object')
    .action((clientId: string, { confirm, json }: Options & { confirm: string }) =>
      withPlainStore(async store => {
        const schedules = await deleteNamed(store, clientId, confirm);
        print(json === true, { clientId, deleted: true, schedules }, [
          `Client ${clientId} is deleted, and ${schedules} of its schedules with it.`,
          'Its keys are revoked and its signing secret is gone; its history stays until retention takes it.',
        ]);
      }),
    );
}

function shown(client: Client) {
  const { id, name, createdAt, suspendedAt, deletedAt } = client;
  return {
    clientId: id,
    name,
    createdAt: iso(createdAt),
    status: statusOf(client),
    ...(suspendedAt !== undefined && { suspendedAt: iso(suspendedAt) }),
    ...(deletedAt !== undefined && { deletedAt: iso(deletedAt) }),
  };
}

function statusOf({ suspendedAt, deletedAt }: Client): string {
  if (deletedAt !== undefined) return 'deleted';
  return suspendedAt === undefined ? 'active' : 'suspended';
}

/** @throws PunctualError `not_found` where the client does not exist or is deleted */
async function findLive(store: Store, clientId: string): Promise<Client> {
  const client = await store.clients.findClient(clientId);
  if (client === null) throw unknownClient(clientId);
  if (client.deletedAt === undefined) return client;
  const sentence = `Client ${clientId} was deleted at ${iso(client.deletedAt)}.`;
  throw new PunctualError('not_found', sentence);
}

/**
 * @param name as it was typed: it must be that of the client
 * @returns how many schedules were deleted
 * @throws PunctualError `not_found`, `request_invalid` where the name is another one
 */
async function deleteNamed(store: Store, clientId: string, name: string): Promise<number> {
  const client = await store.clients.findClient(clientId);
  if (client === null) throw unknownClient(clientId);
  if (client.name !== name) {
    throw new PunctualError(
      'request_invalid',
      `Client ${clientId} has another name than --confirm says: "client list" shows it.`,
    );
  }
  return deleteClient(store, client, () => nowOf(store));
}

function checkName(name: string): void {
  if (/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(name)) return;
  throw new PunctualError(
    'request_invalid',
    'A client name has 1 to 200 characters and no control characters.',
  );
}

/** @throws PunctualError `request_invalid` where the name is not usable */
export async function createClient(store: Store, name: string) {
  checkName(name);
  const createdAt = systemClock.now();
  const clientId = newId(createdAt);
  const signingSecret = newSigningSecret();
  await store.clients.insertClient({ id: clientId, name, signingSecret, createdAt });
  return { clientId, name, ...(await issueKey(store, clientId)), signingSecret };
}
