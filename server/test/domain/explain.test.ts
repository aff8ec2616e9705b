import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { knowCalendar } from '../../src/domain/calendar/known-calendars.ts';
import { type ExplainedRun, type ExplainFacts, explain } from '../../src/domain/run/explain.ts';
import type { HeldSchedule } from '../../src/domain/run/standing.ts';

const at = (text: string) => Date.parse(text);
const HELD: HeldSchedule = {
  interval: '30 2 * * *',
  timezone: 'Europe/Berlin',
  status: 'enabled',
  since: null,
  until: null,
};
const RUN: ExplainedRun = {
  scheduledFor: at('2026-06-01T00:30:00Z'),
  trigger: 'schedule',
  status: 'succeeded',
  startedAt: at('2026-06-01T00:30:00.004Z'),
  attempts: [{}],
};

/** Of a daily 02:30 in Berlin, asked on 1 July 2026 about 1 June, when nothing is on record. */
function facts(
  change: Omit<Partial<ExplainFacts>, 'held'> & { held?: Partial<HeldSchedule> } = {},
): ExplainFacts {
  return {
    at: at('2026-06-01T00:30:00Z'),
    now: at('2026-07-01T12:00:00Z'),
    schedule: { createdAt: at('2026-01-01T00:00:00Z') },
    run: null,
    row: { scheduledFor: at('2026-07-02T00:30:00Z'), begun: false },
    historyFrom: at('2026-05-01T00:00:00Z'),
    pausedSince: null,
    startedInPause: false,
    ...change,
    held: { ...HELD, ...change.held },
  };
}

function said(change: Parameters<typeof facts>[0] = {}): [string, string] {
  const { verdict, sentence } = explain(facts(change));
  return [verdict, sentence];
}

describe('what is on record', () => {
  test('a run that fired on time, or late, or failed', () => {
    assert.deepEqual(said({ run: RUN }), ['succeeded', 'It fired and succeeded.']);
    const late = { ...RUN, startedAt: RUN.scheduledFor + 90_000 };
    assert.deepEqual(said({ run: late }), ['succeeded', 'It fired, 90 s late, and succeeded.']);
    assert.equal(explain(facts({ run: late })).lateMs, 90_000);
    const failed = {
      ...RUN,
      status: 'failed' as const,
      attempts: [{ error: 'The answer was 500.' }],
    };
    assert.deepEqual(said({ run: failed }), ['failed', 'It fired and failed: the answer was 500.']);
    const ended = { ...failed, reason: 'It was not tried again.' };
    assert.match(said({ run: ended })[1], /the answer was 500\. It was not tried again\.$/);
  });

  test('a run whose requests the breaker of its host refused, all of them or the last', () => {
    const error =
      'It was not sent: the breaker of https://a.example is open. The last 20 got none.';
    const refused = { error, refused: true } as const;
    const failed = { ...RUN, status: 'failed' as const };
    const why = `and failed: it${error.slice(2)}`;
    assert.deepEqual(said({ run: { ...failed, attempts: [refused, refused] } }), [
      'failed',
      `It was due ${why}`,
    ]);
    const sent = { error: 'No answer within 30 s.' };
    assert.deepEqual(said({ run: { ...failed, attempts: [sent, refused] } }), [
      'failed',
      `It fired ${why}`,
    ]);
  });

  test('a run that goes on, or waits to be tried again', () => {
    assert.match(said({ run: { ...RUN, status: 'running' } })[1], /in flight/);
    const attempts = [{ error: 'The answer was 503.' }];
    assert.deepEqual(said({ run: { ...RUN, status: 'retrying', attempts } }), [
      'retrying',
      'It is to be tried again. Its last attempt failed: the answer was 503.',
    ]);
  });

  test('what a process left behind that ended before a pause', () => {
    const run: ExplainedRun = { ...RUN, status: 'running' };
    const pausedSince = RUN.scheduledFor - 1;
    assert.deepEqual(said({ run, pausedSince, startedInPause: true }), [
      'waiting',
      'It waits: it had begun, or was about to, when Punctual ended. ' +
        `Punctual is paused since ${new Date(pausedSince).toISOString()}, and the resume decides about it.`,
    ]);
    assert.equal(said({ run, startedInPause: true })[0], 'waiting', 'just resumed');
    assert.equal(said({ run, pausedSince })[0], 'running', 'it began before the pause');
    const awaiting = { ...run, completionUntil: RUN.scheduledFor + 1 };
    assert.equal(said({ run: awaiting, pausedSince, startedInPause: true })[0], 'running');
    const retrying: ExplainedRun = { ...RUN, status: 'retrying' };
    assert.equal(said({ run: retrying, pausedSince, startedInPause: true })[0], 'retrying');
  });

  test('what is claimed ahead of its time is still to come', () => {
    const run: ExplainedRun = { ...RUN, status: 'running' };
    assert.equal(said({ run, now: RUN.scheduledFor - 1 })[0], 'upcoming');
    assert.equal(said({ run, now: RUN.scheduledFor })[0], 'running');
  });

  test('a time that was skipped or missed, with the reason that was kept', () => {
    const run: ExplainedRun = { ...RUN, status: 'missed', attempts: [], reason: 'It was down.' };
    assert.deepEqual(said({ run }), ['missed', 'It was missed: it was down.']);
    assert.equal(said({ run: { ...run, status: 'skipped' } })[0], 'skipped');
  });

  test('a manual run', () => {
    assert.deepEqual(said({ run: { ...RUN, trigger: 'manual' } }), [
      'succeeded',
      'It was run by hand and succeeded.',
    ]);
  });

  test('a run that the target asked for, before its time and after it', () => {
    const run: ExplainedRun = { ...RUN, trigger: 'target' };
    assert.deepEqual(said({ run }), [
      'succeeded',
      'It was run because its target had asked for it and succeeded.',
    ]);
    const { startedAt: _, ...queued } = { ...run, status: 'queued' as const, attempts: [] };
    const later = at('2026-06-05T00:31:00Z');
    assert.deepEqual(said({ at: later, run: { ...queued, scheduledFor: later } }), [
      'queued',
      'Its target has asked for this run, which waits for its time or its turn.',
    ]);
  });

  test('one that fired for a time that did not exist says so', () => {
    const moved = at('2026-03-29T01:00:00Z');
    const explained = explain(facts({ at: moved, run: { ...RUN, scheduledFor: moved } }));
    assert.equal(explained.localTime, '2026-03-29T02:30:00');
    assert.match(explained.sentence, /^It fired for 2026-03-29T02:30:00, which did not exist/);
  });
});

