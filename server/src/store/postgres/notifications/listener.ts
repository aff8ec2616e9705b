import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { NodeListener } from '../../contract/cluster.ts';
import type { Connections } from '../connection.ts';
import { isBehindPooler } from '../session.ts';
import { CHANNEL, notificationText, readNotification } from './notification.ts';

/** How often a node tells itself something, and for how long it waits to hear it. */
const BEAT_MS = 5_000;
const HEARD_WITHIN_MS = 2_000;
const CONNECT_MS = 5_000;
const RETRY_MS = 1_000;
/** A pooler stays one until somebody sets up another way. */
const RETRY_BEHIND_POOLER_MS = 60_000;

export interface NotificationListenerOptions {
  connections: Connections;
  /** The node that listens. Its own messages are not handed on. */
  node: string;
  listener: NodeListener;
}

/**
 * Listening: hears what other nodes tell (`Announcer`), on a connection of its own, and hands it on.
 *
 * A connection may be dead, or lead to a server that is no longer the primary, and be as silent as
 * one on which nothing is told. So a node tells itself something by way of the pool, and where it
 * does not hear that, it begins anew.
 */
export class NotificationListener {
  readonly #options: NotificationListenerOptions;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  #beat = 0;
  #onBeat: (beat: number) => void = () => {};

  constructor(options: NotificationListenerOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { connections, listener } = this.#options;
    while (!this.#closing.signal.aborted) {
      let retryMs = RETRY_MS;
      try {
        await this.#listen();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        if (error instanceof BehindPooler) retryMs = RETRY_BEHIND_POOLER_MS;
        listener.listening(false, (error as Error).message);
      }
      await this.#pause(retryMs).catch(() => {});
      await connections.seek();
    }
  }

  /** @throws why it hears no more */
  async #listen(): Promise<void> {
    const { connections, listener } = this.#options;
    const client = new Client({
      connectionString: connections.server,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
      keepAlive: true,
      application_name: 'punctual listener',
    });
    const { promise: broken, reject } = Promise.withResolvers<never>();
    const closed = () => reject(new Error('The connection was closed.'));
    broken.catch(() => {});
    client.on('error', reject);
    client.on('end', closed);
    this.#closing.signal.addEventListener('abort', closed);
    client.on('notification', ({ payload }) => this.#heard(payload ?? ''));
    try {
      await Promise.race([begin(client), broken]);
      for (;;) {
        await Promise.race([this.#hearBeat(), broken]);
        listener.listening(true);
        await Promise.race([this.#pause(BEAT_MS), broken]);
      }
    } finally {
      this.#closing.signal.removeEventListener('abort', closed);
      void client.end().catch(() => {});
    }
  }

  async #hearBeat(): Promise<void> {
    const { connections, node } = this.#options;
    this.#beat += 1;
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    const beat = this.#beat;
    this.#onBeat = each => each === beat && resolve();
    await connections.query('SELECT pg_notify($1, $2)', [
      CHANNEL,
      notificationText(node, { beat }),
    ]);
    const late = this.#pause(HEARD_WITHIN_MS).then(() => {
      throw new Error('The server does not tell what is written.');
    });
    await Promise.race([heard, late]);
  }

  #heard(payload: string): void {
    const { node, listener } = this.#options;
    const notification = readNotification(payload);
    if (notification === null) return;
    const { from, content } = notification;
    if ('beat' in content) {
      if (from === node) this.#onBeat(content.beat);
      return;
    }
    if (from === node) return;
    if (content.dueAt !== undefined) listener.wake(content.dueAt);
    for (const [id, changedAt] of content.changed) listener.changed(id, changedAt);
    for (const id of content.manual) listener.wakeOutbox(id);
    for (const clientRowId of content.rotated) listener.rotated(clientRowId);
  }

  #pause(ms: number): Promise<void> {
    return pause(ms, undefined, { signal: this.#closing.signal });
  }
}

async function begin(client: Client): Promise<void> {
  await client.connect();
  if (await isBehindPooler(client)) throw new BehindPooler();
  await client.query(`LISTEN ${CHANNEL}`);
}

class BehindPooler extends Error {
  constructor() {
    super('Behind a pooler such as pgBouncer nobody can listen.');
  }
}
