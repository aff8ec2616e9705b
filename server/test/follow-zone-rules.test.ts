import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { countTimesWith } from '../src/domain/calendar/times.ts';
import { BUILT_IN, type ZoneData } from '../src/domain/calendar/zones/zone-data.ts';
import { ZoneFollower } from '../src/follow-zone-rules.ts';
import type { Store } from '../src/store/contract/store.ts';
import { assertError } from './support/api/expect.ts';
import { type Service, startService } from './support/api/service.ts';
import { ManualClock, quiet } from './support/clock.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const DAY = 86_400_000;
const WINNIPEG = 'America/Winnipeg';
/** Winnipeg as Chicago goes: in the releases before 2026d. */
const BEFORE: ZoneData = {
  release: '2026c',
  files: new Map(BUILT_IN.files).set(WINNIPEG, BUILT_IN.files.get('America/Chicago')!),
};

describe('the rules of time zones are followed', () => {
  let service: Service;
  let clock: ManualClock;
  let logged: [fields: Record<string, unknown>, sentence: string][];
  let woken: number[];

  beforeEach(async () => {
    countTimesWith(BEFORE);
    clock = new ManualClock(NOW);
    service = await startService({ clock });
    logged = [];
    woken = [];
  });
  afterEach(async () => {
    countTimesWith(BUILT_IN);
    await service.close();
  });

  async function followed(store: Store = service.store): Promise<ZoneFollower> {
    const tell = (fields: Record<string, unknown>, sentence: string) =>
      logged.push([fields, sentence]);
    const log = { info: tell, warn: tell, error: tell } as never;
    const wake = (dueAt: number) => woken.push(dueAt);
    const follower = new ZoneFollower({ store, clock, log, wake });
    follower.start();
    await quiet();
    return follower;
  }

  /** A service that counts by these rules is started, and has done its step. */
  async function startUnder(rules: ZoneData): Promise<void> {
    countTimesWith(rules);
    await (await followed()).stop();
  }

  async function report(as = service.mine): Promise<Wire.ZoneReport> {
    const answer = await service.call('GET', '/v1/tzdata', { as });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  test('the first start keeps the changes of two years, and has nothing to tell', async () => {
    await service.create({ interval: '0 12 * * *', timezone: WINNIPEG });
    await startUnder(BEFORE);
    const [rules, ...others] = await service.store.zoneRules.list();
    assert.deepEqual([rules!.zone, rules!.release, others.length], [WINNIPEG, '2026c', 0]);
    assert.equal(rules!.changes[0]![0], NOW);
    assert.equal(rules!.changes.length, 5);
    assert.deepEqual(logged, []);
    assert.deepEqual(await report(), { version: '2026c', zones: [] });
  });

  test('under another release times to come move, and the report says from when to when', async () => {
    const noon = await service.create({
      interval: '0 12 * * *',
      timezone: WINNIPEG,
      label: 'noon',
    });
    const hourly = await service.create({ interval: '0 * * * *', timezone: WINNIPEG });
    await service.create({ interval: '0 12 * * *', timezone: 'Europe/Berlin' });
    await service.create({ timezone: WINNIPEG, status: 'disabled' });
    await startUnder(BEFORE);
    await startUnder(BUILT_IN);
    const { clientRowId } = service.mine;
    const { row, schedule } = (await service.store.schedules.findAt(clientRowId, noon.id, NOW))!;
    assert.equal(new Date(row!.scheduledFor).toISOString(), '2026-11-24T17:00:00.000Z');
    assert.equal(schedule.updatedAt, undefined);
    assert.deepEqual(woken, [Date.parse('2026-11-24T17:00:00Z')]);
    assert.deepEqual(logged, [
      [
        { tzdata: BUILT_IN.release, previous: '2026c', zones: [WINNIPEG], moved: 1 },
        'the rules of time zones have changed',
      ],
    ]);
    const { zones, ...rest } = await report();
    assert.deepEqual(rest, {
      version: BUILT_IN.release,
      previousVersion: '2026c',
      changedAt: '2026-11-24T12:00:00.000Z',
    });
    const [zone, ...others] = zones;
    assert.deepEqual([zone!.timezone, zone!.scheduleCount, others], [WINNIPEG, 2, []]);
    const [moved, ...still] = zone!.schedules;
    assert.deepEqual([moved!.id, moved!.label, still], [noon.id, 'noon', []], hourly.id);
    assert.equal(moved!.moved.length, 20);
    assert.deepEqual(moved!.moved[0], {
      before: '2026-11-24T18:00:00.000Z',
      after: '2026-11-24T17:00:00.000Z',
    });
    assert.deepEqual((await report(service.theirs)).zones, []);
  });

  test('the next start under the same release tells the same, and does nothing', async () => {
    await service.create({ interval: '0 12 * * *', timezone: WINNIPEG });
    await startUnder(BEFORE);
    await startUnder(BUILT_IN);
    const first = await report();
    logged = [];
    await clock.advance(DAY / 24);
    await startUnder(BUILT_IN);
    assert.deepEqual(logged, []);
    assert.deepEqual((await report()).changedAt, first.changedAt);
    assert.equal((await report()).zones.length, 1);
  });

  test('a release that changes no zone in use is told, without zones', async () => {
    await service.create({ timezone: 'Europe/Berlin' });
    await startUnder(BEFORE);
    await startUnder(BUILT_IN);
    assert.deepEqual(
      logged.map(([{ zones, moved }]) => [zones, moved]),
      [[[], 0]],
    );
    const { previousVersion, zones } = await report();
    assert.deepEqual([previousVersion, zones], ['2026c', []]);
  });

  test('a time that is due stays due', async () => {
    const { id } = await service.create({ interval: '0 12 * * *', timezone: WINNIPEG });
    await startUnder(BEFORE);
    await clock.jump('2026-11-24T19:00:00Z');
    await startUnder(BUILT_IN);
    const { queue } = service.store;
    const { claims } = await queue.claim(clock.now(), 9, 0);
    const times = claims.map(({ schedule, scheduledFor, nextFor }) => [
      schedule.id,
      new Date(scheduledFor).toISOString(),
      new Date(nextFor!).toISOString(),
    ]);
    assert.deepEqual(times, [[id, '2026-11-24T18:00:00.000Z', '2026-11-25T17:00:00.000Z']]);
  });

  test('the end of counted times moves with them', async () => {
    countTimesWith(BUILT_IN);
    const { id } = await service.create({ interval: '0 12 * * *', timezone: WINNIPEG, maxRuns: 2 });
    await startUnder(BUILT_IN);
    await startUnder(BEFORE);
    const { times } = (await service.call('GET', `/v1/schedule/${id}/next`)).body;
    assert.deepEqual(times, ['2026-11-24T18:00:00.000Z', '2026-11-25T18:00:00.000Z']);
  });

  test('zones that come into use are kept a day later, and older rules are not taken for news', async () => {
    await service.create({ timezone: 'Europe/Berlin' });
    const follower = await followed();
    await service.create({ timezone: WINNIPEG });
    await clock.advance(DAY);
    const kept = await service.store.zoneRules.list();
    assert.deepEqual(
      kept.map(({ zone, changes }) => [zone, changes[0]![0] - NOW]),
      [
        [WINNIPEG, DAY],
        ['Europe/Berlin', DAY],
      ],
    );
    // Another node has been started under a newer release.
    const newer = kept.map(rules => ({ ...rules, release: '2099a' }));
    await service.store.zoneRules.put(newer);
    await clock.advance(DAY);
    assert.deepEqual(await service.store.zoneRules.list(), newer);
    assert.deepEqual(logged, []);
    await follower.stop();
  });

  test('a fault of the store is logged, and it is tried again', async () => {
    await service.create({ timezone: WINNIPEG });
    let faults = 1;
    const zoneRules = {
      ...service.store.zoneRules,
      list: async () => {
        if (faults-- > 0) throw new Error('away');
        return service.store.zoneRules.list();
      },
    };
    const follower = await followed({ ...service.store, zoneRules });
    assert.equal(logged[0]![1], 'the rules of time zones could not be followed');
    assert.deepEqual(await service.store.zoneRules.list(), []);
    await clock.advance(60_000);
    assert.equal((await service.store.zoneRules.list()).length, 1);
    await follower.stop();
  });

  test('401 and 400', async () => {
    const nobody = { ...service.mine, apiKey: 'wrong' };
    assertError(await service.call('GET', '/v1/tzdata', { as: nobody }), 401);
    assertError(await service.call('GET', '/v1/tzdata?zone=UTC'), 400, /zone/);
  });
});