describe('what the schedule was', () => {
  test('not created, deleted, paused, with the instants', () => {
    const schedule = { createdAt: at('2026-06-02T00:00:00Z') };
    assert.deepEqual(said({ schedule }), [
      'notCreated',
      'The schedule was created later, at 2026-06-02T00:00:00.000Z.',
    ]);
    const since = at('2026-05-30T00:00:00Z');
    assert.deepEqual(said({ held: { status: 'deleted', since } }), [
      'deleted',
      'The schedule was deleted at 2026-05-30T00:00:00.000Z, and fires no more.',
    ]);
    const until = at('2026-06-03T00:00:00Z');
    assert.deepEqual(said({ held: { status: 'disabled', since, until } }), [
      'paused',
      'The schedule was disabled since 2026-05-30T00:00:00.000Z until 2026-06-03T00:00:00.000Z; ' +
        'paused times are not caught up with.',
    ]);
  });

  test('never due, with the nearest times of what it was then, and none beyond its changes', () => {
    const noon = at('2026-06-01T12:00:00Z');
    const explained = explain(facts({ at: noon }));
    assert.deepEqual(
      [explained.verdict, explained.previous, explained.next],
      ['neverDue', at('2026-06-01T00:30:00Z'), at('2026-06-02T00:30:00Z')],
    );
    assert.match(
      explained.sentence,
      /"30 2 \* \* \*" has no time at 2026-06-01 14:00:00 in Europe/,
    );
    const held = { since: at('2026-06-01T11:00:00Z'), until: at('2026-06-01T13:00:00Z') };
    const between = explain(facts({ at: noon, held }));
    assert.deepEqual([between.previous, between.next], [undefined, undefined]);
  });

  test('an instant between two seconds is not called by the name of a nominal time', () => {
    const due = at('2026-06-01T00:30:00Z');
    const { verdict, sentence, previous } = explain(facts({ at: due + 500 }));
    assert.deepEqual([verdict, previous], ['neverDue', due]);
    assert.match(sentence, /has no time at 2026-06-01 02:30:00\.500 in Europe\/Berlin/);
  });

  test('to come, and not to come', () => {
    const later = at('2026-07-03T00:30:00Z');
    assert.equal(said({ at: later })[0], 'upcoming');
    assert.deepEqual(said({ at: later, held: { status: 'disabled' } }), [
      'paused',
      'It will not fire: the schedule is disabled.',
    ]);
  });
});

