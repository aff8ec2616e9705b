import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runId } from '../../src/domain/id.ts';
import { afterAttempt } from '../../src/domain/run/after-attempt.ts';
import { giveBack } from '../../src/domain/run/queue.ts';
import type { QueueRow, TakenRow } from '../../src/domain/run/queue-row.ts';
import { beyondOwn } from '../../src/domain/run/start.ts';
import type { Verdict } from '../../src/domain/run/verdict.ts';
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

/** What becomes of a row when its attempt has ended, or was never started. */

const SUCCEEDED: Verdict = { kind: 'succeeded' };
const FAILED: Verdict = { kind: 'failed' };

type EndedRow = QueueRow & Pick<TakenRow, 'known'>;

/** The run of 12:00, its first attempt just ended. */
const ended = (fields: Partial<EndedRow> = {}): EndedRow => ({
  state: 'inFlight',
  dueAt: at('12:00'),
  scheduledFor: at('12:00'),
  nextFor: at('12:10'),
  attempt: 1,
  attempts: [attempt(1)],
  ...fields,
});

interface Case {
  row?: Partial<EndedRow>;
  schedule?: Partial<Schedule>;
  verdict?: Verdict;
  at: string;
  unseen?: string;
  becomes: string;
  records?: string[];
}

function cases(table: Record<string, Case>): void {
  for (const [name, it] of Object.entries(table)) {
    test(name, () => {
      const move = afterAttempt(
        ended(it.row),
        schedule(it.schedule),
        it.verdict ?? SUCCEEDED,
        at(it.at),
        unseenUntil(at(it.unseen ?? '00:00')),
      );
      assert.deepEqual(told(move), { row: it.becomes, records: it.records ?? [] });
    });
  }
}

describe('an attempt that decided the run', () => {
  cases({
    'succeeded: the row waits for the next time': {
      at: '12:00:02',
      becomes: 'waiting 12:10, then 12:20',
      records: ['succeeded 12:00'],
    },
    'failed: the row waits for the next time': {
      verdict: FAILED,
      at: '12:00:02',
      becomes: 'waiting 12:10, then 12:20',
      records: ['failed 12:00'],
    },
    'at the last time of an interval: no row any more': {
      row: { nextFor: null },
      at: '12:00:02',
      becomes: 'none',
      records: ['succeeded 12:00'],
    },
  });

  test('a late change has brought its own time again, which is yet to come by a clock that was set back: it has fired', () => {
    const row = beyondOwn(ended({ nextFor: at('12:00') }), schedule(), true);
    const move = afterAttempt(row, schedule(), SUCCEEDED, at('11:59:59'), unseenUntil(0));
    assert.deepEqual(told(move), {
      row: 'waiting 12:10, then 12:20',
      records: ['succeeded 12:00'],
    });
  });

  test('history keeps its identity, its first start, its end, its attempts and why', () => {
    const attempts = [lost, attempt(2, { startedAt: at('12:00:40') })];
    const verdict: Verdict = { kind: 'failed', reason: 'Why.' };
    const row = ended({ attempt: 2, attempts });
    const move = afterAttempt(row, schedule(), verdict, at('12:00:41'), unseenUntil(0));
    assert.deepEqual(move.ended, {
      id: runId(schedule().id, at('12:00')),
      scheduledFor: at('12:00'),
      trigger: 'schedule',
      status: 'failed',
      startedAt: at('12:00:01'),
      finishedAt: at('12:00:41'),
      attempts,
      reason: 'Why.',
    });
  });
});

describe('an attempt that is to be retried', () => {
  const verdict: Verdict = { kind: 'retry', at: at('12:00:07') };
  cases({
    'the row is due at the retry, and counts its attempts': {
      verdict,
      at: '12:00:02',
      becomes: 'retrying 12:00 due 12:00:07 attempt 1, then 12:10',
    },
    'disabled meanwhile: it is not tried again': {
      verdict,
      row: { nextFor: null },
      schedule: { status: 'disabled' },
      at: '12:00:02',
      becomes: 'none',
      records: ['failed 12:00'],
    },
    'a clock that was set back does not bring it before its nominal time': {
      verdict: { kind: 'retry', at: at('11:58') },
      at: '11:57:55',
      becomes: 'retrying 12:00 attempt 1, then 12:10',
    },
  });

  test('the reason says that the schedule was disabled or deleted', () => {
    for (const status of ['disabled', 'deleted'] as const) {
      const move = afterAttempt(
        ended(),
        schedule({ status }),
        verdict,
        at('12:00:02'),
        unseenUntil(0),
      );
      assert.equal(move.ended!.reason, `It was not tried again: the schedule was ${status}.`);
    }
  });
});

