import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runId } from '../../src/domain/id.ts';
import { decide } from '../../src/domain/run/queue.ts';
import { mayBegin, type TakenRow, waitingRow } from '../../src/domain/run/queue-row.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import {
  at,
  attempt,
  begun,
  lost,
  schedule,
  taken,
  told,
  unseenUntil,
} from '../support/domain/queue-rows.ts';

/** What becomes of a row that is due: sent at once, or decided about. */

const START = '00:00';
const BUFFERED: Partial<Schedule> = { policy: { overlap: 'bufferOne' } };

describe('which due rows may be sent at once', () => {
  const table: [string, TakenRow, string, string, boolean][] = [
    ['a time that came while somebody looked', taken(), '12:00', START, true],
    ['one that is late, and was seen to come', taken(), '12:09:59', START, true],
    ['one that came with the first look', taken(), '12:00', '12:00', true],
    ['one that passed before the first look', taken(), '12:01', '12:00:01', false],
    ['one whose next time has come', taken(), '12:10', START, false],
    ['the last of an interval that has no next', taken({ nextFor: null }), '13:00', START, true],
    ['a retry', begun(), '12:00:06', START, true],
    ['a retry after a stop: it was seen before', begun(), '12:05', '12:05', true],
    ['a retry whose next time has come', begun(), '12:10', START, false],
    ['a lost run, whatever has come since', begun({ was: 'lost' }), '18:00', '18:00', true],
  ];
  for (const [name, row, now, unseenUntil, may] of table) {
    test(`${name}: ${may ? 'yes' : 'no'}`, () => {
      assert.equal(mayBegin({ ...row, state: row.was }, at(now), at(unseenUntil)), may);
    });
  }
});

describe('the first row of a schedule', () => {
  test('waits for its time, and knows the next', () => {
    assert.deepEqual(waitingRow(schedule(), at('12:00')), {
      state: 'waiting',
      dueAt: at('12:00'),
      scheduledFor: at('12:00'),
      nextFor: at('12:10'),
      attempt: 0,
      attempts: [],
    });
  });

  test('there is none for a schedule that is not enabled, or has no time', () => {
    assert.equal(waitingRow(schedule({ status: 'disabled' }), at('12:00')), null);
    assert.equal(waitingRow(schedule({ status: 'deleted' }), at('12:00')), null);
    assert.equal(waitingRow(schedule(), null), null);
  });
});

interface Case {
  row?: Partial<TakenRow>;
  schedule?: Partial<Schedule>;
  now: string;
  /** Times before it passed unseen. */
  unseen?: string;
  becomes: string;
  records?: string[];
}

function cases(row: (fields?: Partial<TakenRow>) => TakenRow, table: Record<string, Case>): void {
  for (const [name, it] of Object.entries(table)) {
    test(name, () => {
      const unseen = unseenUntil(at(it.unseen ?? START));
      const move = decide(row(it.row), schedule(it.schedule), at(it.now), unseen);
      assert.deepEqual(told(move), { row: it.becomes, records: it.records ?? [] });
    });
  }
}

