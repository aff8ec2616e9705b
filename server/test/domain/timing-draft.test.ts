import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { knowCalendar } from '../../src/domain/calendar/known-calendars.ts';
import { type ErrorCode, PunctualError } from '../../src/domain/errors.ts';
import type { PatchBody, ScheduleBody } from '../../src/domain/schedule/body.ts';
import {
  changesTimes,
  draftDeletion,
  draftNew,
  draftPatch,
  draftReplacement,
} from '../../src/domain/schedule/draft.ts';
import { levelOf } from '../../src/domain/schedule/level.ts';
import { marksOf } from '../../src/domain/schedule/marks.ts';
import { NO_REFERENCES } from '../../src/domain/schedule/references.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { ALLOW_PUBLIC } from '../../src/domain/schedule/target.ts';

/** Drafts: timing, identity and the raw body. */

const at = (text: string) => Date.parse(text);
const NOW = at('2026-11-01T12:00:00Z');
const body: ScheduleBody = {
  url: 'https://example.com/hook',
  verb: 'POST',
  interval: '0 8 * * *',
  timezone: 'UTC',
};
const FREEZE = '019a9f41-6c58-7f91-a2e0-91b4c07d5a38';
knowCalendar({
  version: FREEZE,
  name: 'freeze',
  periods: [
    {
      from: at('2026-12-24T00:00Z'),
      to: at('2027-01-02T00:00Z'),
      isLocal: true,
      summary: 'Freeze',
    },
  ],
});
const EVER = '019a9f41-6c58-7f91-a2e0-91b4c07d5a39';
knowCalendar({
  version: EVER,
  name: 'ever',
  periods: [{ from: 0, to: at('9999-12-31T23:59:59Z'), isLocal: false, summary: '' }],
});
const REFERENCES = {
  ...NO_REFERENCES,
  calendars: new Map([
    ['freeze', FREEZE],
    ['ever', EVER],
  ]),
};

const create = (change: Partial<ScheduleBody> = {}, now = NOW) =>
  draftNew({ ...body, ...change }, now, ALLOW_PUBLIC, REFERENCES);
const replace = (current: Schedule, change: Partial<ScheduleBody> = {}, now = NOW + 1_000) =>
  draftReplacement({ ...body, ...change }, current, now, ALLOW_PUBLIC, REFERENCES);
const patch = (current: Schedule, change: PatchBody, now = NOW + 1_000) =>
  draftPatch(change, current, now, ALLOW_PUBLIC, REFERENCES);
const refuses = (work: () => unknown, code: ErrorCode, sentence: RegExp | string) =>
  assert.throws(work, (error: unknown) => {
    assert.ok(error instanceof PunctualError, String(error));
    assert.equal(error.code, code);
    if (typeof sentence === 'string') assert.equal(error.message, sentence);
    else assert.match(error.message, sentence);
    return true;
  });

describe('a plain schedule', () => {
  test('has no timing and no delivery, and any engine fires it', () => {
    const plain = create({ externalId: 'a', tags: { team: 'billing' } });
    assert.equal(plain.timing, undefined);
    assert.equal(plain.delivery, undefined);
    assert.equal(levelOf(plain), 0);
  });

  for (const change of [
    { windowSeconds: 60 },
    { pausedUntil: '2026-11-02T00:00:00Z' },
    { interval: 'at(2026-12-24T18:00:00)' },
    { interval: 'rate(1 hour)' },
    { body: 'x' },
  ]) {
    test(`${JSON.stringify(change)} asks for level 1`, () =>
      assert.equal(levelOf(create(change)), 1));
  }
});

describe('instants of a body', () => {
  for (const field of ['startsAt', 'endsAt', 'pausedUntil'] as const) {
    test(`${field} needs an offset`, () => {
      const change = { [field]: '2026-12-01T00:00:00' };
      refuses(() => create(change), 'request_invalid', new RegExp(`^${field} must be`));
    });
  }

  test('endsAt is after startsAt', () => {
    const [startsAt, endsAt] = ['2026-12-01T00:00:00Z', '2026-12-01T00:00:00Z'];
    refuses(
      () => create({ startsAt, endsAt }),
      'request_invalid',
      'endsAt must be after startsAt.',
    );
  });

  test('a pause that is over counts as none', () => {
    assert.equal(create({ pausedUntil: '2026-11-01T12:00:00Z' }).timing, undefined);
  });
});