describe('times that came while the run was going are skipped', () => {
  cases({
    one: {
      at: '12:10:00',
      becomes: 'waiting 12:20, then 12:30',
      records: ['skipped 12:10', 'succeeded 12:00'],
    },
    several: {
      verdict: FAILED,
      at: '12:39:59',
      becomes: 'waiting 12:40, then 12:50',
      records: ['skipped 12:10', 'skipped 12:20', 'skipped 12:30', 'failed 12:00'],
    },
    'more than 1,000: one record': {
      row: { nextFor: at('12:00:01') },
      schedule: { interval: '* * * * * *' },
      at: '12:30:00.500',
      becomes: 'waiting 12:30:01, then 12:30:02',
      records: ['skipped 1800 from 12:00:01 to 12:30', 'succeeded 12:00'],
    },
  });

  const AWAKE = { from: at('11:00'), until: at('12:20:01') };
  const besideGap = (until: string, fields: Partial<Schedule> = {}, awake = [AWAKE]) => {
    const unseen = { until: at(until), awake, spans: [] };
    return told(afterAttempt(ended(), schedule(fields), SUCCEEDED, at('13:01'), unseen));
  };

  test('so are those that came before a gap in which nobody looked, and after it', () => {
    const seen = ['skipped 12:10', 'skipped 12:20'];
    assert.deepEqual(besideGap('12:45'), {
      row: 'waiting 12:40, then 13:10',
      records: ['missed 12:30', ...seen, 'skipped 12:50', 'skipped 13:00', 'succeeded 12:00'],
    });
    assert.deepEqual(besideGap('12:29').records.slice(0, 3), [...seen, 'skipped 12:30']);
  });

  test('none of them is the latest to pass unseen', () => {
    assert.deepEqual(besideGap('12:29').row, 'waiting 13:10, then 13:20');
    assert.deepEqual(besideGap('12:45', { policy: { catchUpSeconds: 0 } }).records.slice(0, 4), [
      'missed 12:30',
      'missed 12:40',
      'skipped 12:10',
      'skipped 12:20',
    ]);
  });

  test('before the first look that is known, nobody looked', () => {
    const { records } = besideGap('12:45', {}, [{ ...AWAKE, from: at('12:15') }]);
    assert.deepEqual(records.slice(0, 3), ['missed 12:10', 'missed 12:30', 'skipped 12:20']);
  });

  test('between two gaps somebody looked', () => {
    const spans = [
      { from: at('11:00'), until: at('12:15') },
      { from: at('12:29'), until: at('12:31') },
    ];
    assert.deepEqual(besideGap('12:45', {}, spans), {
      row: 'waiting 12:40, then 13:10',
      records: [
        'missed 12:20',
        ...['skipped 12:10', 'skipped 12:30', 'skipped 12:50', 'skipped 13:00'],
        'succeeded 12:00',
      ],
    });
    assert.deepEqual(besideGap('12:35', {}, spans).row, 'waiting 12:20, then 13:10');
  });

  test('the reason names the run', () => {
    const { passed } = afterAttempt(ended(), schedule(), SUCCEEDED, at('12:10'), unseenUntil(0));
    assert.equal(passed[0]!.reason, 'The run of 2026-06-01T12:00:00.000Z was still going.');
  });
});