describe('times that passed: the latest fires once, late, if it is not too old', () => {
  cases(taken, {
    'one time passed unseen: it fires': {
      now: '12:04',
      unseen: '12:04',
      becomes: 'inFlight 12:00 attempt 1, then 12:10',
    },
    'of several the latest fires, the others are missed': {
      now: '12:34',
      unseen: '12:34',
      becomes: 'inFlight 12:30 due 12:00 attempt 1, then 12:40',
      records: ['missed 12:00', 'missed 12:10', 'missed 12:20'],
    },
    'a time that comes at this very instant is the latest': {
      now: '12:30',
      unseen: '12:30',
      becomes: 'inFlight 12:30 due 12:00 attempt 1, then 12:40',
      records: ['missed 12:00', 'missed 12:10', 'missed 12:20'],
    },
    'the latest is exactly as old as catchUpSeconds allows: it fires': {
      schedule: { policy: { catchUpSeconds: 240 } },
      now: '12:14',
      unseen: '12:14',
      becomes: 'inFlight 12:10 due 12:00 attempt 1, then 12:20',
      records: ['missed 12:00'],
    },
    'the latest is too old: all are missed': {
      schedule: { policy: { catchUpSeconds: 239 } },
      now: '12:14',
      unseen: '12:14',
      becomes: 'waiting 12:20, then 12:30',
      records: ['missed 12:00', 'missed 12:10'],
    },
    'catchUpSeconds 0 turns it off': {
      schedule: { policy: { catchUpSeconds: 0 } },
      now: '12:00:01',
      unseen: '12:00:01',
      becomes: 'waiting 12:10, then 12:20',
      records: ['missed 12:00'],
    },
    'a time that came while somebody looked fires, however late and whatever catchUpSeconds says': {
      schedule: { policy: { catchUpSeconds: 0 } },
      now: '12:34',
      becomes: 'inFlight 12:30 due 12:00 attempt 1, then 12:40',
      records: ['missed 12:00', 'missed 12:10', 'missed 12:20'],
    },
    'more than 1,000 missed times are one record': {
      row: { nextFor: at('12:00:01') },
      schedule: { interval: '* * * * * *' },
      now: '13:00',
      unseen: '13:00',
      becomes: 'inFlight 13:00 due 12:00 attempt 1, then 13:00:01',
      records: ['missed 3600 from 12:00 to 12:59:59'],
    },
    'more than 1,000 that are all too old are one record as well': {
      row: { nextFor: at('12:00:01') },
      schedule: { interval: '* * * * * *', policy: { catchUpSeconds: 0 } },
      now: '13:00:00.500',
      unseen: '13:00:00.500',
      becomes: 'waiting 13:00:01, then 13:00:02',
      records: ['missed 3601 from 12:00 to 13:00'],
    },
    'the last time of an interval that ends fires late too': {
      row: { nextFor: null },
      now: '12:04',
      unseen: '12:04',
      becomes: 'inFlight 12:00 attempt 1, then never',
    },
    'its next time is none any more, by new rules of its time zone: it fires late, and is not lost':
      {
        row: { nextFor: at('12:05') },
        now: '12:06',
        unseen: '12:06',
        becomes: 'inFlight 12:00 attempt 1, then 12:05',
      },
    'times between the row and its next one were recorded before': {
      row: { nextFor: at('12:30') },
      now: '12:44',
      unseen: '12:04',
      becomes: 'inFlight 12:40 due 12:00 attempt 1, then 12:50',
      records: ['missed 12:00', 'missed 12:30'],
    },
  });
});

