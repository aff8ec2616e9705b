import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, PunctualError } from '../../src/domain/errors.ts';
import { instantOf, isId, newId } from '../../src/domain/id.ts';
import type { PatchBody, ScheduleBody } from '../../src/domain/schedule/body.ts';
import {
  changesTimes,
  draftDeletion,
  draftNew,
  draftPatch,
  draftReplacement,
} from '../../src/domain/schedule/draft.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { ALLOW_PUBLIC } from '../../src/domain/schedule/target.ts';

const now = Date.UTC(2026, 2, 1, 12);
const body: ScheduleBody = {
  url: 'https://example.com/hook',
  verb: 'POST',
  interval: '0 * * * *',
  timezone: 'Europe/Berlin',
};
const full: ScheduleBody = {
  ...body,
  headers: { 'X-A': '1', 'X-B': '2' },
  data: { a: 'b', c: 'd' },
  integrations: [{ type: 'WEBHOOK', url: 'https://example.com/a' }],
  label: 'full',
  policy: { maxRetries: 1, timeoutSeconds: 5 },
};

const create = (change: Partial<ScheduleBody> = {}) =>
  draftNew({ ...body, ...change }, now, ALLOW_PUBLIC);
const replace = (current: Schedule, change: Partial<ScheduleBody> = {}, at = now + 1_000) =>
  draftReplacement({ ...body, ...change }, current, at, ALLOW_PUBLIC);
const patch = (current: Schedule, change: PatchBody, at = now + 1_000) =>
  draftPatch(change, current, at, ALLOW_PUBLIC);
const refuses = (work: () => unknown, code: ErrorCode, sentence: RegExp) =>
  assert.throws(work, (error: unknown) => {
    assert.ok(error instanceof PunctualError);
    assert.equal(error.code, code);
    assert.match(error.message, sentence);
    return true;
  });

test('a new schedule is enabled, labelled "" and has nothing that was not sent', () => {
  const { id, ...rest } = create();
  assert.ok(isId(id));
  assert.ok(instantOf(id) >= now);
  assert.deepEqual(rest, { ...body, status: 'enabled', label: '', createdAt: now });
});

test('a new schedule may be disabled from the start', () => {
  assert.equal(create({ status: 'disabled' }).status, 'disabled');
});

test('an empty object or array is kept as sent', () => {
  const { headers, data, integrations, policy } = create({
    headers: {},
    data: {},
    integrations: [],
    policy: {},
  });
  assert.deepEqual([headers, data, integrations, policy], [{}, {}, [], {}]);
});

test('integrations get ids of their own, and the defaults that they left out', () => {
  const { integrations = [] } = create({
    integrations: [
      { type: 'WEBHOOK', url: 'https://example.com/a', id: newId(1) },
      { type: 'WEBHOOK', url: 'https://example.com/b', name: 'n', callOnSuccess: true },
    ],
  });
  const [first, second] = integrations;
  assert.ok(isId(first!.id) && isId(second!.id) && first!.id !== second!.id);
  assert.ok(instantOf(first!.id) >= now, 'an id that was sent along is not taken');
  assert.deepEqual(first, {
    id: first!.id,
    type: 'WEBHOOK',
    name: '',
    url: 'https://example.com/a',
    includeScheduleUrlInCallback: false,
    callOnSuccess: false,
  });
  assert.deepEqual([second!.name, second!.callOnSuccess], ['n', true]);
});

test('a replace keeps identity, age and status, and no optional property', () => {
  const current = create({ ...full, status: 'disabled' });
  const next = replace(current);
  assert.deepEqual(next, {
    ...body,
    id: current.id,
    createdAt: now,
    updatedAt: now + 1_000,
    status: 'disabled',
    label: '',
  });
  assert.equal(replace(current, { status: 'enabled' }).status, 'enabled');
});

test("a replace keeps an integration's id where it was this schedule's, and only once", () => {
  const current = create(full);
  const [known] = current.integrations!;
  const stranger = newId(1);
  const sent = { type: 'WEBHOOK', url: 'https://example.com/a' } as const;
  const ids = replace(current, {
    integrations: [
      { ...sent, id: known!.id },
      { ...sent, id: known!.id },
      { ...sent, id: stranger },
      sent,
    ],
  }).integrations!.map(({ id }) => id);
  assert.equal(ids[0], known!.id);
  assert.equal(new Set(ids).size, 4);
  assert.ok(!ids.includes(stranger));
});

test('updatedAt moves with every change, in one millisecond and when the clock goes back too', () => {
  const first = replace(create(), {}, now);
  const second = patch(first, {}, now - 5_000);
  const third = draftDeletion(second, now)!;
  assert.deepEqual(
    [first, second, third].map(({ updatedAt }) => updatedAt! - now),
    [1, 2, 3],
  );
});

test('an empty patch changes nothing but updatedAt', () => {
  const current = create(full);
  assert.deepEqual(patch(current, {}), { ...current, updatedAt: now + 1_000 });
});

test('a patch merges headers, data and policy key by key; null removes a key', () => {
  const next = patch(create(full), {
    headers: { 'X-A': null, 'X-C': '3' },
    data: { a: 'new' },
    policy: { maxRetries: null, catchUpSeconds: 0 },
  });
  assert.deepEqual(next.headers, { 'X-B': '2', 'X-C': '3' });
  assert.deepEqual(next.data, { a: 'new', c: 'd' });
  assert.deepEqual(next.policy, { timeoutSeconds: 5, catchUpSeconds: 0 });
});