describe('daylight saving', () => {
  const gap = at('2026-03-29T01:30:00Z');
  const before = { historyFrom: 0 };

  test('a fixed time in the gap was moved to its end', () => {
    const explained = explain(facts({ at: gap, ...before }));
    assert.equal(explained.verdict, 'moved');
    assert.equal(explained.movedTo, at('2026-03-29T01:00:00Z'));
    assert.match(explained.sentence, /2026-03-29T02:30:00 did not exist, and is due at/);
  });

  test('days after the change it has nothing to do with it', () => {
    assert.equal(said({ at: at('2026-04-01T01:30:00Z'), ...before })[0], 'neverDue');
    assert.equal(
      said({ at: at('2026-10-27T02:30:00Z'), now: at('2027-01-01T00:00:00Z') })[0],
      'neverDue',
    );
  });

  test('one that follows the clock was dropped', () => {
    const explained = explain(facts({ at: gap, held: { interval: '*/30 2 * * *' } }));
    assert.deepEqual([explained.verdict, explained.movedTo], ['dropped', undefined]);
  });

  test('a fixed time that came twice was due the first time', () => {
    const second = at('2026-10-25T01:30:00Z');
    const explained = explain(facts({ at: second, now: second + 1 }));
    assert.deepEqual(
      [explained.verdict, explained.movedTo],
      ['repeated', at('2026-10-25T00:30:00Z')],
    );
  });
});

describe('due, and nothing on record', () => {
  test('waiting for the engine, or for the run before', () => {
    const due = at('2026-07-01T00:30:00Z');
    const row = { scheduledFor: due, begun: false };
    assert.deepEqual(said({ at: due, row }), [
      'waiting',
      'It is due and has not been begun yet, 12 h late.',
    ]);
    const begun = { scheduledFor: due - 86_400_000, begun: true };
    assert.deepEqual(said({ at: due, row: begun }), [
      'skipped',
      'It is skipped: the run of 2026-06-30T00:30:00.000Z is still going.',
    ]);
  });

  test('with bufferOne the latest time that came waits for the run before, and the others are skipped', () => {
    const now = at('2026-07-01T12:00:00Z');
    const schedule = { createdAt: 0, policy: { overlap: 'bufferOne' as const } };
    const row = { scheduledFor: at('2026-07-01T09:00:00Z'), begun: true };
    const asked = { now, schedule, row, held: { interval: '0 * * * *', timezone: 'UTC' } };
    const run = 'the run of 2026-07-01T09:00:00.000Z is still going';
    assert.deepEqual(said({ ...asked, at: now }), [
      'waiting',
      `It is due and waits: ${run}, and this one starts when it ends.`,
    ]);
    assert.deepEqual(said({ ...asked, at: at('2026-07-01T11:00:00Z') }), [
      'skipped',
      `It is skipped: ${run}, and a later time waits for its end.`,
    ]);
  });

  test('waiting for the resume, where somebody has paused it', () => {
    const due = at('2026-07-01T00:30:00Z');
    const pausedSince = at('2026-06-30T12:00:00Z');
    const sentence =
      'It is due and waits: Punctual is paused since 2026-06-30T12:00:00.000Z. When it is resumed, ' +
      'catchUpSeconds decides about it.';
    const row = { scheduledFor: due, begun: false };
    assert.deepEqual(said({ at: due, row, pausedSince }), ['waiting', sentence]);
    const retrying = { scheduledFor: due - 86_400_000, begun: true };
    assert.deepEqual(said({ at: due, row: retrying, pausedSince }), ['waiting', sentence]);
    const later = pausedSince + 86_400_000;
    const before = { at: due, row: retrying, pausedSince: later };
    assert.equal(said(before)[0], 'skipped');
    assert.equal(said({ ...before, startedInPause: true })[0], 'waiting', 'it was cut off');
    assert.deepEqual(said({ ...before, startedInPause: true, pausedSince: null }), [
      'waiting',
      'It is due and waits: Punctual was resumed and is about to fire again. Then catchUpSeconds decides about it.',
    ]);
    const { verdict, sentence: toCome } = explain(
      facts({ at: at('2026-07-02T00:30:00Z'), pausedSince }),
    );
    assert.equal(verdict, 'upcoming');
    assert.match(toCome, /only if Punctual is resumed by then: it is paused since 2026-06-30T12/);
  });

  test('forgotten where history is older, and honestly unknown elsewhere', () => {
    assert.equal(said({ historyFrom: at('2026-06-02T00:00:00Z') })[0], 'forgotten');
    assert.equal(said()[0], 'unrecorded');
  });
});

