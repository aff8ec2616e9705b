import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Run, Schedule } from '@punctual/client';
import type { Arrival } from '../../sim/model/evidence.ts';
import { every } from '../../sim/workload.ts';
import { Api } from '../support/crash/api.ts';
import type { Process } from '../support/crash/life.ts';
import { Target } from '../support/crash/target.ts';
import { assertOneId, LEASE_SECONDS, startNode } from '../support/nodes/node.ts';
import { type Replicated, startReplicated, urlOfAll } from '../support/nodes/standby.ts';
import { type Pgbouncer, startPgbouncer } from '../support/store/pgbouncer.ts';

/**
 * Nodes on one database, real processes on a real server: nothing is sent twice while all is well,
 * and nothing is lost when a node dies, another freezes, the database is started anew, and the
 * primary dies and its synchronous standby is promoted.
 *
 * Short here; `NODES_SCHEDULES=500 NODES_HEALTHY_SECONDS=20` is the form of which docs/scaling.md
 * has the figures. `NODES_PGBOUNCER=1` puts pgBouncer in transaction mode between.
 */
const SCHEDULES = Number(process.env.NODES_SCHEDULES ?? 120);
const HEALTHY_SECONDS = Number(process.env.NODES_HEALTHY_SECONDS ?? 9);
/** How often a span is looked for in which the machine does not stand still. */
const MOST_SPANS = 10;
/** How long records and callbacks that are still to come are waited for. */
const PATIENCE_MS = 60_000;

describe('several nodes on one database', () => {
  let database: Replicated;
  const pgbouncers: Pgbouncer[] = [];
  let folder: string;
  let url: string;
  let target: Target;
  let targetUrl: string;
  const nodes: Process[] = [];

  before(async () => {
    database = await startReplicated();
    folder = mkdtempSync(join(tmpdir(), 'punctual-nodes-'));
    url = urlOfAll(process.env.NODES_PGBOUNCER ? await throughPgbouncers() : database.urls);
    target = new Target();
    targetUrl = await target.start();
  });

  after(async () => {
    for (const node of nodes) await node.dispose();
    await target.stop();
    for (const pgbouncer of pgbouncers) await pgbouncer.stop();
    await database.stop();
    rmSync(folder, { recursive: true });
  });

  /** One in front of each server. */
  async function throughPgbouncers(): Promise<[string, string]> {
    const { primary, standby, urls } = database;
    const settings = { server_login_retry: 1, default_pool_size: 8 };
    for (const { port } of [primary, standby]) {
      pgbouncers.push(await startPgbouncer(port, settings));
    }
    const [before, after] = pgbouncers as [Pgbouncer, Pgbouncer];
    return [before.through(urls[0]), after.through(urls[1])];
  }

  test('all healthy: every firing once; then faults: none lost, none under a second id', async t => {
    for (let node = 0; node < 3; node += 1) nodes.push(startNode(folder, url));
    for (const node of nodes) await node.ready;
    const api = new Api(await nodes[0]!.ready);
    const workload = Array.from({ length: SCHEDULES }, (_, index) =>
      every('* * * * * *', `${targetUrl}/${index % 10 === 0 ? 'slow/300' : 'ok'}`),
    );
    const failing = every('*/3 * * * * *', `${targetUrl}/fail`, 'UTC', [
      { type: 'WEBHOOK', url: `${targetUrl}/callback/ok`, callOnSuccess: false },
    ]);
    // Longer than a lease: it has to be renewed.
    const slow = every('*/5 * * * * *', `${targetUrl}/slow/3000`);
    const schedules = await api.createAll([...workload, failing, slow]);
    const startedAt = Date.now();

    const healthy = await aHealthySpan();
    assertOnce(
      target.arrivals.filter(
        ({ scheduledFor }) => scheduledFor >= healthy.from && scheduledFor < healthy.until,
      ),
    );

    const doomed = await aBusyOne(nodes);
    const others = nodes.filter(node => node !== doomed);
    const faults: [name: string, at: number][] = [];
    const fault = (name: string) => faults.push([name, Date.now()]);
    fault('a node killed');
    await doomed.kill();
    const killedAt = Date.now();
    await sleep(2 * LEASE_SECONDS * 1_000);
    const frozen = await aBusyOne(others);
    fault('a node frozen');
    frozen.signal('SIGSTOP');
    await sleep(2 * LEASE_SECONDS * 1_000);
    frozen.signal('SIGCONT');
    await sleep(1_000);
    await untilSomeAreBusy();
    fault('the database restarted');
    await database.primary.halt();
    await database.primary.start();
    await sleep(2 * LEASE_SECONDS * 1_000 + 2_000);
    await untilSomeAreBusy();
    fault('the primary killed, its standby promoted 1.5 s later');
    await database.failOver(() => sleep(1_500));
    await sleep(2 * LEASE_SECONDS * 1_000 + 2_000);
    const until = Date.now() - 1_000;

    const last = new Api(await others[0]!.ready);
    const giveUpAt = Date.now() + PATIENCE_MS;
    let runs: Run[];
    let lacking: string[];
    let silent: string[];
    do {
      await sleep(LEASE_SECONDS * 1_000);
      runs = await last.runs(startedAt - 5_000);
      lacking = untold(schedules, toldOf(runs), startedAt, until);
      silent = uncalled(runs, target.callbacks, until);
    } while (lacking.length + silent.length > 0 && Date.now() < giveUpAt);
    for (const node of others) await node.stop();
    assert.deepEqual(lacking.slice(0, 5), [], `${lacking.length} nominal times are lacking`);
    assert.deepEqual(silent, [], 'failed, and did not call back');
    assert.deepEqual(unseen(runs, target.arrivals).slice(0, 5), []);
    assertOneId(target.arrivals);
    const sinceHealthy = target.arrivals.filter(each => each.scheduledFor >= healthy.from);
    assertLostOnly(runs, sinceHealthy, killedAt);
    for (const [index, [name, from]] of faults.entries()) {
      const until = faults[index + 1]?.[1] ?? Number.POSITIVE_INFINITY;
      const gapMs = longestGapMs(schedules, target.arrivals, from - 1_000, until);
      t.diagnostic(`longest gap of an every-second schedule: ${gapMs} ms (${name})`);
    }
    assert.ok(duplicates(target.arrivals) > 0, 'no fault cut a request off');
    t.diagnostic(
      `${target.arrivals.length} requests, ${duplicates(target.arrivals)} of them again`,
    );
  });
});