describe('a one-off', () => {
  const ONCE = 'at(2026-12-24T18:00:00)';
  const LATER = at('2026-12-25T00:00:00Z');

  test('that has passed is refused where it is new or changed', () => {
    const sentence = `interval: ${ONCE} has passed.`;
    refuses(() => create({ interval: ONCE }, LATER), 'interval_invalid', sentence);
    const current = create({ interval: 'at(2026-12-23T18:00:00)' });
    refuses(() => replace(current, { interval: ONCE }, LATER), 'interval_invalid', sentence);
  });

  test('that has passed is accepted where it is sent back as it was', () => {
    const current = create({ interval: ONCE });
    assert.equal(replace(current, { interval: ONCE, label: 'new' }, LATER).label, 'new');
    assert.equal(patch(current, { label: 'new' }, LATER).label, 'new');
  });

  test('that has passed cannot be enabled again', () => {
    const done: Schedule = {
      ...create({ interval: ONCE }),
      status: 'disabled',
      statusReason: 'completed',
    };
    const sentence = 'The schedule has no time to come: its one time has passed.';
    refuses(() => patch(done, { status: 'enabled' }, LATER), 'request_invalid', sentence);
  });
});

describe('a schedule without a time to come', () => {
  const none = 'The schedule has no time to come: ';
  for (const [change, why] of [
    [{ endsAt: '2026-11-01T00:00:00Z' }, 'endsAt has passed.'],
    [
      { startsAt: '2026-12-01T09:00:00Z', endsAt: '2026-12-02T07:00:00Z' },
      'no time of its interval lies within its bounds.',
    ],
    [
      { exclude: ['ever'], interval: '0 0 1 1 *', endsAt: '2030-01-01T00:00:00Z' },
      'no time of its interval lies within its bounds and outside its calendars.',
    ],
  ] as const) {
    test(`is refused: ${why}`, () => {
      refuses(
        () => create({ ...change, exclude: change.exclude?.slice() } as ScheduleBody),
        'request_invalid',
        none + why,
      );
      assert.equal(create({ ...change, status: 'disabled' } as ScheduleBody).status, 'disabled');
    });
  }

  test('is accepted where a change touches neither its times nor its status', () => {
    const current = create({ endsAt: '2026-11-02T00:00:00Z', interval: '0 * * * *' });
    const later = at('2026-11-03T00:00:00Z');
    assert.equal(patch(current, { label: 'late' }, later).label, 'late');
    refuses(
      () => patch(current, { windowSeconds: 60 }, later),
      'request_invalid',
      /endsAt has passed/,
    );
  });

  test('completes at once where a pause leaves none', () => {
    const current = create({ endsAt: '2026-11-05T00:00:00Z' });
    const pausedUntil = '2026-11-06T00:00:00Z';
    const paused = patch(current, { pausedUntil });
    assert.deepEqual([paused.status, paused.statusReason], ['disabled', 'completed']);
    const gone = patch(current, { pausedUntil, afterCompletion: 'delete' });
    assert.deepEqual([gone.status, gone.statusReason], ['deleted', 'completed']);
  });
});

