import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { searchRuns } from '../../src/api/run-search.ts';
import type { RunRecord } from '../../src/domain/run/run.ts';
import type { RunView } from '../../src/store/contract/runs.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { aRecord, claimOne, settled, waiting } from '../support/store/backend.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const clock = new ManualClock(NOON);
const service = await startService({ clock });
after(() => service.close());

async function withRuns(fields: object, records: (id: string) => RunRecord[]) {
  const schedule = await service.create({ interval: '* * * * *', ...fields });
  const claim = await claimOne(service.store, clock.now() + 60_000);
  const rest = waiting(clock.now() + 1e10, null);
  await settled(service.store, claim, rest, { records: records(schedule.id) });
  return schedule;
}

function answered(id: string, at: number, responseStatus: number): RunRecord {
  const [attempt] = aRecord(id, at).attempts;
  const error = `The target answered ${responseStatus}.`;
  return aRecord(id, at, {
    status: 'failed',
    attempts: [{ ...attempt!, responseStatus, error }],
  });
}

const one = await withRuns({ label: 'One', url: 'https://one.example:8443/x' }, id => [
  aRecord(id, NOON),
  answered(id, NOON + 1, 503),
  answered(id, NOON + 2, 404),
]);
const two = await withRuns({ label: '', url: 'https://Two.example/y', tags: { team: 'a' } }, id => [
  aRecord(id, NOON + 3),
  answered(id, NOON + 4, 503),
  aRecord(id, NOON + 5, {
    status: 'missed',
    attempts: [],
    reason: 'It passed while Punctual was not running.',
    startedAt: undefined!,
    finishedAt: undefined!,
    decidedAt: NOON + 9,
  }),
]);

async function found(query: string): Promise<number[]> {
  const answer = await service.call('GET', `/v1/run?${query}`);
  assertOk(answer);
  const { items } = answer.body as Wire.RunPage;
  return items.map(({ scheduledFor }) => Date.parse(scheduledFor) - NOON);
}

test('runs are found by host, answered status, text of the error, and cause', async () => {
  assert.deepEqual(await found('host=ONE.example:8443'), [2, 1, 0]);
  assert.deepEqual(await found('host=one.example'), []);
  assert.deepEqual(await found('host=two.example'), [5, 4, 3]);
  assert.deepEqual(await found('responseStatus=503'), [4, 1]);
  assert.deepEqual(await found('responseStatus=503&host=two.example'), [4]);
  assert.deepEqual(await found('error=ANSWERED%20404'), [2]);
  assert.deepEqual(await found('cause=status'), [4, 2, 1]);
  assert.deepEqual(await found('cause=notRunning'), [5]);
  assert.deepEqual(await found('cause=status&status=succeeded'), []);
  assert.deepEqual(await found('cause=status&tag=team:a'), [4]);
  assert.deepEqual(await found(`cause=status&scheduleId=${one.id}`), [2, 1]);
  assert.deepEqual(await found(`status=missed&error=not%20running`), [5]);
});

test('pages of a search follow each other without a gap', async () => {
  const all: number[] = [];
  let cursor = '';
  do {
    const { body } = await service.call('GET', `/v1/run?cause=status&limit=1${cursor}`);
    all.push(...body.items.map((run: Wire.Run) => Date.parse(run.scheduledFor) - NOON));
    cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  assert.deepEqual(all, [4, 2, 1]);
});

test('runs of a list have the names of their schedules where these are asked for', async () => {
  for (const query of ['', '?names=false', '?host=one.example:8443']) {
    const { items } = (await service.call('GET', `/v1/run${query}`)).body;
    assert.ok(items.length > 0);
    for (const run of items) assert.ok(!('label' in run || 'url' in run));
  }
  const { body } = await service.call('GET', '/v1/run?names=true');
  const named = body.items.map(({ scheduleId, label, url }: Wire.Run) => [scheduleId, label, url]);
  assert.deepEqual(named[0], [two.id, '', 'https://Two.example/y']);
  assert.deepEqual(named[5], [one.id, 'One', 'https://one.example:8443/x']);
});

test('a filter that cannot be is refused by its name', async () => {
  for (const query of [
    'responseStatus=99',
    'responseStatus=x',
    'error=',
    'cause=bad',
    'names=yes',
  ]) {
    const name = new RegExp(query.split('=')[0]!);
    assertError(await service.call('GET', `/v1/run?${query}`), 400, name);
  }
});

test('a search is bounded, and says where the next one goes on', async () => {
  const runs = Array.from(
    { length: 5_000 },
    (_, index): RunView => ({
      id: `run-${index}`,
      scheduleId: 's',
      scheduledFor: -index,
      trigger: 'schedule',
      status: index === 4_500 ? 'failed' : 'succeeded',
      attempts: [],
      ...(index === 4_500 && { reason: 'Found.' }),
    }),
  );
  let looked = 0;
  const look = {
    clientRowId: 1,
    async page(limit: number, before: string | undefined) {
      const start = before === undefined ? 0 : Number(before.slice(4)) + 1;
      const page = runs.slice(start, start + limit);
      looked += page.length;
      return { runs: page, next: page.length === limit ? page.at(-1)!.id : null };
    },
    names: async () => new Map(),
  };
  const first = await searchRuns(look, { error: 'found' }, 10, undefined);
  assert.deepEqual([first.runs, first.next, looked], [[], 'run-1999', 2_000]);
  const second = await searchRuns(look, { error: 'found' }, 10, first.next!);
  const third = await searchRuns(look, { error: 'found' }, 10, second.next!);
  assert.deepEqual(
    third.runs.map(({ id }) => id),
    ['run-4500'],
  );
  assert.equal(third.next, null);
});
