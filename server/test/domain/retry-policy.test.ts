import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { keptAttempts } from '../../src/domain/run/kept-response.ts';
import type { Attempt, Outcome } from '../../src/domain/run/run.ts';
import { judge, retryDelayMs, whyTooLate } from '../../src/domain/run/verdict.ts';
import type { Policy, Success } from '../../src/domain/schedule/schedule.ts';
import { attemptOf, type SendResult } from '../../src/outbound/send.ts';

const SECOND = 1_000;
const ENDED = Date.UTC(2026, 5, 1, 12);
const result = { startedAt: ENDED - 40, durationMs: 40, phases: {} };

const answered = (responseStatus: number, fields: Partial<SendResult> = {}, success?: Success) =>
  attemptOf(1, { ...result, outcome: 'response', responseStatus, ...fields }, success);
const ended = (outcome: Outcome): Attempt => ({ number: 1, startedAt: ENDED - 40, outcome });

interface Judged {
  random?: number;
  scheduledFor?: number;
  nextFor?: number | null;
}

function verdictOf(attempts: Attempt[], policy: Policy, { random = 0, ...bounds }: Judged = {}) {
  const { scheduledFor = ENDED - 50, nextFor = null } = bounds;
  return judge(attempts, policy, { scheduledFor, nextFor }, ENDED, random);
}

const kindOf = (attempt: Attempt, policy: Policy) => verdictOf([attempt], policy).kind;

/** How long the retry behind each attempt waits, s; null where there is none. */
function waits(policy: Policy, attempts: number): (number | null)[] {
  return Array.from({ length: attempts }, (_, index) => {
    const made = Array.from({ length: index + 1 }, () => answered(503));
    const verdict = verdictOf(made, policy);
    return verdict.kind === 'retry' ? (verdict.at - ENDED) / SECOND : null;
  });
}

describe('retryDelaysSeconds', () => {
  const table: [string, Policy, (number | null)[]][] = [
    ['one for each retry, and no more', { retryDelaysSeconds: [1, 10, 60] }, [1, 10, 60, null]],
    ['a single one', { retryDelaysSeconds: [7] }, [7, null]],
    [
      'the last repeats where maxRetries is more',
      { retryDelaysSeconds: [1, 10], maxRetries: 4 },
      [1, 10, 10, 10, null],
    ],
    [
      'those beyond maxRetries are not used',
      { retryDelaysSeconds: [1, 10, 60], maxRetries: 1 },
      [1, null],
    ],
    ['no retries', { retryDelaysSeconds: [1], maxRetries: 0 }, [null]],
    ['any order', { retryDelaysSeconds: [60, 1] }, [60, 1, null]],
    ['a day', { retryDelaysSeconds: [86_400] }, [86_400, null]],
  ];
  for (const [name, policy, expected] of table) {
    test(`${name}: ${JSON.stringify(policy)}`, () =>
      assert.deepEqual(waits(policy, expected.length), expected));
  }

  test('lost attempts use up none of them', () => {
    const attempts = [ended('lost'), answered(503), ended('lost'), answered(503)];
    const verdict = verdictOf(attempts, { retryDelaysSeconds: [1, 10] });
    assert.deepEqual(verdict, { kind: 'retry', at: ENDED + 10 * SECOND });
  });

  test('jitter lengthens them by up to 20 %, and Retry-After counts where it is later', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 86_400 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (seconds, random) => {
          const delay = retryDelayMs(0, random, [seconds]);
          assert.ok(delay >= seconds * SECOND && delay <= Math.ceil(seconds * SECOND * 1.2));
        },
      ),
    );
    const asked = (seconds: string) =>
      verdictOf([answered(503, { responseHeaders: { 'retry-after': seconds } })], {
        retryDelaysSeconds: [10],
      });
    assert.deepEqual(asked('60'), { kind: 'retry', at: ENDED + 60 * SECOND });
    assert.deepEqual(asked('9'), { kind: 'retry', at: ENDED + 10 * SECOND });
  });
});