describe('kept by a replace that leaves them out', () => {
  const pausedUntil = '2026-11-09T00:00:00Z';

  test('externalId, pausedUntil and status are; every other new field is not', () => {
    const current = create({
      ...{ externalId: 'a', pausedUntil, windowSeconds: 60, tags: { a: 'b' }, body: 'x' },
      ...{ startsAt: '2026-11-02T00:00:00Z', exclude: ['freeze'], maxRuns: 5 },
    });
    const next = replace(current);
    assert.equal(next.externalId, 'a');
    assert.deepEqual(next.timing, { pausedUntil: at(pausedUntil) });
    assert.equal(next.tags, undefined);
    assert.equal(next.delivery, undefined);
  });

  test('a pause that has passed stays on record until the times change, and is no change itself', () => {
    const current = create({ pausedUntil });
    const later = at('2026-11-10T00:00:00Z');
    for (const renamed of [replace(current, { label: 'new' }, later), patch(current, {}, later)]) {
      assert.deepEqual(renamed.timing, { pausedUntil: at(pausedUntil) });
      assert.equal(changesTimes(current, renamed, later), false);
    }
    const moved = patch(current, { interval: '1 * * * *' }, later);
    assert.equal(moved.timing, undefined);
  });

  test('null in a patch removes them', () => {
    const current = create({ externalId: 'a', pausedUntil });
    const next = patch(current, { externalId: null, pausedUntil: null });
    assert.equal(next.externalId, undefined);
    assert.equal(next.timing, undefined);
  });
});

describe('maxRuns', () => {
  const current = create({ maxRuns: 3 });

  test('counts from the create', () => {
    assert.deepEqual(current.timing, {
      maxRuns: 3,
      countFrom: NOW,
      lastAt: at('2026-11-04T08:00:00Z'),
    });
  });

  test('goes on counting through changes of anything else', () => {
    const next = patch(current, { label: 'x', windowSeconds: 60 }, at('2026-11-02T12:00:00Z'));
    assert.equal(next.timing?.countFrom, NOW);
    assert.equal(next.timing?.lastAt, current.timing?.lastAt);
  });

  for (const change of [
    { interval: '0 9 * * *' },
    { timezone: 'Europe/Berlin' },
    { startsAt: '2026-11-02T13:00:00Z' },
    { exclude: ['freeze'] },
    { maxRuns: 4 },
  ]) {
    test(`counts anew from a change of ${Object.keys(change)}`, () => {
      const changedAt = at('2026-11-02T12:00:00Z');
      assert.equal(patch(current, change, changedAt).timing?.countFrom, changedAt);
    });
  }
});

describe('changes of times', () => {
  const current = create({ endsAt: '2027-11-05T00:00:00Z', pausedUntil: '2026-11-09T00:00:00Z' });

  test('each field of the timing is one', () => {
    for (const change of [
      { endsAt: '2027-11-06T00:00:00Z' },
      { pausedUntil: null },
      { windowSeconds: 60 },
      { exclude: ['freeze'] },
      { afterCompletion: 'delete' as const },
    ]) {
      assert.ok(changesTimes(current, patch(current, change), NOW), JSON.stringify(change));
    }
  });

  test('a label, tags and an external id without a window are none', () => {
    assert.ok(
      !changesTimes(
        current,
        patch(current, { label: 'x', tags: { a: 'b' }, externalId: 'y' }),
        NOW,
      ),
    );
  });

  test('another external id is one where there is a window', () => {
    const spread = create({ windowSeconds: 3_600, externalId: 'a' });
    assert.ok(changesTimes(spread, patch(spread, { externalId: 'b' }), NOW));
  });

  test('a pause that has run out meanwhile is none', () => {
    const later = at('2026-11-10T00:00:00Z');
    const next = patch(current, { label: 'x' }, later);
    assert.ok(!changesTimes(current, next, later));
  });

  test('a pause is one where the clock was set back behind the last change', () => {
    const back = NOW - 60_000;
    const paused = patch(create(), { pausedUntil: new Date(back + 5_000).toISOString() }, back);
    assert.equal(paused.timing?.pausedUntil, back + 5_000);
    assert.ok(changesTimes(create(), paused, back));
  });
});

