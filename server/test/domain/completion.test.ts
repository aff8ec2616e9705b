import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  completionUrl,
  openedTicket,
  sealedTicket,
} from '../../src/domain/access/completion-ticket.ts';
import { newDataKey } from '../../src/domain/access/envelope.ts';
import { newId } from '../../src/domain/id.ts';
import {
  awaitedOf,
  type Completion,
  completionOf,
  heard,
  type Said,
  type SpokenOf,
} from '../../src/domain/run/completion.ts';
import { awaitedAnew } from '../../src/domain/run/recount.ts';
import type { Attempt } from '../../src/domain/run/run.ts';
import type { Policy } from '../../src/domain/schedule/schedule.ts';
import { at, attempt } from '../support/domain/queue-rows.ts';

const POLICY: Policy = { completion: { deadlineSeconds: 60 } };
const DAY = 86_400_000;
const answered = (responseStatus: number, more: Partial<Attempt> = {}): Attempt => ({
  ...attempt(1),
  startedAt: at('12:00'),
  outcome: 'response',
  responseStatus,
  ...more,
});
const awaiting = answered(202, { completion: { until: at('12:05') } });
const lost = (number: number): Attempt => ({ ...attempt(number), outcome: 'lost' });
const said = (fields: Partial<Completion> = {}): Completion => ({
  runId: 'run',
  attempt: 1,
  saidAt: at('12:02'),
  ...fields,
});

