import { deleteClient } from '../src/cli/delete-client.ts';
import { newRotation, USUAL_OVERLAP_SECONDS } from '../src/domain/access/rotation.ts';
import type { Client } from '../src/store/contract/clients.ts';
import type { Store } from '../src/store/contract/store.ts';
import type { ApiAnswer, Credentials } from './api.ts';
import { AGAIN_MS, callAs } from './call-once.ts';
import type { Commands } from './commands.ts';
import type { CallSeen, ClientSeen, SecretsSeen } from './model/evidence-of-clients.ts';
import type { Call, Node, Surroundings } from './node.ts';
import { OpenCalls } from './open-calls.ts';
import type { ClientChange } from './profile-of-clients.ts';
import type { Random } from './random.ts';

/** A client of a world: who calls, what was done to it, and which secrets it has had. */
export interface PlayedClient {
  name: string;
  credentials: Credentials;
  suspensions: ClientSeen['suspensions'];
  deletion: ClientSeen['deletion'];
  secrets: SecretsSeen[];
  calls: CallSeen[];
}

export interface ClientsOptions {
  around: Surroundings;
  /** As the world itself looks at it. */
  store: Store;
  commands: Commands;
  /** Of their calls. */
  random: Random;
  node: () => Node;
}

/** The clients of a world, and the operator who suspends, resumes and deletes them: by commands, which are processes of their own. */
export class Clients {
  readonly all: PlayedClient[] = [];
  readonly #options: ClientsOptions;
  #isOver = false;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  async add(credentials: Credentials): Promise<void> {
    const { store, around } = this.#options;
    const { signingSecret } = (await store.clients.findClient(credentials.clientId))!;
    const at = around.machine.now;
    const secrets = [{ from: at, by: at, current: signingSecret, old: null }];
    const name = `c${this.all.length + 1}`;
    const nothing = { suspensions: [], deletion: null, calls: [] };
    this.all.push({ name, credentials, secrets, ...nothing });
  }

  /** @param which 0 to below 1, as of all */
  act(which: number, change: ClientChange): void {
    const client = this.all[Math.floor(which * this.all.length)]!;
    if (change.name === 'suspend') void this.#suspend(client, change.forMs);
    else if (change.name === 'rotate') void this.#rotate(client, change);
    // What is planned is not of the last one: no rule judges it in a client that is deleted.
    else void this.#delete(this.all.at(-1)!, change.cutOffMs);
  }

  /** Who is suspended is resumed, what was cut off is finished, and which secrets a change without an answer has left is known. */
  async heal(): Promise<void> {
    this.#isOver = true;
    const { machine } = this.#options.around;
    while (this.#isChanged.size > 0) await machine.sleep(AGAIN_MS, machine.world);
    for (const client of this.all) {
      if (client.suspensions.some(({ until }) => until === Infinity) && !client.deletion)
        await this.#resume(client);
      while (client.deletion?.by === Infinity) await machine.sleep(AGAIN_MS);
    }
  }

  async #suspend(client: PlayedClient, forMs: number): Promise<void> {
    const { machine, tell } = this.#options.around;
    const isFree = client.suspensions.every(({ backBy }) => backBy < machine.now);
    if (this.#isOver || client.deletion || !isFree) return;
    tell(`suspend ${client.name} for ${Math.round(forMs)} ms`);
    await this.#options.commands.halt(client.suspensions, store =>
      store.clients.suspend(idOf(client), machine.now),
    );
    await machine.sleep(forMs, machine.world);
    if (!this.#isOver && !client.deletion) await this.#resume(client);
  }

  async #resume(client: PlayedClient): Promise<void> {
    const { around, commands } = this.#options;
    await commands.goOn(client.suspensions.at(-1)!, `resume ${client.name}`, store =>
      store.clients.resume(idOf(client), around.machine.now),
    );
  }

  async #delete(client: PlayedClient, cutOffMs: number | null): Promise<void> {
    const { machine, tell } = this.#options.around;
    // The secret that a change without an answer has left goes with the client.
    while (this.#isChanged.has(client)) await machine.sleep(AGAIN_MS, machine.world);
    if (this.#isOver || client.deletion) return;
    tell(`delete ${client.name}`);
    client.deletion = { from: machine.now, by: Infinity };
    const { clientId } = client.credentials;
    await this.#options.commands.give(async store => {
      const found = (await store.clients.findClient(clientId))!;
      await deleteClient(store, found, async () => machine.now);
    }, cutOffMs);
    client.deletion.by = machine.now;
    tell(`${client.name} is deleted`);
  }

  /** Asks for another secret, and may end the overlap. */
  async #rotate(client: PlayedClient, rotation: Rotation): Promise<void> {
    const { machine, tell } = this.#options.around;
    if (this.#isOver || client.deletion || this.#isRotating.has(client)) return;
    this.#isRotating.add(client);
    const { byCommand, endsOverlapAfterMs, ...body } = rotation;
    tell(`rotate ${client.name}: ${JSON.stringify(body)}${byCommand ? ', by command' : ''}`);
    const rotate = () =>
      byCommand ? this.#rotateByCommand(client, rotation) : this.#post(client, rotation);
    await this.#changeSecrets(client, byCommand, rotate);
    if (endsOverlapAfterMs !== null) {
      await machine.sleep(endsOverlapAfterMs, machine.world);
      tell(`end the overlap of ${client.name}`);
      await this.#changeSecrets(client, false, () => this.#endOverlap(client));
    }
    this.#isRotating.delete(client);
  }

  readonly #isRotating = new Set<PlayedClient>();

  /** What was not answered may have been done: then the world looks. */
  async #changeSecrets(
    client: PlayedClient,
    isByCommand: boolean,
    change: () => Promise<Secrets | null | 'unknown'>,
  ): Promise<void> {
    const { store, around } = this.#options;
    const { machine } = around;
    const { current, old } = client.secrets.at(-1)!;
    const state: SecretsSeen = { from: machine.now, by: Infinity, current, old };
    if (isByCommand) state.isByCommand = true;
    client.secrets.push(state);
    this.#isChanged.add(client);
    const made = await change();
    state.by = machine.now + (isByCommand ? COMMANDED_MS : 0);
    const found = made === 'unknown' ? await store.clients.findClient(idOf(client)) : null;
    if (made === null || (made === 'unknown' && found === null)) client.secrets.pop();
    else Object.assign(state, made === 'unknown' ? secretsIn(found!) : made);
    this.#isChanged.delete(client);
  }

  /** Those whose secrets are being changed. */
  readonly #isChanged = new Set<PlayedClient>();

  async #post(client: PlayedClient, { overlapSeconds, replaceNew }: Rotation) {
    const body = { ...(overlapSeconds !== undefined && { overlapSeconds }), replaceNew };
    const answer = await this.#call(client, { method: 'POST', path: '/v1/secret', body });
    if (answer?.status !== 200) return isDecided(answer) ? null : ('unknown' as const);
    const { signingSecret, createdAt } = answer.body;
    const rotatedAt = Date.parse(createdAt);
    const until = rotatedAt + (overlapSeconds ?? USUAL_OVERLAP_SECONDS) * 1_000;
    return rotated(client, signingSecret, rotatedAt, until);
  }

  async #endOverlap(client: PlayedClient) {
    const answer = await this.#call(client, { method: 'DELETE', path: '/v1/secret/overlap' });
    if (answer?.status !== 200) return isDecided(answer) ? null : ('unknown' as const);
    return { current: client.secrets.at(-1)!.current, old: null };
  }

  async #call(client: PlayedClient, call: Call): Promise<ApiAnswer | null> {
    const { around, random, node } = this.#options;
    const { machine, leases } = around;
    const calls = new OpenCalls();
    const through = () => calls.through(node());
    const answer = await callAs(client, call, { machine, random, node: through });
    if (leases !== null) await calls.over(machine);
    return answer;
  }

  async #rotateByCommand(client: PlayedClient, { overlapSeconds, replaceNew }: Rotation) {
    const { machine } = this.#options.around;
    const rotation = newRotation(machine.now, overlapSeconds, replaceNew);
    const isDone = await this.#options.commands.give(store =>
      store.clients.rotateSecret(idOf(client), rotation),
    );
    const { signingSecret, rotatedAt, oldUntil } = rotation;
    return isDone ? rotated(client, signingSecret, rotatedAt, oldUntil) : null;
  }
}

type Rotation = Extract<ClientChange, { name: 'rotate' }>;

/** Firings are claimed up to a second ahead, and a command does not tell the engine. */
const COMMANDED_MS = 1_100;

type Secrets = Pick<SecretsSeen, 'current' | 'old'>;

function idOf({ credentials }: PlayedClient): string {
  return credentials.clientId;
}

/** By what the client was told: within an overlap the old secret stays. @param until when the old one ends */
function rotated(client: PlayedClient, current: string, at: number, until: number): Secrets {
  // The last state is the one that is being made.
  const before = client.secrets.at(-2)!;
  const old = before.old !== null && before.old.until > at ? before.old.secret : before.current;
  return { current, old: until <= at ? null : { secret: old, until } };
}

/** Whether an answer says that nothing was done. */
function isDecided(answer: ApiAnswer | null): boolean {
  return answer !== null && answer.status < 500;
}

function secretsIn({ signingSecret, oldSecret }: Client): Secrets {
  return { current: signingSecret, old: oldSecret ?? null };
}