/** A node that waits for slow answers: what is due together, one may have claimed. */
async function aBusyOne(nodes: Process[]): Promise<Process> {
  for (let second = 0; second < 20; second += 1) {
    await untilSomeAreBusy();
    for (const node of nodes) {
      const metrics = await (await fetch(`${await node.ready}/metrics`)).text();
      if (Number(/^punctual_in_flight (\d+)$/m.exec(metrics)?.[1]) > 0) return node;
    }
  }
  return assert.fail('no node had anything to do for 20 s');
}

/** A moment at which slow answers are waited for. */
function untilSomeAreBusy(): Promise<void> {
  return sleep(1_000 - (Date.now() % 1_000) + 100);
}

/**
 * Lets the nodes work for a while. A machine that stands still for about as long as a lease is not healthy: the nodes may
 * take over from each other then. So the span begins anew after that.
 */
async function aHealthySpan(): Promise<{ from: number; until: number }> {
  for (let spans = 1; ; spans += 1) {
    const from = Date.now();
    const until = from + HEALTHY_SECONDS * 1_000;
    let longestMs = 0;
    for (let last = from; last < until; ) {
      await sleep(50);
      const now = Date.now();
      longestMs = Math.max(longestMs, now - last);
      last = now;
    }
    const stoodStill = longestMs > LEASE_SECONDS * 500;
    if (!stoodStill || spans === MOST_SPANS) {
      return { from: spans === 1 ? 0 : from + 1_000, until: Date.now() - 1_000 };
    }
  }
}

