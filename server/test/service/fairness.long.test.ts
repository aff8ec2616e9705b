import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Statuses } from '../../bench/abuser.ts';
import { ABUSES, type Abused, runAbuse } from '../../bench/abuses.ts';
import { Arrivals } from '../../bench/arrivals.ts';
import { pause } from '../../bench/processes.ts';
import { addClient, Punctual, startDatabase } from '../../bench/punctual.ts';
import { createSchedules } from '../../bench/schedules.ts';
import { startSlowTarget, startTarget } from '../../bench/target.ts';
import { nextStart } from '../../bench/window.ts';

/**
 * The short form of the scene `fairness`: client A does its worst, client B has one every second. How
 * late B is hangs on the machine; that none of its firings is lost does not, nor what A is refused. Each
 * is of a schedule of its own: the next time of the same one is skipped where a run takes a second.
 */

const SECONDS = 8;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const SCHEDULES = 2_000;
/** How long what is late may take. */
const PATIENCE_MS = 60_000;

const target = await startTarget(101);
const arrivals = await Arrivals.of(target);
const hanging = await startSlowTarget(1, null);
after(async () => {
  await arrivals.close();
  await Promise.all([target.stop(), hanging.stop()]);
});

/** What A must be told by then, and what it may be told beside. */
const ANSWERED: Record<string, { must: string[]; may: string[] }> = {
  'event streams': { must: ['400'], may: ['200', 'hung up'] },
  'manual runs': { must: ['200'], may: ['400'] },
  forecasts: { must: ['200'], may: [] },
  tries: { must: ['400'], may: ['200'] },
  'wrong keys': { must: ['401'], may: [] },
  'large bodies': { must: ['400'], may: [] },
};

function assertAnswered(name: string, statuses: Statuses): void {
  const { must, may } = ANSWERED[name] ?? { must: [], may: [] };
  const said = Object.keys(statuses);
  assert.ok(
    must.every(status => said.includes(status)),
    JSON.stringify(statuses),
  );
  assert.deepEqual(
    said.filter(status => !must.includes(status) && !may.includes(status)),
    [],
    JSON.stringify(statuses),
  );
}

/** The scene compares with a client that does nothing; that a firing is not lost then is the simulator's to show. */
for (const abuse of ABUSES.filter(({ name }) => name !== 'nothing')) {
  test(`${abuse.name}: another client loses no firing`, {
    skip: abuse.whyNot ?? false,
  }, async t => {
    const database = await startDatabase('sqlite');
    const node = await Punctual.start(database, abuse.settings?.());
    t.after(() => node.stop());
    const world: Abused = {
      node,
      schedules: SCHEDULES,
      answers: target.url,
      hangs: () => hanging.url(),
    };
    const b = await addClient(database, 'B');
    await abuse.prepare?.(world);
    let from = nextStart(SECOND_MS);
    const firstSecond = new Date(from).getUTCSeconds();
    const expect = () =>
      arrivals.expect('b', { schedules: SECONDS, from, periodMs: MINUTE_MS, periods: 1 });
    // The ledger comes first: it does not count an arrival of before.
    let ledger = await expect();
    await createSchedules(node.url, {
      count: SECONDS,
      group: 'b',
      interval: index => `${(firstSecond + index) % 60} * * * * *`,
      url: () => target.url(100),
      credentials: b,
    });
    if (Date.now() >= from) {
      // The machine took too long to make them: the first fires a minute later.
      from += MINUTE_MS;
      ledger = await expect();
    }
    const untilStart = Math.ceil((from - Date.now()) / SECOND_MS);
    const statuses = await runAbuse(abuse, world, untilStart + SECONDS);
    const givenUpAt = Date.now() + PATIENCE_MS;
    do {
      await pause(200);
      await arrivals.read();
    } while (!ledger.isComplete && Date.now() < givenUpAt);
    assert.deepEqual(ledger.counted, {
      expected: SECONDS,
      arrived: SECONDS,
      lost: 0,
      twice: 0,
      early: 0,
    });
    assertAnswered(abuse.name, statuses);
  });
}