describe('bufferOne: the latest of the times that came while the run was going starts when it ends', () => {
  const BUFFERED: Partial<Schedule> = { policy: { overlap: 'bufferOne', catchUpSeconds: 600 } };
  const sent = (time: string) => ({ scheduledFor: at(time), sent: true, attempts: [] });
  cases({
    one: {
      schedule: BUFFERED,
      at: '12:10:00',
      becomes: 'waiting 12:10, then 12:20',
      records: ['succeeded 12:00'],
    },
    'those before it are skipped, however the run ended': {
      schedule: BUFFERED,
      verdict: FAILED,
      at: '12:39:59',
      becomes: 'waiting 12:30, then 12:40',
      records: ['skipped 12:10', 'skipped 12:20', 'failed 12:00'],
    },
    'a run that would be retried gives way to it': {
      schedule: BUFFERED,
      verdict: { kind: 'retry', at: at('12:10:30') },
      at: '12:10:05',
      becomes: 'waiting 12:10, then 12:20',
      records: ['failed 12:00'],
    },
    'nothing came: the next is to come': {
      schedule: BUFFERED,
      at: '12:05',
      becomes: 'waiting 12:10, then 12:20',
      records: ['succeeded 12:00'],
    },
    'those that passed unseen lose to one that was seen to come': {
      schedule: BUFFERED,
      at: '12:31',
      unseen: '12:25',
      becomes: 'waiting 12:30, then 12:40',
      records: ['missed 12:10', 'missed 12:20', 'succeeded 12:00'],
    },
    'where all passed unseen, they are caught up with as ever': {
      schedule: BUFFERED,
      at: '12:31',
      unseen: '12:30:30',
      becomes: 'waiting 12:30, then 12:40',
      records: ['missed 12:10', 'missed 12:20', 'succeeded 12:00'],
    },
    'what was sent before the clock was set back does not wait': {
      schedule: BUFFERED,
      row: { known: [sent('12:20')] },
      at: '12:25',
      becomes: 'waiting 12:10, then 12:30',
      records: ['succeeded 12:00'],
    },
    'more than 1,000: one record, and the latest waits': {
      row: { nextFor: at('12:00:01') },
      schedule: { ...BUFFERED, interval: '* * * * * *' },
      at: '12:30:00.500',
      becomes: 'waiting 12:30, then 12:30:01',
      records: ['skipped 1799 from 12:00:01 to 12:29:59', 'succeeded 12:00'],
    },
    'disabled meanwhile: nothing waits': {
      schedule: { ...BUFFERED, status: 'disabled' },
      row: { nextFor: null },
      at: '12:15',
      becomes: 'none',
      records: ['succeeded 12:00'],
    },
  });

  test('the reason says that a later time waited', () => {
    const { passed } = afterAttempt(
      ended(),
      schedule(BUFFERED),
      SUCCEEDED,
      at('12:20'),
      unseenUntil(0),
    );
    assert.equal(
      passed[0]!.reason,
      'The run of 2026-06-01T12:00:00.000Z was still going. A later time took its place and waited.',
    );
  });
});

describe('a lost run was sent again after a stop: then the times of the stop are caught up with', () => {
  const row = { attempt: 2, attempts: [lost, attempt(2)] };
  cases({
    'the latest fires late, the others are missed': {
      row,
      at: '12:45:01',
      unseen: '12:45',
      becomes: 'waiting 12:40, then 12:50',
      records: ['missed 12:10', 'missed 12:20', 'missed 12:30', 'succeeded 12:00'],
    },
    'those that came since the start are skipped': {
      row,
      at: '13:00:01',
      unseen: '12:45',
      becomes: 'waiting 12:40, then 13:10',
      records: [
        'missed 12:10',
        'missed 12:20',
        'missed 12:30',
        'skipped 12:50',
        'skipped 13:00',
        'succeeded 12:00',
      ],
    },
    'a time at the very instant of the start was seen': {
      row,
      at: '12:20:01',
      unseen: '12:20',
      becomes: 'waiting 12:10, then 12:30',
      records: ['skipped 12:20', 'succeeded 12:00'],
    },
    'the latest is too old: all are missed': {
      row,
      schedule: { policy: { catchUpSeconds: 60 } },
      at: '12:45:01',
      unseen: '12:45',
      becomes: 'waiting 12:50, then 13:00',
      records: ['missed 12:10', 'missed 12:20', 'missed 12:30', 'missed 12:40', 'succeeded 12:00'],
    },
    'nothing passed during the stop': {
      row,
      at: '12:05:01',
      unseen: '12:05',
      becomes: 'waiting 12:10, then 12:20',
      records: ['succeeded 12:00'],
    },
  });
});

describe('the schedule was changed while the request was in flight', () => {
  cases({
    'to another interval: the next time is the first of the new ones': {
      row: { nextFor: at('12:07') },
      schedule: { interval: '7 * * * *' },
      at: '12:03',
      becomes: 'waiting 12:07, then 13:07',
      records: ['succeeded 12:00'],
    },
    'new times that came meanwhile are skipped, old ones are not spoken of': {
      row: { nextFor: at('12:15') },
      schedule: { interval: '*/15 * * * *' },
      at: '12:31',
      becomes: 'waiting 12:45, then 13:00',
      records: ['skipped 12:15', 'skipped 12:30', 'succeeded 12:00'],
    },
    'disabled: the run is recorded, and no row is left': {
      row: { nextFor: null },
      schedule: { status: 'disabled' },
      at: '12:31',
      becomes: 'none',
      records: ['succeeded 12:00'],
    },
    'deleted: the run is recorded, and no row is left': {
      row: { nextFor: null },
      schedule: { status: 'deleted' },
      verdict: FAILED,
      at: '12:31',
      becomes: 'none',
      records: ['failed 12:00'],
    },
  });
});

