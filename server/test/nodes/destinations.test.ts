import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { periodsOf } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import { newId } from '../../src/domain/id.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { EngineObserver } from '../../src/engine/observer.ts';
import { LeaseDeadline } from '../../src/outbound/lease-deadline.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { ManualClock } from '../support/clock.ts';
import { aClient, stored } from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

/** A destination that is changed on one node of a PostgreSQL counts on the others, for what they hold already. */

const server = await startPostgres();
after(() => server.stop());

const HOUR = 3_600_000;
/** Only against a test that hangs for ever. */
const IN_VAIN_MS = 60_000;

test('another node hears of the change, and sends nothing of before', async t => {
  const url = await server.createDatabase();
  const [here, there] = [await openPostgres(url), await openPostgres(url)];
  const caller = await aClient(here);
  const now = await here.cluster!.now();
  const clock = new ManualClock(now);
  const sent: (string | undefined)[] = [];
  const versions: string[] = [];
  const { destinations } = there;
  const present = destinations.present.bind(destinations);
  destinations.present = async named => {
    const found = await present(named);
    versions.push(...found.map(({ version }) => version));
    return found;
  };
  const engine = new Engine({
    expand: periodsOf,
    fetchText: async () => '',
    store: there,
    clock,
    random: () => 0,
    observer: new Proxy({}, { get: () => () => {} }) as EngineObserver,
    maxInFlight: 100,
    maxInFlightPerHost: 100,
    retention: { runsDays: 36_500, failedRunsDays: 36_500 },
    leaseDeadline: new LeaseDeadline(IN_VAIN_MS),
    async send({ headers, permit }) {
      const result = { startedAt: clock.now(), durationMs: 0, phases: {} };
      if (permit?.start() === false) return { ...result, outcome: 'cancelled' };
      sent.push(headers[headers.indexOf('Authorization') + 1]);
      return { ...result, outcome: 'response', responseStatus: 200 };
    },
  });
  let hears = false;
  const listening = there.cluster!.listen({
    wake: dueAt => engine.wake(dueAt),
    changed: (id, changedAt) => engine.changed(id, changedAt),
    wakeOutbox: id => engine.wakeOutbox(id),
    rotated: clientRowId => engine.rotated(clientRowId),
    listening: isListening => {
      hears = isListening;
    },
  });
  t.after(async () => {
    const stopped = engine.stop(0);
    await clock.advance(IN_VAIN_MS);
    await stopped;
    await listening.close();
    await Promise.all([here.close(), there.close()]);
  });

  const put = async (token: string, expected: string | null) => {
    const config = { hosts: ['target.example'], auth: { type: 'bearer' as const } };
    const change = { config, secrets: JSON.stringify({ token }), version: newId(now) };
    assert.notEqual(
      await here.destinations.put(caller, 'billing', expected, change, now),
      'changed',
    );
    return change.version;
  };
  const until = async (isTrue: () => boolean) => {
    const startedAt = performance.now();
    while (!isTrue()) {
      assert.ok(performance.now() - startedAt < IN_VAIN_MS, 'waited in vain');
      await runOn(url, 'SELECT 1');
      await clock.advance(0);
    }
  };

  const before = await put('before', null);
  const first = now + 700;
  const delivery = { destination: 'billing' };
  await stored(here, caller, { interval: '0 * * * *', delivery }, { first, second: first + HOUR });
  await until(() => hears);
  await engine.start();
  await until(() => versions.includes(before));
  const later = await put('after', before);
  await until(() => versions.includes(later));
  assert.deepEqual(sent, [], 'its time has not come');
  await clock.advanceTo(first);
  await until(() => sent.length > 0);
  assert.deepEqual(sent, ['Bearer after']);
});
