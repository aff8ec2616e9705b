import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PunctualClient, type Run, type ScheduleInput } from '../../../client/src/index.ts';
import { CREDENTIALS } from '../support/crash/api.ts';
import { Survivor } from '../support/crash/survivor.ts';
import { type PostgresServer, startPostgres } from '../support/store/postgres-server.ts';
import { BIN } from './world.ts';

/**
 * A target answers 202 and completes later, and the service is killed or stopped around it: what the target was told is
 * kept stays kept, its run ends once, and it is not called again.
 *
 * AWAITED_KILLS=20 is the long form.
 */
const KILLS = Number(process.env.AWAITED_KILLS ?? 1);
const GIVE_UP_MS = 30_000;

interface Arrival {
  runId: string;
  /** The path of its completion, which any node serves. */
  path: string;
  /** Answers the request, where it still waits. */
  answer(status: number): void;
}

/** A target that holds each request until the test answers it. */
class Target {
  readonly arrivals: Arrival[] = [];
  readonly #server = createServer((request, response) => this.#take(request, response));

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const { headers } = request;
    const url = new URL(headers['punctual-completion-url'] as string);
    this.arrivals.push({
      runId: headers['webhook-id'] as string,
      path: url.pathname,
      answer: status => response.writeHead(status).end(),
    });
  }
}

/** A node that is killed and started again. */
class Node extends Survivor {
  constructor(folder: string, databaseUrl: string) {
    const environment = {
      DATABASE_URL: databaseUrl,
      PUNCTUAL_URL: 'https://punctual.example.com',
      PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
      ...(databaseUrl.startsWith('postgres') && { PUNCTUAL_LEASE_SECONDS: '2' }),
    };
    super({ bin: BIN, folder, environment });
  }

  get client(): PunctualClient {
    return new PunctualClient({ baseUrl: this.url, ...CREDENTIALS });
  }

  /** @returns the status */
  async complete(path: string, body?: object): Promise<number> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(GIVE_UP_MS),
    });
    await response.arrayBuffer();
    return response.status;
  }
}

async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  while (!(await isTrue())) {
    assert.ok(Date.now() < giveUpAt, what);
    await sleep(20);
  }
}

/** How a run comes to be: by its time, or by hand. */
const TRIGGERS = ['schedule', 'manual'] as const;

interface Stage {
  target: Target;
  nodes: Node[];
  /** Makes a schedule, and answers with its request when that arrives. */
  begin(trigger: (typeof TRIGGERS)[number]): Promise<Arrival>;
  /** The run as this node shows it. */
  runOf(node: Node, arrival: Arrival): Promise<Run>;
  /** It has ended, once, and its target was not called again. */
  assertEnded(node: Node, arrival: Arrival, status: Run['status']): Promise<void>;
}

async function staged(context: TestContext, databaseUrls: string[], folder: string) {
  const target = new Target();
  const url = await target.start();
  const nodes = databaseUrls.map(databaseUrl => new Node(folder, databaseUrl));
  context.after(async () => {
    target.stop();
    for (const node of nodes) await node.dispose();
  });
  for (const node of nodes) await node.start();
  const input = (interval: string): ScheduleInput => ({
    url,
    verb: 'POST',
    interval,
    timezone: 'UTC',
    policy: { completion: { deadlineSeconds: 600 }, timeoutSeconds: 60 },
  });
  const runOf = (node: Node, { runId }: Arrival) => node.client.getRun(runId);
  const stage: Stage = {
    target,
    nodes,
    async begin(trigger) {
      const [node] = nodes;
      const count = target.arrivals.length;
      if (trigger === 'manual') {
        const { id } = await node!.client.createSchedule(input('@yearly'));
        await node!.client.triggerSchedule(id);
      } else {
        const soon = new Date(Date.now() + 4_000).toISOString().slice(0, 19);
        await node!.client.createSchedule(input(`at(${soon}Z)`));
      }
      await until('its request has come', () => target.arrivals.length > count);
      return target.arrivals.at(-1)!;
    },
    runOf,
    async assertEnded(node, arrival, status) {
      await until(
        `it ends: ${JSON.stringify(await runOf(node, arrival))}`,
        async () => (await runOf(node, arrival)).finishedAt !== undefined,
      );
      assert.equal((await runOf(node, arrival)).status, status);
      const calls = target.arrivals.filter(({ runId }) => runId === arrival.runId);
      assert.equal(calls.length, 1, 'its target was called once');
      assert.equal(await node.complete(arrival.path), 410);
    },
  };
  return stage;
}

async function aFolder(context: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'punctual-awaiting-')));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('embedded', () => {
  const embedded = async (context: TestContext) => {
    const folder = await aFolder(context);
    const stage = await staged(context, [`sqlite:${join(folder, 'punctual.db')}`], folder);
    return { ...stage, node: stage.nodes[0]! };
  };

  for (const trigger of TRIGGERS) {
    test(`${trigger}: nothing is lost by kills and a stop around the completion`, async context => {
      const { node, begin, runOf, assertEnded } = await embedded(context);
      const accepted = async () => {
        const arrival = await begin(trigger);
        arrival.answer(202);
        await until(
          'it awaits',
          async () => (await runOf(node, arrival)).completionUntil !== undefined,
        );
        return arrival;
      };
      for (let kill = 0; kill < KILLS; kill += 1) {
        const between = await accepted();
        await node.kill();
        await node.start();
        assert.equal((await runOf(node, between)).status, 'running');
        assert.equal(await node.complete(between.path), 200);
        await assertEnded(node, between, 'succeeded');

        const behind = await accepted();
        assert.equal(await node.complete(behind.path, { status: 'failed' }), 200);
        await node.kill();
        await node.start();
        await assertEnded(node, behind, 'failed');

        const beforeAnswer = await begin(trigger);
        assert.equal(await node.complete(beforeAnswer.path), 200);
        await node.kill();
        await node.start();
        await assertEnded(node, beforeAnswer, 'succeeded');

        const stopped = await accepted();
        await node.stop();
        await node.start();
        assert.equal((await runOf(node, stopped)).status, 'running');
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => node.complete(stopped.path)),
        );
        assert.equal(answers.filter(status => status === 200).length, 1);
        await assertEnded(node, stopped, 'succeeded');
      }
    });
  }
});

describe('PostgreSQL', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  for (const trigger of TRIGGERS) {
    test(`${trigger}: another node takes the completion, and decides`, async context => {
      const url = await server.createDatabase();
      const stage = await staged(context, [url, url], await aFolder(context));
      const { begin, runOf, assertEnded } = stage;
      const [first, second] = stage.nodes as [Node, Node];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const arrival = await begin(trigger);
        arrival.answer(202);
        await until(
          'it awaits',
          async () => (await runOf(second, arrival)).completionUntil !== undefined,
        );
        await first.kill();
        const racing = await Promise.all(
          Array.from({ length: 50 }, () => second.complete(arrival.path)),
        );
        assert.equal(racing.filter(status => status === 200).length, 1);
        await assertEnded(second, arrival, 'succeeded');
        await first.start();

        // Whichever node sends it: both take what the target says before its answer.
        const early = await begin(trigger);
        assert.equal(await second.complete(early.path, { status: 'failed' }), 200);
        await first.kill();
        early.answer(202);
        await assertEnded(second, early, 'failed');
        await first.start();

        const both = await begin(trigger);
        both.answer(202);
        const raced = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            (index % 2 === 0 ? first : second).complete(both.path),
          ),
        );
        assert.equal(raced.filter(status => status === 200).length, 1);
        await assertEnded(first, both, 'succeeded');
      }
    });
  }
});