describe('the decision about an attempt', () => {
  const cases: Record<
    string,
    {
      attempt?: Attempt;
      policy?: Policy;
      said?: Completion;
      now: string;
      kind: string | null;
      until?: number;
      endedAt?: number;
    }
  > = {
    'a 202 awaits, from its answer on': {
      attempt: answered(202),
      now: '12:01',
      kind: 'awaiting',
      until: at('12:02'),
    },
    'a 202 that meets no condition of a success awaits': {
      attempt: answered(202, { error: 'It is none.' }),
      now: '12:01',
      kind: 'awaiting',
    },
    'a 202 without the policy awaits nothing': {
      attempt: answered(202),
      policy: {},
      now: '12:01',
      kind: null,
    },
    'a 200 awaits nothing': { attempt: answered(200), now: '12:01', kind: null },
    'a 200 awaits nothing, whatever was said': {
      attempt: answered(200),
      said: said({ status: 'failed' }),
      now: '12:01',
      kind: null,
    },
    'a timeout awaits nothing': {
      attempt: { ...attempt(1), outcome: 'timeout' },
      said: said(),
      now: '12:01',
      kind: null,
    },
    'nor does it where its target has asked for time': {
      attempt: { ...attempt(1), outcome: 'timeout' },
      said: said({ deadlineAt: at('12:30') }),
      now: '12:04',
      kind: null,
    },
    'it has ended if its target says so': {
      attempt: { ...attempt(1), outcome: 'timeout' },
      said: said({ status: 'succeeded' }),
      now: '12:04',
      kind: 'succeeded',
      endedAt: at('12:02'),
    },
    'so has one whose connection broke': {
      attempt: { ...attempt(1), outcome: 'connectionError' },
      said: said({ status: 'failed' }),
      now: '12:04',
      kind: 'failed',
      endedAt: at('12:02'),
    },
    'no target can speak of a request that was not sent': {
      attempt: { ...attempt(1), outcome: 'connectionError', refused: true },
      said: said({ status: 'succeeded' }),
      now: '12:04',
      kind: null,
    },
    'a deadline that has passed is not undone by what came before it': {
      attempt: { ...attempt(1), outcome: 'timeout', completion: { until: at('12:01') } },
      said: said({ status: 'succeeded' }),
      now: '12:04',
      kind: null,
    },
    'it awaits until its deadline': { now: '12:04', kind: 'awaiting', until: at('12:05') },
    'also where the policy has changed since': {
      policy: {},
      now: '12:04',
      kind: 'awaiting',
      until: at('12:05'),
    },
    'at its deadline it is a timeout': { now: '12:05', kind: 'timeout', endedAt: at('12:05') },
    'looked at later, it ended at its deadline': {
      now: '13:00',
      kind: 'timeout',
      endedAt: at('12:05'),
    },
    'a heartbeat moves its deadline': {
      said: said({ deadlineAt: at('12:30') }),
      now: '12:29',
      kind: 'awaiting',
      until: at('12:30'),
    },
    'and brings it forward': {
      said: said({ deadlineAt: at('12:03') }),
      now: '12:04',
      kind: 'timeout',
      endedAt: at('12:03'),
    },
    'it ended when its target said so': {
      said: said({ status: 'succeeded' }),
      now: '12:04',
      kind: 'succeeded',
      endedAt: at('12:02'),
    },
    'an end in time is looked at beyond the deadline': {
      said: said({ status: 'failed' }),
      now: '13:00',
      kind: 'failed',
      endedAt: at('12:02'),
    },
    'an end that a clock ahead has written counts from now': {
      said: said({ status: 'failed', saidAt: at('18:00') }),
      now: '12:04',
      kind: 'failed',
      endedAt: at('12:04'),
    },
    'a deadline that a clock ahead has set is as long from now on': {
      attempt: answered(202, { completion: { until: at('13:05'), acceptedAt: at('13:00') } }),
      now: '12:04',
      kind: 'awaiting',
      until: at('12:09'),
    },
    'one that an earlier version has set is known by the start of its attempt': {
      attempt: answered(202, { startedAt: at('13:00'), completion: { until: at('13:05') } }),
      now: '12:04',
      kind: 'awaiting',
      until: at('12:09'),
    },
    'one that a clock ahead has moved is as long from now on': {
      said: said({ saidAt: at('13:00'), deadlineAt: at('13:20') }),
      now: '12:04',
      kind: 'awaiting',
      until: at('12:24'),
    },
    'an answer to a request that began under such a clock has its whole deadline': {
      attempt: answered(202, { startedAt: at('13:00') }),
      now: '12:04',
      kind: 'awaiting',
      until: at('12:05'),
    },
    'cut off, it is sent again': { attempt: lost(1), now: '12:04', kind: null },
    'cut off, it has ended if its target says so': {
      attempt: lost(1),
      said: said({ status: 'succeeded' }),
      now: '12:04',
      kind: 'succeeded',
    },
    'cut off, it awaits if its target has asked for time': {
      attempt: lost(1),
      said: said({ deadlineAt: at('12:30') }),
      now: '12:04',
      kind: 'awaiting',
      until: at('12:30'),
    },
  };
  for (const [name, it] of Object.entries(cases)) {
    test(name, () => {
      const made = it.attempt ?? awaiting;
      const decided = awaitedOf(made, it.policy ?? POLICY, it.said ?? null, at(it.now));
      assert.equal(decided?.kind ?? null, it.kind);
      if (it.until !== undefined) assert.equal((decided as { until?: number }).until, it.until);
      if (it.endedAt !== undefined) {
        assert.equal((decided as { endedAt?: number }).endedAt, it.endedAt);
      }
    });
  }

  test('the attempt tells what the target said, and why it failed', () => {
    const failed = said({ status: 'failed', message: 'Disk full.' });
    const { attempt: told } = awaitedOf(awaiting, POLICY, failed, at('12:04'))!;
    assert.equal(told.error, 'The target said later that it failed: Disk full.');
    assert.deepEqual(told.completion, {
      until: at('12:05'),
      endedAt: at('12:02'),
      message: 'Disk full.',
    });
    const bare = awaitedOf(awaiting, POLICY, said({ status: 'failed' }), at('12:04'))!;
    assert.equal(bare.attempt.error, 'The target said later that it failed.');
    const late = awaitedOf(awaiting, POLICY, null, at('12:05'))!;
    assert.equal(late.attempt.outcome, 'timeout');
    assert.match(late.attempt.error!, /^The target has not completed it by .*T12:05:00\.000Z\.$/);
  });

  test('an attempt that timed out says by when nothing had come', () => {
    const heartbeat = said({ deadlineAt: at('12:03') });
    const { attempt: made } = awaitedOf(awaiting, POLICY, heartbeat, at('12:04'))!;
    assert.deepEqual(made.completion, { until: at('12:05'), timedOutAt: at('12:03') });
  });
});

test('a deadline that a clock ahead has set is set anew once', () => {
  const ahead = answered(202, { completion: { until: at('13:05'), acceptedAt: at('13:00') } });
  const { attempt: anew } = awaitedOf(ahead, POLICY, null, at('12:04'))!;
  assert.deepEqual(anew.completion, { until: at('12:09'), acceptedAt: at('12:04') });
  assert.equal(awaitedOf(anew, POLICY, null, at('12:08'))!.attempt, anew);
  assert.equal(awaitedOf(anew, POLICY, null, at('12:09'))!.kind, 'timeout');
});