describe('retryForSeconds', () => {
  const policy = { retryForSeconds: 60, retryDelaysSeconds: [10] };
  const limit = ENDED + 10 * SECOND;
  const judged = (scheduledFor: number, nextFor: number | null = null) =>
    verdictOf([answered(503)], policy, { scheduledFor, nextFor });

  test('a retry may start until then, and not a millisecond later', () => {
    assert.deepEqual(judged(limit - 60 * SECOND), { kind: 'retry', at: limit });
    assert.deepEqual(judged(limit - 60 * SECOND - 1), {
      kind: 'failed',
      reason:
        'It was not tried again: the next attempt would have been at 2026-06-01T12:00:10.000Z, and retries end at 2026-06-01T12:00:09.999Z.',
    });
  });

  test('a first attempt that began long after its time is not tried again', () => {
    assert.equal(judged(ENDED - 3_600 * SECOND).kind, 'failed');
  });

  test('the next time still ends retries that it would allow', () => {
    assert.match(
      (judged(ENDED, limit) as { reason: string }).reason,
      /the schedule's next time is 2026-06-01T12:00:10.000Z\.$/,
    );
  });

  test('Retry-After beyond it ends the retries', () => {
    const attempt = answered(503, { responseHeaders: { 'retry-after': '61' } });
    assert.equal(verdictOf([attempt], policy, { scheduledFor: ENDED }).kind, 'failed');
  });

  test('it changes no success, and nothing that is final anyhow', () => {
    const scheduledFor = ENDED - 3_600 * SECOND;
    assert.deepEqual(verdictOf([answered(200)], policy, { scheduledFor }), { kind: 'succeeded' });
    assert.deepEqual(verdictOf([answered(404)], policy, { scheduledFor }), { kind: 'failed' });
  });

  test('one that was put off beyond it does not start; a first attempt, or one cut off, does', () => {
    const late = (...attempts: Attempt[]) =>
      whyTooLate({ attempts, scheduledFor: ENDED }, policy, ENDED + 60 * SECOND + 1);
    const reason = 'It was not tried again: its retries ended at 2026-06-01T12:01:00.000Z.';
    assert.equal(late(answered(503)), reason);
    assert.equal(late(ended('lost'), answered(503)), reason);
    assert.equal(late(), null);
    assert.equal(late(answered(503), ended('lost')), null);
    assert.equal(late(answered(202)), null, 'it awaits its completion');
    const row = { attempts: [answered(503)], scheduledFor: ENDED };
    assert.equal(whyTooLate(row, policy, ENDED + 60 * SECOND), null);
    assert.equal(whyTooLate(row, {}, ENDED + 3_600 * SECOND), null);
  });

  test('whatever the policy, no retry is later than it allows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 86_400 }), { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 1, max: 604_800 }),
        fc.integer({ min: 0, max: 604_800_000 }),
        fc.integer({ min: 1, max: 11 }),
        (retryDelaysSeconds, retryForSeconds, age, count) => {
          const scheduledFor = ENDED - age;
          const attempts = Array.from({ length: count }, () => answered(500));
          const bounded = { retryDelaysSeconds, retryForSeconds };
          const verdict = verdictOf(attempts, bounded, { scheduledFor });
          if (count > retryDelaysSeconds.length) assert.equal(verdict.kind, 'failed');
          if (verdict.kind !== 'retry') return;
          assert.ok(verdict.at <= scheduledFor + retryForSeconds * SECOND);
        },
      ),
    );
  });
});

describe('retryStatuses', () => {
  const table: [string[], number[], number[]][] = [
    [['429'], [429], [408, 425, 428, 500, 503]],
    [['5xx'], [500, 503, 599], [408, 425, 429, 499, 600]],
    [
      ['404', '4xx'],
      [400, 404, 429, 499],
      [500, 399],
    ],
    [
      ['301', '503'],
      [301, 503],
      [302, 500],
    ],
    [[], [], [408, 425, 429, 500, 503]],
  ];
  for (const [retryStatuses, retried, final] of table) {
    test(`${JSON.stringify(retryStatuses)} instead of 408, 425, 429 and 5xx`, () => {
      for (const status of retried) {
        assert.equal(kindOf(answered(status), { retryStatuses }), 'retry', `${status}`);
      }
      for (const status of final) {
        assert.equal(kindOf(answered(status), { retryStatuses }), 'failed', `${status}`);
      }
    });
  }

  test('errors of the network and timeouts are retried whatever it says; a refused target never', () => {
    for (const outcome of ['connectionError', 'timeout', 'lost'] as const) {
      assert.equal(kindOf(ended(outcome), { retryStatuses: [] }), 'retry');
    }
    assert.equal(kindOf(ended('blocked'), { retryStatuses: ['5xx'] }), 'failed');
  });
});

