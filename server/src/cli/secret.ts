import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../clock.ts';
import {
  newRotation,
  overlapRuns,
  signingStill,
  USUAL_OVERLAP_SECONDS,
} from '../domain/access/rotation.ts';
import { iso } from '../domain/iso.ts';
import type { Client } from '../store/contract/clients.ts';
import type { Store } from '../store/contract/store.ts';
import { unknownClient } from './key.ts';
import { print } from './output.ts';
import { withStore } from './tool.ts';

interface Options {
  client: string;
  json?: boolean;
}

export function secretCommand(program: Command): void {
  const secret = program
    .command('secret')
    .description('The signing secret of a client. Works beside a running service.');
  secret
    .command('rotate')
    .description('Make another secret, shown once; the old one signs too until the overlap ends.')
    .requiredOption('--client <clientId>', 'the client')
    .option('--overlap <seconds>', '0 to 2592000', wholeNumber, USUAL_OVERLAP_SECONDS)
    .option('--replace-new', 'within an overlap: in place of the secret made last')
    .option('--json', 'print one JSON object')
    .action(({ client, overlap, replaceNew = false, json }: RotateOptions) =>
      withStore(async store => {
        const made = await rotate(store, client, overlap, replaceNew);
        print(json === true, made, [
          'The secret was rotated. It is not shown again.',
          '',
          `Signing secret: ${made.signingSecret}`,
          `Old secret:     ${oldSecretText(made.overlapEndsAt)}`,
        ]);
      }),
    );
  secret
    .command('show')
    .description('Since when a client has its secret, and how long the old one signs too.')
    .requiredOption('--client <clientId>', 'the client')
    .option('--json', 'print one JSON object')
    .action(({ client, json }: Options) => withStore(store => show(store, client, json === true)));
  secret
    .command('end-overlap')
    .description('The old secret signs nothing any more.')
    .requiredOption('--client <clientId>', 'the client')
    .option('--json', 'print one JSON object')
    .action(({ client, json }: Options) =>
      withStore(async store => {
        await store.clients.endOverlap(client);
        await show(store, client, json === true);
      }),
    );
}

interface RotateOptions extends Options {
  overlap: number;
  replaceNew?: boolean;
}

async function rotate(store: Store, id: string, overlapSeconds: number, replacesNew: boolean) {
  await findClient(store, id);
  const rotation = newRotation(await nowOf(store), overlapSeconds, replacesNew);
  const isDone = await store.clients.rotateSecret(id, rotation);
  const client = await findClient(store, id);
  if (!isDone) {
    const ways = 'end that overlap ("secret end-overlap"), or rotate with --replace-new';
    throw overlapRuns(client.oldSecret?.until, ways);
  }
  const state = stateOf(client, rotation.rotatedAt);
  return { ...state, signingSecret: rotation.signingSecret };
}

async function show(store: Store, id: string, json: boolean): Promise<void> {
  const state = stateOf(await findClient(store, id), await nowOf(store));
  print(json, state, [
    `The secret is in use since ${state.createdAt}.`,
    `Old secret: ${oldSecretText(state.overlapEndsAt)}`,
  ]);
}

function stateOf({ id, createdAt, rotatedAt, oldSecret }: Client, now: number) {
  const old = signingStill(oldSecret, now);
  return {
    clientId: id,
    createdAt: iso(rotatedAt ?? createdAt),
    ...(old && { overlapEndsAt: iso(old.until) }),
  };
}

function oldSecretText(overlapEndsAt: string | undefined): string {
  return overlapEndsAt === undefined ? 'signs nothing' : `signs too until ${overlapEndsAt}`;
}

/** The clock by which requests are signed. */
async function nowOf(store: Store): Promise<number> {
  return store.cluster === null ? systemClock.now() : store.cluster.now();
}

/** @throws PunctualError `not_found` */
async function findClient(store: Store, id: string): Promise<Client> {
  const client = await store.clients.findClient(id);
  if (client === null) throw unknownClient(id);
  return client;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number of seconds.');
  return Number(text);
}