describe('a request that was never started is taken back', () => {
  const table: Record<string, [TakenRow, Partial<Schedule>, string, string, string[]?]> = {
    'a first attempt: the row is as it was': [
      taken({ attempt: 1 }),
      {},
      '12:00:01',
      'waiting 12:00, then 12:10',
    ],
    'a retry: the row is as it was': [
      begun({ attempt: 2 }),
      {},
      '12:00:07',
      'retrying 12:00 due 12:00:06 attempt 1, then 12:10',
    ],
    'a lost run: it is still lost': [
      begun({ was: 'lost', attempt: 2, attempts: [lost] }),
      {},
      '12:20',
      'lost 12:00 due 12:00:06 attempt 1, then 12:10',
    ],
    'the first attempt of a schedule that changed: its old time is not fired': [
      taken({ attempt: 1, changedAt: at('12:00'), nextFor: at('12:15') }),
      { interval: '*/15 * * * *' },
      '12:00:01',
      'waiting 12:15, then 12:30',
    ],
    'the first attempt of a schedule that was deleted: nothing is left': [
      taken({ attempt: 1, changedAt: at('12:00'), nextFor: null }),
      { status: 'deleted' },
      '12:00:01',
      'none',
    ],
    'a retry of a schedule that changed goes on': [
      begun({ attempt: 2, changedAt: at('12:00:06'), nextFor: at('12:15') }),
      { interval: '*/15 * * * *' },
      '12:00:07',
      'retrying 12:00 due 12:00:06 attempt 1, then 12:15',
    ],
    'a retry is decided about when a change brings an earlier time': [
      begun({ attempt: 2, changedAt: at('12:00:02'), nextFor: at('12:00:03') }),
      { interval: '3 * * * * *' },
      '12:00:02',
      'retrying 12:00 due 12:00:03 attempt 1, then 12:00:03',
    ],
    'a retry that a change brought forward waits its time, where another change takes that back': [
      begun({ attempt: 2, dueAt: at('12:00:02'), changedAt: at('12:00:02'), nextFor: at('12:15') }),
      { interval: '*/15 * * * *' },
      '12:00:02',
      'retrying 12:00 due 12:00:06 attempt 1, then 12:15',
    ],
    'a retry of a schedule that was disabled has failed': [
      begun({ attempt: 2, changedAt: at('12:00:06'), nextFor: null }),
      { status: 'disabled' },
      '12:00:07',
      'none',
      ['failed 12:00'],
    ],
    'a lost run of a clock that was ahead: the times before it go on': [
      begun({
        ...{ was: 'lost', attempt: 2, attempts: [lost], changedAt: at('12:00:01') },
        ...{ scheduledFor: at('12:30'), nextFor: at('12:10') },
      }),
      {},
      '12:00:02',
      'waiting 12:10, then 12:20',
      ['missed 12:30'],
    ],
    'a late time is not due before itself': [
      taken({ attempt: 1, scheduledFor: at('12:30'), nextFor: at('12:40') }),
      {},
      '12:34',
      'waiting 12:30, then 12:40',
    ],
  };
  for (const [name, [row, fields, now, becomes, records]] of Object.entries(table)) {
    test(name, () => {
      const move = giveBack(row, schedule(fields), at(now));
      assert.deepEqual(told(move), { row: becomes, records: records ?? [] });
    });
  }

  test('what is taken back leaves no trace in the attempts', () => {
    const { row, ended } = giveBack(begun({ attempt: 2 }), schedule(), at('12:00:07'));
    assert.deepEqual(row!.attempts, [attempt(1)]);
    assert.equal(ended, null);
  });
});

describe('a pause', () => {
  const schedule = { timing: { pausedUntil: at('12:02') } };
  cases({
    'that reaches beyond the next attempt ends the run': {
      schedule,
      verdict: { kind: 'retry', at: at('12:01:59') },
      at: '12:00:02',
      becomes: 'waiting 12:10, then 12:20',
      records: ['failed 12:00'],
    },
    'that is over by then does not': {
      schedule,
      verdict: { kind: 'retry', at: at('12:02') },
      at: '12:00:02',
      becomes: 'retrying 12:00 due 12:02 attempt 1, then 12:10',
    },
  });
});