describe('success', () => {
  test('a status that is listed succeeds, one that is not does not', () => {
    const success = { statuses: ['304', '404'] };
    assert.equal(kindOf(answered(304, {}, success), { success }), 'succeeded');
    assert.equal(kindOf(answered(404, {}, success), { success }), 'succeeded');
    assert.equal(kindOf(answered(200, {}, success), { success }), 'retry');
    assert.equal(kindOf(answered(410, {}, success), { success }), 'failed');
  });

  const unmet = 'The body does not contain "done".';

  test('a 2xx whose body fails a condition is retried where a 500 would be', () => {
    const attempt = answered(200, { unmet });
    assert.equal(attempt.error, unmet);
    assert.equal(kindOf(attempt, {}), 'retry');
    assert.equal(kindOf(attempt, { retryStatuses: ['500'] }), 'retry');
    assert.equal(kindOf(attempt, { retryStatuses: ['5xx'] }), 'retry');
    assert.equal(kindOf(attempt, { retryStatuses: ['503', '429'] }), 'failed');
    assert.equal(kindOf(attempt, { retryStatuses: [] }), 'failed');
  });

  test('another status that is listed and whose body fails is retried as that status is', () => {
    const success = { statuses: ['404', '503'], bodyContains: 'done' };
    assert.equal(kindOf(answered(404, { unmet }, success), { success }), 'failed');
    assert.equal(kindOf(answered(503, { unmet }, success), { success }), 'retry');
  });

  test('the status is judged before the body', () => {
    assert.equal(answered(500, { unmet }).error, 'The target answered 500.');
  });

  test('an answer that broke off is no success, and is retried as its status is', () => {
    const success = { statuses: ['304'] };
    const attempt = attemptOf(
      1,
      { ...result, outcome: 'timeout', responseStatus: 304, error: 'It took too long.' },
      success,
    );
    assert.equal(attempt.error, 'It took too long.');
    assert.equal(kindOf(attempt, { success }), 'failed');
    assert.equal(kindOf(attempt, { success, retryStatuses: ['304'] }), 'retry');
  });
});

describe('keepResponse', () => {
  const made = [
    answered(200, { responseHeaders: { 'content-type': 'text/plain' }, responseBody: 'private' }),
    answered(302, { responseHeaders: { location: 'https://private.example/' } }),
    ended('timeout'),
  ];
  const keptBy = (policy: Policy | undefined) => keptAttempts(made, policy);

  test('all, which is the default: the attempts as they are', () => {
    assert.equal(keptBy(undefined), made);
    assert.equal(keptBy({ maxRetries: 1 }), made);
    assert.equal(keptBy({ keepResponse: 'all' }), made);
  });

  test('headers: no body', () => {
    const [first, second, third] = keptBy({ keepResponse: 'headers' });
    const { responseBody: _, ...bodyless } = made[0]!;
    assert.deepEqual([first, second, third], [bodyless, made[1], made[2]]);
  });

  test('none: neither headers nor body, and no error that repeats them', () => {
    const kept = keptBy({ keepResponse: 'none' });
    assert.ok(!JSON.stringify(kept).includes('private'));
    assert.deepEqual(
      kept.map(({ outcome, responseStatus, error }) => [outcome, responseStatus, error]),
      [
        ['response', 200, undefined],
        ['response', 302, 'The target answered 302, a redirect, and redirects are not followed.'],
        ['timeout', undefined, undefined],
      ],
    );
    assert.ok(kept.every(attempt => !('responseHeaders' in attempt)));
    assert.deepEqual(keptAttempts(kept, { keepResponse: 'none' }), kept);
  });
});