describe('bounds, calendars and pauses', () => {
  const due = at('2026-06-01T00:30:00Z');
  const version = '019a9f41-6c58-7f91-a2e0-91b4c07d5a3a';
  const day = (text: string) => at(`${text}T00:00:00Z`);
  const summary = 'Whit Monday';
  knowCalendar({
    version,
    name: 'de',
    periods: [{ from: day('2026-06-01'), to: day('2026-06-02'), isLocal: true, summary }],
  });
  const excluded = { exclude: ['de'], calendars: [version] };

  test('a time before startsAt, from endsAt on, or beyond maxRuns', () => {
    assert.deepEqual(said({ held: { timing: { startsAt: due + 1 } } }), [
      'beforeStart',
      'It does not fire: startsAt is 2026-06-01T00:30:00.001Z.',
    ]);
    assert.deepEqual(said({ held: { timing: { endsAt: due } } }), [
      'afterEnd',
      'It does not fire: endsAt is 2026-06-01T00:30:00.000Z.',
    ]);
    const lastAt = at('2026-05-31T00:30:00Z');
    assert.deepEqual(said({ held: { timing: { maxRuns: 3, countFrom: 0, lastAt } } }), [
      'afterEnd',
      'It does not fire: the last of its 3 times is 2026-05-31T00:30:00.000Z.',
    ]);
  });

  test('a time that a calendar takes away names calendar and entry', () => {
    assert.deepEqual(said({ held: { timing: excluded } }), [
      'excluded',
      'It does not fire: the calendar de, entry "Whit Monday", excludes it.',
    ]);
  });

  test('a time that a calendar moves names where to, and fires there', () => {
    const held = { timing: { ...excluded, onExcluded: 'previousDay' as const } };
    const moved = explain(facts({ held }));
    const movedTo = at('2026-05-31T00:30:00Z');
    assert.deepEqual([moved.verdict, moved.movedTo], ['rolled', movedTo]);
    assert.deepEqual(said({ held, at: movedTo })[0], 'unrecorded');
    const lastAt = at('2026-05-30T00:30:00Z');
    const counted = { timing: { ...held.timing, maxRuns: 3, countFrom: 0, lastAt } };
    assert.deepEqual(said({ held: counted })[0], 'afterEnd', 'it moves beyond the last one');
  });

  test('a pause until an instant, before and after it', () => {
    const held = { timing: { pausedUntil: at('2026-06-01T06:00:00Z') } };
    assert.deepEqual(said({ held }), [
      'paused',
      'The schedule is paused until 2026-06-01T06:00:00.000Z; paused times are not caught up with.',
    ]);
    assert.equal(said({ held, at: at('2026-06-02T00:30:00Z') })[0], 'unrecorded');
  });

  test('the offset of a window belongs to the time', () => {
    const held = { timing: { windowSeconds: 600, offsetMs: 90_000 } };
    assert.deepEqual(said({ held }), [
      'neverDue',
      'It is not due at this instant: its window makes each time 90 s later, here 2026-06-01T00:31:30.000Z.',
    ]);
    assert.equal(said({ held, at: due + 90_000 })[0], 'unrecorded');
    assert.match(said({ held, at: due + 1 })[1], /^It was never due: /);
  });

  test('a schedule that completed', () => {
    const since = at('2026-05-20T00:30:00Z');
    const held = { status: 'disabled' as const, since };
    const schedule = { createdAt: 0, statusReason: 'completed' as const };
    assert.deepEqual(said({ held, schedule }), [
      'completed',
      'It does not fire: the schedule completed at 2026-05-20T00:30:00.000Z, with no time left to come.',
    ]);
    assert.equal(said({ held: { ...held, status: 'deleted' }, schedule })[0], 'completed');
  });

  test('a schedule that the service disabled says why, as long as that holds', () => {
    const since = at('2026-05-20T00:30:00Z');
    const until = at('2026-06-03T00:30:00Z');
    for (const [statusReason, why] of [
      ['targetDisabled', /Its target disabled it\.$/],
      ['targetGone', /Its target answered 410\.$/],
      ['tooManyFailures', /Too many of its runs had failed in a row\.$/],
    ] as const) {
      const held = { status: 'disabled' as const, since };
      const schedule = { createdAt: 0, statusReason };
      const [verdict, sentence] = said({ held, schedule });
      assert.equal(verdict, 'paused');
      assert.match(sentence, why);
      assert.doesNotMatch(said({ held: { ...held, until }, schedule })[1], why);
    }
  });
});