describe('a manual run is in flight', () => {
  cases(taken, {
    'a time that comes meanwhile is skipped': {
      row: { blockedSince: at('11:59:50') },
      now: '12:00',
      becomes: 'waiting 12:10, then 12:20',
      records: ['skipped 12:00'],
    },
    'so are all that came meanwhile': {
      row: { blockedSince: at('11:59:50') },
      now: '12:20:01',
      becomes: 'waiting 12:30, then 12:40',
      records: ['skipped 12:00', 'skipped 12:10', 'skipped 12:20'],
    },
    'a time that came before it waits for its end': {
      row: { blockedSince: at('12:00:01') },
      now: '12:00:02',
      becomes: 'waiting 12:00 due 12:00:02.250, then 12:10',
    },
    'one that passed unseen waits too, to be caught up with': {
      row: { blockedSince: at('11:59:50') },
      now: '12:07',
      unseen: '12:06',
      becomes: 'waiting 12:00 due 12:07:00.250, then 12:10',
    },
    'a time that comes before it looks again is decided about when it comes': {
      row: { blockedSince: at('12:00:01') },
      now: '12:09:59.900',
      becomes: 'waiting 12:00 due 12:10, then 12:10',
    },
    'what comes while it waits is skipped, and it waits on': {
      row: { blockedSince: at('12:00:01') },
      now: '12:20:03',
      becomes: 'waiting 12:00 due 12:20:03.250, then 12:30',
      records: ['skipped 12:10', 'skipped 12:20'],
    },
    'of those that came before it, the latest waits': {
      row: { blockedSince: at('12:10:01') },
      now: '12:20:03',
      becomes: 'waiting 12:10 due 12:20:03.250, then 12:30',
      records: ['missed 12:00', 'skipped 12:20'],
    },
    'and when it ends, what was skipped meanwhile stays so': {
      row: { nextFor: at('12:30') },
      now: '12:20:04',
      unseen: '12:01',
      becomes: 'inFlight 12:00 attempt 1, then 12:30',
    },
    'where the clock was set back since, it waits for its time to come again': {
      row: { blockedSince: at('11:59:50') },
      now: '11:59:58',
      becomes: 'waiting 12:00, then 12:10',
    },
  });
  cases(begun, {
    'a retry waits for its end': {
      row: { blockedSince: at('12:00:05') },
      now: '12:00:06',
      becomes: 'retrying 12:00 due 12:00:06.250 attempt 1, then 12:10',
    },
    'a retry looks again when its next time comes': {
      row: { blockedSince: at('12:00:05') },
      now: '12:09:59.900',
      becomes: 'retrying 12:00 due 12:10 attempt 1, then 12:10',
    },
    'a retry whose next time came does not': {
      row: { blockedSince: at('12:09') },
      now: '12:10',
      becomes: 'waiting 12:10, then 12:20',
      records: ['failed 12:00'],
    },
  });

  cases(taken, {
    'bufferOne: a time that comes meanwhile waits for its end': {
      row: { blockedSince: at('11:59:50') },
      schedule: BUFFERED,
      now: '12:00',
      becomes: 'waiting 12:00 due 12:00:00.250, then 12:10',
    },
    'bufferOne: of those that come, the latest waits': {
      row: { blockedSince: at('11:59:50') },
      schedule: BUFFERED,
      now: '12:20:01',
      becomes: 'waiting 12:20 due 12:20:01.250, then 12:30',
      records: ['skipped 12:00', 'skipped 12:10'],
    },
    'bufferOne: it takes the place of one that came before the manual run': {
      row: { blockedSince: at('12:00:01') },
      schedule: BUFFERED,
      now: '12:20:03',
      becomes: 'waiting 12:20 due 12:20:03.250, then 12:30',
      records: ['skipped 12:00', 'skipped 12:10'],
    },
    'bufferOne: and of those that passed unseen': {
      row: { blockedSince: at('11:59:50') },
      schedule: BUFFERED,
      now: '12:20:03',
      unseen: '12:16',
      becomes: 'waiting 12:20 due 12:20:03.250, then 12:30',
      records: ['missed 12:00', 'missed 12:10'],
    },
    'bufferOne: one that was sent before the clock was set back is not among them': {
      row: {
        blockedSince: at('11:59:50'),
        known: [{ scheduledFor: at('12:20'), sent: true, attempts: [] }],
      },
      schedule: BUFFERED,
      now: '12:20:03',
      becomes: 'waiting 12:10 due 12:20:03.250, then 12:30',
      records: ['skipped 12:00'],
    },
    'bufferOne: when the manual run has ended, the one that waited starts': {
      row: { scheduledFor: at('12:20'), dueAt: at('12:20:01.250'), nextFor: at('12:30') },
      schedule: BUFFERED,
      now: '12:20:02',
      becomes: 'inFlight 12:20 due 12:20:01.250 attempt 1, then 12:30',
    },
  });

  test('the longer a manual run takes, the less often a row looks whether it has ended', () => {
    const lookAfter = (since: string, now: string) => {
      const row = taken({ blockedSince: at(since) });
      const move = decide(row, schedule(BUFFERED), at(now), unseenUntil(at(START)));
      return move.row!.dueAt - at(now);
    };
    assert.equal(lookAfter('11:59:50', '12:00'), 250);
    assert.equal(lookAfter('11:00', '12:00'), 360);
    assert.equal(lookAfter('00:00', '23:59'), 5_000);
  });

  test('bufferOne: the reason of what was skipped says that a later time waited', () => {
    const row = taken({ blockedSince: at('11:59:50') });
    const { passed } = decide(row, schedule(BUFFERED), at('12:10'), unseenUntil(at(START)));
    const reason =
      'A manual run that began at 2026-06-01T11:59:50.000Z was still in flight. A later time took its place and waited.';
    assert.equal(passed[0]!.reason, reason);
  });

  test('the reason of what was skipped names the manual run', () => {
    const row = taken({ blockedSince: at('11:59:50') });
    const { passed } = decide(row, schedule(), at('12:00'), unseenUntil(at(START)));
    const reason = 'A manual run that began at 2026-06-01T11:59:50.000Z was still in flight.';
    assert.equal(passed[0]!.reason, reason);
  });
});

describe('a run that has begun is finished, and never missed', () => {
  const old = { schedule: { policy: { catchUpSeconds: 0 } }, unseen: '18:00', now: '18:00:01' };
  cases(begun, {
    'a lost run is sent again, before anything newer and whatever catchUpSeconds says': {
      ...old,
      row: { was: 'lost', attempts: [lost] },
      becomes: 'inFlight 12:00 due 12:00:06 attempt 2, then 12:10',
    },
    'a retry whose next time passed meanwhile has failed, and that time is decided about next': {
      ...old,
      becomes: 'waiting 12:10, then 12:20',
      records: ['failed 12:00'],
    },
    'a retry that is still in time goes on': {
      now: '12:05',
      unseen: '12:04',
      becomes: 'inFlight 12:00 due 12:00:06 attempt 2, then 12:10',
    },
  });

  test('the run that was not tried again ends now, under its id, with its attempts and the reason', () => {
    const { ended } = decide(begun(), schedule(), at('12:10:02'), unseenUntil(at(START)));
    assert.deepEqual(ended, {
      id: runId(schedule().id, at('12:00')),
      scheduledFor: at('12:00'),
      trigger: 'schedule',
      status: 'failed',
      startedAt: at('12:00:01'),
      finishedAt: at('12:10:02'),
      attempts: [attempt(1)],
      reason: "It was not tried again: the schedule's next time, 2026-06-01T12:10:00.000Z, came.",
    });
  });
});