test('a run that awaits is looked at by its deadline once the clock is set back', () => {
  const attempts = [awaiting];
  const dueFor = (due: string) => awaitedAnew({ dueAt: at(due), attempts }, at('12:01'));
  assert.equal(dueFor('12:05'), at('12:05'));
  // A claim of a clock that was ahead has looked at it, and was cut off.
  assert.equal(dueFor('13:00'), at('12:01'));
  assert.equal(dueFor('12:00'), at('12:00'));
});

describe('what a target may say', () => {
  const ticket = { runId: 'run', attempt: 1 };
  const row = (fields: Partial<SpokenOf> = {}): SpokenOf => ({
    state: 'awaiting',
    attempt: 1,
    attempts: [awaiting],
    startedAt: at('12:00'),
    ...fields,
  });
  const kept = (of: SpokenOf, what: Said = {}, before: Completion | null = null, now = '12:04') =>
    completionOf(of, ticket, what, before, at(now));

  test('no word is a success', () => {
    assert.equal(kept(row())!.status, 'succeeded');
    assert.equal(kept(row(), { message: 'Done.' })!.status, 'succeeded');
    assert.equal(kept(row(), { status: 'failed', extendSeconds: 5 })!.status, 'failed');
  });

  test('while the request is under way, and after it was cut off', () => {
    assert.ok(kept(row({ state: 'inFlight', attempts: [] })));
    assert.ok(kept(row({ state: 'lost', attempts: [lost(1)] })));
  });

  test('nothing about an attempt that has ended or was overtaken', () => {
    assert.equal(kept(row({ attempt: 2 })), null);
    assert.equal(kept(row({ state: 'retrying', attempts: [answered(500)] })), null);
    assert.equal(kept(row({ state: 'waiting', attempt: 0, attempts: [] })), null);
    assert.equal(kept(row(), {}, said({ status: 'failed' })), null);
  });

  test('nothing at its deadline or beyond it', () => {
    assert.ok(kept(row(), {}, null, '12:04'));
    assert.equal(kept(row(), {}, null, '12:05'), null);
    assert.ok(kept(row(), {}, said({ deadlineAt: at('12:30') }), '12:29'));
    assert.equal(kept(row(), {}, said({ deadlineAt: at('12:30') }), '12:30'), null);
  });

  test('a heartbeat counts from now, and reaches 7 days from the start at most', () => {
    const soon = kept(row(), { extendSeconds: 60 })!;
    assert.deepEqual([soon.status, soon.deadlineAt], [undefined, at('12:05')]);
    assert.equal(kept(row(), { extendSeconds: 604_800 })!.deadlineAt, at('12:00') + 7 * DAY);
  });
});

describe('the url of a completion', () => {
  const key = newDataKey();
  const now = Date.UTC(2026, 0, 1);
  const ticket = { runId: newId(now), scheduleId: newId(now), clientId: 'a\nb', attempt: 3 };

  test('holds what it is about', () => {
    const url = completionUrl('https://punctual.example.com/base', ticket, key);
    const [base, token] = url.split('/complete/');
    assert.equal(base, 'https://punctual.example.com/base');
    assert.match(token!, /^[\w-]+$/);
    assert.deepEqual(openedTicket(token!, key), ticket);
  });

  test('no other key opens it, and no bit of it can be changed', () => {
    const token = sealedTicket(ticket, key);
    assert.equal(openedTicket(token, newDataKey()), null);
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'A' ? 'B' : 'A';
      const forged = token.slice(0, index) + other + token.slice(index + 1);
      assert.equal(openedTicket(forged, key), null, `character ${index}`);
    }
    for (const text of ['', 'A', token.slice(0, 40), `${token}=`, `${token}AAAA`, '%00', 'ä']) {
      assert.equal(openedTicket(text, key), null, text);
    }
  });
});

describe('the message of a target', () => {
  const failed = said({ status: 'failed', message: 'Disk full.' });
  const endOf = (keepResponse: 'all' | 'headers' | 'none') => {
    const policy = { ...POLICY, keepResponse };
    return awaitedOf(awaiting, policy, failed, at('12:03'))!.attempt;
  };

  test('is kept with the attempt, and stands in its error', () => {
    const { error, completion } = endOf('all');
    assert.equal(error, 'The target said later that it failed: Disk full.');
    assert.equal(completion!.message, 'Disk full.');
  });

  test('is not kept where no bodies are', () => {
    for (const keepResponse of ['headers', 'none'] as const) {
      const { error, completion } = endOf(keepResponse);
      assert.equal(error, 'The target said later that it failed.');
      assert.deepEqual(completion, { until: at('12:05'), endedAt: at('12:02') });
      assert.deepEqual(heard({ status: 'failed', message: 'a' }, { keepResponse }), {
        status: 'failed',
      });
    }
  });
});