describe('calendars', () => {
  test('a name that is not there is refused', () => {
    refuses(
      () => create({ exclude: ['feasts'] }),
      'reference_unknown',
      'exclude[0]: there is no calendar "feasts".',
    );
  });

  test('a name twice is refused', () => {
    const exclude = ['freeze', 'freeze'];
    refuses(
      () => create({ exclude }),
      'request_invalid',
      'exclude[1] names the calendar "freeze" again.',
    );
  });

  test('nextDay and previousDay need one time of day', () => {
    const change = { exclude: ['freeze'], onExcluded: 'nextDay' as const };
    assert.equal(create(change).timing?.onExcluded, 'nextDay');
    refuses(
      () => create({ ...change, interval: '*/5 8 * * *' }),
      'request_invalid',
      /^onExcluded may be nextDay only/,
    );
  });

  test('they are marks of the schedule, as its tags are', () => {
    const schedule = create({ exclude: ['freeze'], tags: { team: 'billing' } });
    assert.deepEqual(marksOf(schedule), ['tag:team', 'tag:team:billing', 'calendar:freeze']);
  });
});

describe('status and its reason', () => {
  const done: Schedule = {
    ...create({ endsAt: '2027-01-01T00:00:00Z' }),
    status: 'disabled',
    statusReason: 'completed',
  };

  test('a change of the status by a caller removes the reason', () => {
    assert.equal(patch(done, { status: 'enabled' }).statusReason, undefined);
    assert.equal(draftDeletion(done, NOW)!.statusReason, undefined);
  });

  test('any other change keeps it', () => {
    assert.equal(patch(done, { label: 'x' }).statusReason, 'completed');
    assert.equal(patch(done, { status: 'disabled' }).statusReason, 'completed');
    assert.equal(replace(done).statusReason, 'completed');
  });
});

describe('identity', () => {
  for (const externalId of ['', 'a b', 'ä', 'a/b', 'x'.repeat(129), 'a\n']) {
    test(`the external id ${JSON.stringify(externalId.slice(0, 9))} is refused`, () => {
      refuses(
        () => create({ externalId }),
        'request_invalid',
        /^externalId must have 1 to 128 characters/,
      );
    });
  }

  for (const tags of [
    { Team: 'x' },
    { 'punctual.owner': 'x' },
    { '': 'x' },
    { ['a'.repeat(64)]: 'x' },
    { team: 'x'.repeat(256) },
    Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, ''])),
  ]) {
    test(`the tags ${JSON.stringify(tags).slice(0, 40)} are refused`, () => {
      refuses(() => create({ tags }), 'request_invalid', /^tags: /);
    });
  }

  test('callbacks are told of them, so only a schedule with integrations hands them to its firing', () => {
    const integrations = [{ type: 'WEBHOOK' as const, url: 'https://example.com/a' }];
    const told = create({ externalId: 'a', tags: { team: 'b' }, integrations });
    assert.deepEqual(told.delivery, { externalId: 'a', tags: { team: 'b' } });
  });
});

describe('the raw body', () => {
  test('is JSON or plain text by what it is', () => {
    assert.equal(create({ body: '[1]' }).delivery?.contentType, 'application/json');
    assert.equal(create({ body: '[1' }).delivery?.contentType, 'text/plain; charset=utf-8');
    assert.equal(create({ body: '' }).delivery?.body, '');
  });

  test('and data exclude each other, in a patch too', () => {
    refuses(
      () => create({ body: 'x', data: {} }),
      'request_invalid',
      /^body and data exclude each other/,
    );
    const current = create({ data: { a: 'b' } });
    refuses(
      () => patch(current, { body: 'x' }),
      'request_invalid',
      /^body and data exclude each other/,
    );
    assert.equal(patch(current, { body: 'x', data: null }).delivery?.body, 'x');
  });

  for (const verb of ['GET', 'HEAD', 'DELETE'] as const) {
    test(`is refused with ${verb}`, () => {
      refuses(() => create({ body: 'x', verb }), 'request_invalid', /^body needs the verb/);
    });
  }

  test('has 128 KiB of UTF-8 at most', () => {
    assert.ok(create({ body: 'ä'.repeat(64 * 1024) }).delivery);
    refuses(
      () => create({ body: 'ä'.repeat(64 * 1024 + 1) }),
      'body_too_large',
      /^body must be at most/,
    );
  });
});