test('a patch with null removes an optional property; label becomes ""', () => {
  const current = create(full);
  const next = patch(current, {
    headers: null,
    data: null,
    integrations: null,
    policy: null,
    label: null,
  });
  assert.deepEqual(next, {
    ...body,
    id: current.id,
    status: 'enabled',
    createdAt: now,
    updatedAt: now + 1_000,
    label: '',
  });
});

test('a patch adds a property that was not there, even an empty one', () => {
  const next = patch(create(), { headers: {}, data: { a: 'b', gone: null }, policy: {} });
  assert.deepEqual([next.headers, next.data, next.policy], [{}, { a: 'b' }, {}]);
});

test('a patch replaces integrations as a whole', () => {
  const current = create(full);
  const next = patch(current, {
    integrations: [{ type: 'WEBHOOK', url: 'https://example.com/b' }],
  });
  assert.deepEqual(
    next.integrations!.map(({ url }) => url),
    ['https://example.com/b'],
  );
  assert.notEqual(next.integrations![0]!.id, current.integrations![0]!.id);
});

test('keys such as __proto__ in a patch are keys like any other', () => {
  const data = JSON.parse('{"__proto__": "p", "constructor": "c", "a": null}');
  const next = patch(create({ data: { a: '1', toString: 's' } as Record<string, string> }), {
    data,
  });
  assert.deepEqual(Object.keys(next.data!), ['toString', '__proto__', 'constructor']);
  assert.equal(Object.getPrototypeOf(next.data), Object.prototype);
  assert.equal(({} as Record<string, unknown>).p, undefined);
});

test('what a patch makes of the schedule is checked as a whole', () => {
  const current = create({ headers: { 'X-A': '1' } });
  refuses(() => patch(current, { headers: { 'x-a': '2' } }), 'headers_invalid', /x-a/);
  refuses(() => patch(current, { timezone: 'Nowhere' }), 'timezone_unknown', /timezone/);
});

test('a schedule whose target is no longer allowed can still be disabled by a patch', () => {
  const everything = { ...ALLOW_PUBLIC, everything: true };
  const inside = {
    url: 'http://127.0.0.1/',
    integrations: [{ type: 'WEBHOOK', url: 'http://127.0.0.1/' }],
  } as const;
  const current = draftNew(
    { ...body, ...inside, integrations: [...inside.integrations] },
    now,
    everything,
  );
  assert.equal(patch(current, { status: 'disabled' }).status, 'disabled');
  refuses(() => patch(current, { url: inside.url }), 'target_refused', /^url: /);
  refuses(
    () => patch(current, { integrations: [...inside.integrations] }),
    'target_refused',
    /^integrations\[0\]\.url: /,
  );
  refuses(() => replace(current, { url: inside.url, status: 'disabled' }), 'target_refused', /url/);
});

test('a deleted schedule can be neither replaced nor patched, and deleting it changes nothing', () => {
  const deleted = draftDeletion(create(full), now + 1)!;
  assert.equal(deleted.status, 'deleted');
  assert.deepEqual(deleted.headers, full.headers);
  refuses(() => replace(deleted, { status: 'enabled' }), 'schedule_deleted', /deleted/);
  refuses(() => patch(deleted, {}), 'schedule_deleted', /deleted/);
  assert.equal(draftDeletion(deleted, now + 2), null);
});

test('what is wrong is refused with the place where it stands', () => {
  refuses(() => create({ url: 'ftp://example.com' }), 'target_invalid', /^url: /);
  refuses(() => create({ url: 'http://127.0.0.1/' }), 'target_refused', /PUNCTUAL_ALLOW_TARGETS/);
  refuses(() => create({ interval: '* * *' }), 'interval_invalid', /interval/);
  refuses(() => create({ interval: '0 0 31 2 *' }), 'interval_invalid', /never/);
  refuses(() => create({ timezone: 'utc' }), 'timezone_unknown', /timezone/);
  refuses(() => create({ headers: { Host: 'x' } }), 'headers_invalid', /^headers: /);
  const integrations = [
    { type: 'WEBHOOK', url: 'https://example.com' },
    { type: 'WEBHOOK', url: 'http://[::1]/' },
  ] as const;
  refuses(
    () => create({ integrations: [...integrations] }),
    'target_refused',
    /^integrations\[1\]\.url: /,
  );
});

test('data is at most 128 KiB as JSON, in bytes of UTF-8', () => {
  const overhead = Buffer.byteLength('{"k":""}');
  const fits = 'ü'.repeat((128 * 1024 - overhead) / 2);
  assert.equal(create({ data: { k: fits } }).data!.k, fits);
  refuses(() => create({ data: { k: `${fits}a` } }), 'body_too_large', /^data .*128 KiB/);
});

test('only interval, time zone and status decide anew when a schedule fires', () => {
  const current = create(full);
  const same: Partial<ScheduleBody> = { ...full, label: 'other', verb: 'GET', headers: {} };
  assert.equal(changesTimes(current, replace(current, same), now), false);
  assert.equal(changesTimes(current, replace(current, { interval: '1 * * * *' }), now), true);
  assert.equal(changesTimes(current, replace(current, { timezone: 'UTC' }), now), true);
  assert.equal(changesTimes(current, replace(current, { status: 'disabled' }), now), true);
  assert.equal(changesTimes(current, draftDeletion(current, now)!, now), true);
});
