import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { every } from '../../sim/workload.ts';
import { Api, CREDENTIALS } from '../support/crash/api.ts';
import type { Process } from '../support/crash/life.ts';
import { Target } from '../support/crash/target.ts';
import { assertOneId, startNode } from '../support/nodes/node.ts';
import { type Replicated, startReplicated, urlOfAll, waitFor } from '../support/nodes/standby.ts';

/**
 * The primary dies under two nodes, and its synchronous standby is promoted: the nodes find it by
 * themselves, and nothing that was acknowledged is lost.
 */
const SCHEDULES = 60;
/** The longest that a call may take while there is no database. */
const BOUND_MS = 15_000;

describe('failover to a synchronous standby', () => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-failover-'));
  const target = new Target();
  const nodes: Process[] = [];
  let database: Replicated;
  let targetUrl: string;
  let url: string;

  before(async () => {
    targetUrl = await target.start();
    database = await startReplicated();
    url = urlOfAll(database.urls);
  });

  after(async () => {
    for (const node of nodes) await node.dispose();
    await target.stop();
    await database.stop();
    rmSync(folder, { recursive: true });
  });

  test('nodes go on by themselves, and nothing acknowledged is lost', async t => {
    const [first, second] = [startNode(folder, url), startNode(folder, url)];
    nodes.push(first, second);
    const base = await first.ready;
    const api = new Api(base);
    await second.ready;
    const workload = Array.from({ length: SCHEDULES }, () =>
      every('* * * * * *', `${targetUrl}/ok`),
    );
    const acknowledged = (await api.createAll(workload)).map(({ id }) => id);
    await sleep(2_000);

    const writing = new AbortController();
    const answers: { status: number; error?: string; tookMs: number }[] = [];
    const writer = (async () => {
      while (!writing.signal.aborted) {
        const answer = await createOne(base, targetUrl);
        answers.push(answer);
        if (answer.id !== undefined) acknowledged.push(answer.id);
        await sleep(20);
      }
    })();
    await sleep(1_000);
    const killedAt = Date.now();
    const isRefused = async () => assert.equal((await fetch(`${base}/readyz`)).status, 503);
    const hasFailed = async () => assert.ok(answers.some(({ status }) => status !== 200));
    // However late this process sees it, the standby takes over after that.
    await database.failOver(() =>
      Promise.all([sleep(1_500), waitFor(isRefused), waitFor(hasFailed)]),
    );
    await waitFor(async () => assert.equal((await fetch(`${base}/readyz`)).status, 200));
    const readyAgainAt = Date.now();
    const firedAgain = () => target.arrivals.filter(({ at }) => at > readyAgainAt);
    await waitFor(async () => {
      const firing = new Set(firedAgain().map(({ scheduleId }) => scheduleId));
      assert.deepEqual(
        acknowledged.slice(0, SCHEDULES).filter(id => !firing.has(id)),
        [],
      );
    });
    writing.abort();
    await writer;

    const ready = (await (await fetch(`${base}/readyz`)).json()) as { warning?: string };
    assert.match(ready.warning ?? '', /no standby is synchronous/);
    const failures = answers.filter(({ status }) => status !== 200);
    assert.ok(failures.length > 0, 'no call came in between');
    for (const { status, error, tookMs } of failures) {
      assert.deepEqual([status, typeof error], [500, 'string']);
      assert.ok(tookMs < BOUND_MS, `a call took ${tookMs} ms`);
    }
    const listed = new Set((await api.schedules()).map(({ id }) => id));
    assert.deepEqual(
      acknowledged.filter(id => !listed.has(id)),
      [],
    );
    assertOneId(target.arrivals);
    const firstAgain = Math.min(...firedAgain().map(({ at }) => at));
    t.diagnostic(
      `from the primary's end to the first firing after it: ${firstAgain - killedAt} ms`,
    );
    t.diagnostic(`of ${answers.length} creates, ${failures.length} were answered 500`);
    for (const node of nodes) await node.stop();
  });
});

interface Created {
  status: number;
  id?: string;
  error?: string;
  tookMs: number;
}

async function createOne(base: string, targetUrl: string): Promise<Created> {
  const startedAt = performance.now();
  const response = await fetch(`${base}/v1/schedule`, {
    method: 'POST',
    headers: {
      ClientId: CREDENTIALS.clientId,
      ApiKey: CREDENTIALS.apiKey,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(every('0 0 1 1 *', `${targetUrl}/ok`)),
  });
  const { id, error } = (await response.json()) as { id?: string; error?: string };
  const tookMs = performance.now() - startedAt;
  return { status: response.status, tookMs, ...(id && { id }), ...(error && { error }) };
}