/** While nothing is wrong, a nominal time is one request. */
function assertOnce(arrivals: Arrival[]): void {
  const seen = new Set<string>();
  for (const { webhookId } of arrivals) {
    assert.ok(!seen.has(webhookId), `${webhookId} was sent twice`);
    seen.add(webhookId);
  }
  assert.ok(seen.size > 0);
}

/** Every nominal time that history tells of, one by one, by schedule and second. */
function toldOf(runs: Run[]): Set<string> {
  const told = new Set<string>();
  for (const run of runs) {
    const { scheduleId } = run;
    const [from, to] = [run.from ?? run.scheduledFor, run.to ?? run.scheduledFor].map(Date.parse);
    for (let time = from!; time <= to!; time += 1_000) told.add(`${scheduleId} ${time}`);
  }
  return told;
}

/** Nominal times of which history says nothing. */
function untold(schedules: Schedule[], told: Set<string>, from: number, until: number): string[] {
  const lacking: string[] = [];
  for (const { id, interval } of schedules) {
    const everyMs = Number(/^\*\/(\d)/.exec(interval)?.[1] ?? 1) * 1_000;
    for (let time = Math.ceil(from / everyMs) * everyMs; time <= until; time += everyMs) {
      if (!told.has(`${id} ${time}`)) lacking.push(`${id} at ${new Date(time).toISOString()}`);
    }
  }
  return lacking;
}

/** Runs that succeeded, and of which the target knows nothing. */
function unseen(runs: Run[], arrivals: Arrival[]): string[] {
  const came = new Set(arrivals.map(({ webhookId }) => webhookId));
  return runs
    .filter(({ id, status }) => status === 'succeeded' && !came.has(id))
    .map(run => run.id);
}

/** What came twice was cut off by a fault, and history says so. */
function assertLostOnly(runs: Run[], arrivals: Arrival[], since: number): void {
  const lost = new Set(
    runs.filter(run => run.attempts.some(({ outcome }) => outcome === 'lost')).map(({ id }) => id),
  );
  const seen = new Map<string, number>();
  for (const { webhookId, scheduledFor, status } of arrivals) {
    if (status === 500) continue;
    const count = (seen.get(webhookId) ?? 0) + 1;
    seen.set(webhookId, count);
    if (count === 1) continue;
    assert.ok(lost.has(webhookId), `${webhookId} came ${count} times, and none was lost`);
    assert.ok(scheduledFor > since - 5_000, `${webhookId} came twice before any fault`);
  }
}

/** Runs up to `until` that failed, and of which the receiver knows nothing. */
function uncalled(runs: Run[], callbacks: { runId: string }[], until: number): string[] {
  const called = new Set(callbacks.map(({ runId }) => runId));
  const failed = runs.filter(({ status, attempts, scheduledFor }) => {
    return status === 'failed' && attempts.length > 0 && Date.parse(scheduledFor) <= until;
  });
  assert.ok(failed.length > 0);
  return failed.map(({ id }) => id).filter(id => !called.has(id));
}

function duplicates(arrivals: Arrival[]): number {
  const seen = new Set(arrivals.map(({ webhookId, attempt }) => `${webhookId} ${attempt}`));
  const ids = new Set(arrivals.filter(({ status }) => status !== 500).map(each => each.webhookId));
  return seen.size - ids.size - arrivals.filter(({ status }) => status === 500).length;
}

/** Of the schedules that fire every second. */
function longestGapMs(
  schedules: Schedule[],
  arrivals: Arrival[],
  from: number,
  until: number,
): number {
  const everySecond = new Set(
    schedules.filter(({ interval }) => interval === '* * * * * *').map(({ id }) => id),
  );
  const last = new Map<string, number>();
  let longest = 0;
  for (const { scheduleId, at } of arrivals) {
    if (!everySecond.has(scheduleId) || at < from || at > until) continue;
    longest = Math.max(longest, at - (last.get(scheduleId) ?? at));
    last.set(scheduleId, at);
  }
  return longest;
}