describe('the schedule was changed', () => {
  // `nextFor` is then the first time of what it was changed to.
  const changed = { changedAt: at('12:03'), nextFor: at('12:15') };
  const every15 = { interval: '*/15 * * * *' };
  const timedOut = attempt(1, {
    outcome: 'timeout',
    responseStatus: 202,
    completion: { until: at('12:05'), timedOutAt: at('12:00:10') },
  });
  cases(begun, {
    'to another interval: the retries go on until the first of the new times': {
      row: changed,
      schedule: every15,
      now: '12:03',
      becomes: 'inFlight 12:00 due 12:00:06 attempt 2, then 12:15',
    },
    'to another interval whose first time has come: no retry any more': {
      row: changed,
      schedule: every15,
      now: '12:15',
      becomes: 'waiting 12:15, then 12:30',
      records: ['failed 12:00'],
    },
    'to another interval, and that was changed again: a retry that was brought forward waits': {
      row: { ...changed, changedAt: at('12:00:02'), dueAt: at('12:00:02') },
      schedule: every15,
      now: '12:00:05',
      becomes: 'retrying 12:00 due 12:00:06 attempt 1, then 12:15',
    },
    'so does one whose target had less time to complete than its answer has set': {
      row: { ...changed, changedAt: at('12:00:12'), dueAt: at('12:00:12'), attempts: [timedOut] },
      schedule: every15,
      now: '12:00:12',
      becomes: 'retrying 12:00 due 12:00:15 attempt 1, then 12:15',
    },
    'so does one whose target asked for a delay, until the next time': {
      row: { ...changed, attempts: [attempt(1, { responseHeaders: { 'retry-after': '3600' } })] },
      schedule: every15,
      now: '12:00:06',
      becomes: 'retrying 12:00 due 12:15 attempt 1, then 12:15',
    },
    'and the clock was set back: nobody knows how long the retry was to wait': {
      row: changed,
      schedule: every15,
      now: '12:00:00.500',
      becomes: 'inFlight 12:00 due 12:00:06 attempt 2, then 12:15',
    },
    'and changed back, while a lost run waits for its time: it is not sent before that': {
      row: { ...changed, nextFor: at('12:00'), dueAt: at('11:55'), was: 'lost', attempts: [lost] },
      now: '11:55',
      becomes: 'lost 12:00 attempt 1, then 12:00',
    },
    'disabled: no retry any more, and no next time': {
      row: { ...changed, nextFor: null },
      schedule: { status: 'disabled' },
      now: '12:03',
      becomes: 'none',
      records: ['failed 12:00'],
    },
    'deleted while the process was gone: the lost run is not sent again': {
      row: { ...changed, nextFor: null, was: 'lost', attempts: [lost] },
      schedule: { status: 'deleted' },
      now: '12:03',
      becomes: 'none',
      records: ['failed 12:00'],
    },
  });
  cases(taken, {
    'before the row was begun: the old time is not fired': {
      row: changed,
      schedule: every15,
      now: '12:04',
      unseen: '12:04',
      becomes: 'waiting 12:15, then 12:30',
    },
    'disabled before the row was begun': {
      row: { ...changed, nextFor: null },
      schedule: { status: 'disabled' },
      now: '12:04',
      becomes: 'none',
    },
  });
});

describe('a pause', () => {
  const paused = (until: string): Partial<Schedule> => ({ timing: { pausedUntil: at(until) } });

  cases(begun, {
    'that reaches beyond a retry ends its run': {
      schedule: paused('13:00'),
      now: '12:00:06',
      becomes: 'waiting 12:10, then 13:00',
      records: ['failed 12:00'],
    },
    'that is over does not touch a retry': {
      schedule: paused('12:00:06'),
      now: '12:00:06',
      becomes: 'inFlight 12:00 due 12:00:06 attempt 2, then 12:10',
    },
  });
});

describe('a schedule with bounds', () => {
  const bounded: Partial<Schedule> = { timing: { endsAt: at('12:05') } };

  cases(taken, {
    'fires its last time, and nothing follows': {
      row: { nextFor: null },
      schedule: bounded,
      now: '12:00',
      becomes: 'inFlight 12:00 attempt 1, then never',
    },
    'has missed its last time where that is too old': {
      row: { nextFor: null },
      schedule: { ...bounded, policy: { catchUpSeconds: 0 } },
      now: '12:03',
      unseen: '12:03',
      becomes: 'none',
      records: ['missed 12:00'],
    },
  });

  cases(begun, {
    'goes on with its retries beyond its end': {
      row: { nextFor: null },
      schedule: bounded,
      now: '18:00',
      becomes: 'inFlight 12:00 due 12:00:06 attempt 2, then never',
    },
  });
});
