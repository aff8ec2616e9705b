import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../server/test/support/api/service.ts';
import { readEvents } from '../src/events.ts';
import {
  byExternalId,
  PunctualApiError,
  PunctualClient,
  type ScheduleInput,
} from '../src/index.ts';

/** Every method against the real API. */

const service = await startService();
after(() => service.close());
const baseUrl = `http://127.0.0.1:${service.port}`;
const { clientId, apiKey } = service.mine;
const credentials = { clientId, apiKey };
const client = new PunctualClient({ baseUrl: `${baseUrl}/`, ...credentials });
const input: ScheduleInput = {
  url: 'https://example.com/hook',
  verb: 'POST',
  interval: '0 * * * *',
  timezone: 'Europe/Berlin',
};

test('a schedule is created, got, replaced, patched and deleted', async () => {
  const created = await client.createSchedule({ ...input, label: 'a' });
  assert.deepEqual(await client.getSchedule(created.id), created);
  const { status: _, ...stored } = created;
  const replaced = await client.replaceSchedule(created.id, { ...stored, label: 'b' });
  assert.equal(replaced.label, 'b');
  const patched = await client.patchSchedule(created.id, { label: null, headers: { 'X-A': '1' } });
  assert.deepEqual([patched.label, patched.headers], ['', { 'X-A': '1' }]);
  assert.deepEqual(await client.deleteSchedule(created.id), { success: true });
  assert.equal((await client.getSchedule(created.id)).status, 'deleted');
});

test('lists are paged and filtered', async () => {
  const { items } = await client.createSchedules([
    { ...input, label: 'list & 1' },
    { ...input, label: 'list & 2' },
  ]);
  const first = await client.listSchedules({ label: 'list &', limit: 1 });
  assert.deepEqual(first.items, [items[1]]);
  const second = await client.listSchedules({
    label: 'list &',
    limit: 1,
    ...(first.nextCursor && { cursor: first.nextCursor }),
  });
  assert.deepEqual(second, { items: [items[0]] });
  assert.ok((await client.listSchedules()).items.length >= 2);
});

test('a trigger answers a run, which is listed and got', async () => {
  const { id } = await client.createSchedule(input);
  const run = await client.triggerSchedule(id);
  assert.deepEqual([run.trigger, run.scheduleId], ['manual', id]);
  assert.deepEqual(await client.getRun(run.id), run);
  assert.deepEqual((await client.listRuns({ scheduleId: id, from: run.scheduledFor })).items, [
    run,
  ]);
});

test('a schedule is upserted, and named by its external id wherever an id stands', async () => {
  const made = await client.upsertSchedule('own-1', { ...input, label: 'a' });
  const replaced = await client.upsertSchedule('own-1', { ...input, label: 'b' });
  assert.deepEqual([replaced.id, replaced.label], [made.id, 'b']);
  await assert.rejects(client.upsertSchedule('own-1', input, { ifNoneMatch: '*' }), {
    status: 412,
    code: 'precondition_failed',
  });
  await assert.rejects(client.upsertSchedule('own-2', input, { ifMatch: '*' }), { status: 412 });
  const named = byExternalId('own-1');
  assert.deepEqual(await client.getSchedule(named), replaced);
  assert.equal((await client.patchSchedule(named, { label: 'c' })).label, 'c');
  assert.equal((await client.nextTimes(named)).times.length, 5);
  const run = await client.triggerSchedule(named);
  assert.deepEqual((await client.listRuns({ scheduleId: named })).items, [run]);
  const { schedule, etag } = await client.getTaggedSchedule(named);
  assert.deepEqual(await client.deleteSchedule(named, { ifMatch: etag }), { success: true });
  await assert.rejects(client.getSchedule(named), { status: 404 });
  assert.equal((await client.getSchedule(schedule.id)).status, 'deleted');
});

test('schedules and runs are listed by their tags, and patched together', async () => {
  const tagged = (team: string) => ({ ...input, tags: { team, tier: 'one' } });
  const [billing, mail] = (await client.createSchedules([tagged('billing & co'), tagged('mail')]))
    .items;
  const ids = async (tag: string[]) =>
    (await client.listSchedules({ tag })).items.map(({ id }) => id);
  assert.deepEqual(await ids(['tier:one', 'team:billing & co']), [billing!.id]);
  assert.deepEqual(await ids(['team']), [mail!.id, billing!.id]);
  const run = await client.triggerSchedule(mail!.id);
  assert.deepEqual((await client.listRuns({ tag: ['team:mail'] })).items, [run]);
  const { items } = await client.patchSchedules({ tag: 'team', patch: { label: 'many' } });
  assert.deepEqual(
    items.map(({ id, label }) => [id, label]),
    [
      [mail!.id, 'many'],
      [billing!.id, 'many'],
    ],
  );
});

test('a call with an idempotency key makes one schedule, however often it is sent', async () => {
  const idempotencyKey = 'order "17"';
  const first = await client.createSchedule(input, { idempotencyKey });
  assert.deepEqual(await client.createSchedule(input, { idempotencyKey }), first);
  await assert.rejects(client.createSchedule({ ...input, label: 'b' }, { idempotencyKey }), {
    status: 422,
    code: 'idempotency_mismatch',
  });
});

test('times, of a schedule and of an interval that is not stored', async () => {
  const { id } = await client.createSchedule(input);
  assert.equal((await client.nextTimes(id)).times.length, 5);
  assert.equal((await client.nextTimes(id, { count: 2 })).times.length, 2);
  const { interval, timezone } = input;
  const from = '2026-01-01T00:00:00Z';
  assert.deepEqual(await client.previewTimes({ interval, timezone, from, count: 1 }), {
    times: ['2026-01-01T01:00:00.000Z'],
  });
  assert.ok((await client.listTimezones()).includes('Europe/Berlin'));
});

test('a refusal is a PunctualApiError with the status and the sentence', async () => {
  const refused = (status: number, message: RegExp) => (error: unknown) => {
    assert.ok(error instanceof PunctualApiError);
    assert.equal(error.status, status);
    assert.match(error.message, message);
    return true;
  };
  await assert.rejects(
    client.createSchedule({ ...input, interval: 'x' }),
    refused(400, /interval/),
  );
  await assert.rejects(client.getSchedule('a/b?c#d'), refused(404, /no schedule with this id/));
  await assert.rejects(client.getRun('../schedule'), refused(404, /no run with this id/));
  const stranger = new PunctualClient({ baseUrl, ...credentials, apiKey: 'wrong' });
  await assert.rejects(stranger.listRuns(), refused(401, /ApiKey/));
});

test('an answer in words of its own, from a proxy, is an error with its status', async () => {
  const proxied = new PunctualClient({
    baseUrl,
    ...credentials,
    maxRetries: 0,
    fetch: async () => new Response('<h1>Bad Gateway</h1>', { status: 502 }),
  });
  await assert.rejects(proxied.listSchedules(), { name: 'PunctualApiError', status: 502 });
});

test('what became of an instant, what was and what is to come', async () => {
  const { id } = await client.createSchedule(input);
  const explained = await client.explain(id, { at: '2020-01-01T00:00:00Z' });
  assert.equal(explained.verdict, 'notCreated');
  assert.ok((await client.stats({ minutes: 5 })).enabledSchedules > 0);
  assert.equal((await client.forecast({ span: 'week' })).counts.length, 168);
});

test('a schedule is checked before it is stored', async () => {
  const { problems } = await client.checkSchedule({ ...input, url: 'nothing' });
  assert.deepEqual(
    problems.map(({ where }) => where),
    ['url'],
  );
});

test('keys are made, listed and revoked', async () => {
  const { apiKey, ...made } = await client.createKey({ name: 'test' });
  assert.deepEqual((await client.listKeys()).items.at(-1), made);
  const { signingSecret, ...secret } = await client.rotateSecret({ overlapSeconds: 60 });
  assert.match(signingSecret, /^whsec_/);
  assert.deepEqual(await client.getSecret(), secret);
  assert.equal((await client.endOverlap()).overlapEndsAt, undefined);
  assert.ok((await client.revokeKey(made.id)).revokedAt);
  assert.match(apiKey, /^pk_/);
});

test('a session needs no key: what a browser keeps is enough', async () => {
  let cookie = '';
  const browser = new PunctualClient({
    baseUrl,
    async fetch(url, init) {
      const headers = { ...(init?.headers as Record<string, string>), ...(cookie && { cookie }) };
      const response = await fetch(url, { ...init, headers });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return response;
    },
  });
  await assert.rejects(browser.getSession(), { status: 401 });
  const session = await browser.signIn(clientId, apiKey);
  assert.deepEqual(await browser.getSession(), session);
  assert.ok((await browser.listSchedules()).items.length > 0);
  assert.deepEqual(await browser.signOut(), { success: true });
  await assert.rejects(browser.listSchedules(), { status: 401 });
});

test('events come in whatever pieces the network makes of them', async () => {
  const text =
    'retry: 2000\n\n: still here\n\nid: 1-a\nevent: gap\ndata: {"from":"☂","to":"b"}\n\nid: 2';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 7, 1_000]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    const stream = ReadableStream.from(pieces) as ReadableStream<Uint8Array>;
    const events = await Array.fromAsync(readEvents(stream));
    assert.deepEqual(events, [{ id: '1-a', type: 'gap', data: { from: '☂', to: 'b' } }]);
  }
});

test('events that are refused are an error', async () => {
  const stranger = new PunctualClient({ baseUrl, ...credentials, apiKey: 'wrong' });
  await assert.rejects(stranger.events().next(), { status: 401 });
});
