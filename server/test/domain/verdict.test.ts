import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Attempt, Outcome } from '../../src/domain/run/run.ts';
import { isSuccess, judge, responseFault, retryDelayMs } from '../../src/domain/run/verdict.ts';
import type { Success } from '../../src/domain/schedule/schedule.ts';
import { attemptOf } from '../../src/outbound/send.ts';

const ENDED = Date.UTC(2026, 5, 1, 12);
const SECOND = 1_000;
const UNBOUNDED = { scheduledFor: ENDED - 50, nextFor: null };
const DAY = 86_400 * SECOND;

/** An attempt as a sender makes it. */
function answered(status: number, retryAfter?: string, success?: Success): Attempt {
  const result = {
    outcome: 'response',
    startedAt: ENDED - 40,
    durationMs: 40,
    phases: {},
  } as const;
  const headers = retryAfter !== undefined && { responseHeaders: { 'retry-after': retryAfter } };
  return attemptOf(1, { ...result, responseStatus: status, ...headers }, success);
}

const ended = (outcome: Outcome): Attempt => ({ number: 1, startedAt: ENDED - 40, outcome });

/** The verdict where nothing but the attempts matters. */
const verdictOf = (...attempts: Attempt[]) => judge(attempts, undefined, UNBOUNDED, ENDED, 0);

describe('what is a success, what is retried, what has failed', () => {
  const table: [string, Attempt, 'succeeded' | 'retry' | 'failed'][] = [
    ...[200, 201, 204, 299].map(status => [`${status}`, answered(status), 'succeeded'] as const),
    ...[408, 425, 429].map(status => [`${status}`, answered(status), 'retry'] as const),
    ...[500, 501, 502, 503, 504, 599].map(
      status => [`${status}`, answered(status), 'retry'] as const,
    ),
    ...[300, 301, 302, 303, 304, 307, 308].map(
      status => [`${status}: redirects are not followed`, answered(status), 'failed'] as const,
    ),
    ...[400, 401, 403, 404, 409, 410, 418, 422, 424, 426, 428, 451, 600, 999].map(
      status => [`${status}`, answered(status), 'failed'] as const,
    ),
    ['a network error', ended('connectionError'), 'retry'],
    ['a timeout', ended('timeout'), 'retry'],
    ['a lost attempt', ended('lost'), 'retry'],
    ['a target that is refused', ended('blocked'), 'failed'],
  ].map(row => row as [string, Attempt, 'succeeded' | 'retry' | 'failed']);
  for (const [name, attempt, kind] of table) {
    test(`${name}: ${kind}`, () => assert.equal(verdictOf(attempt).kind, kind));
  }

  test('the last attempt decides, whatever came before', () => {
    assert.deepEqual(verdictOf(answered(500), answered(204)), { kind: 'succeeded' });
    assert.deepEqual(verdictOf(answered(500), answered(404)), { kind: 'failed' });
  });

  test('a status alone is no success: the answer must have been complete', () => {
    assert.equal(isSuccess({ ...answered(200), outcome: 'timeout' }), false);
    assert.equal(verdictOf({ ...answered(200), outcome: 'connectionError' }).kind, 'retry');
    assert.equal(verdictOf({ ...answered(200), outcome: 'timeout' }).kind, 'retry');
  });

  for (const outcome of ['timeout', 'connectionError'] as const) {
    test(`${outcome} behind a status other than 2xx leads to what the status leads to`, () => {
      const reason = 'It was not tried again: the target had answered 404.';
      const broken = (status: number) => ({ ...answered(status), outcome });
      assert.deepEqual(verdictOf(broken(404)), { kind: 'failed', reason });
      assert.equal(verdictOf(broken(503)).kind, 'retry');
      const policy = { retryStatuses: ['404'] };
      assert.equal(judge([broken(404)], policy, UNBOUNDED, ENDED, 0).kind, 'retry');
      assert.equal(judge([broken(503)], policy, UNBOUNDED, ENDED, 0).kind, 'failed');
    });
  }

  for (const part of ['headers', 'trailers']) {
    test(`a 2xx with more than 16 KiB of ${part} leads to no second request`, () => {
      const error = `a.example:80 answered with more than 16 KiB of ${part}.`;
      const attempt: Attempt = { ...answered(200), outcome: 'connectionError', error };
      const reason = 'It was not tried again: the target had answered 200.';
      assert.deepEqual(verdictOf(attempt), { kind: 'failed', reason });
      assert.equal(verdictOf({ ...attempt, responseStatus: 503 }).kind, 'retry');
    });
  }
});

describe('how long a retry waits', () => {
  test('5 s, 30 s, 2 min, then doubling', () => {
    const seconds = [5, 30, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360];
    assert.deepEqual(
      seconds.map((_, retry) => retryDelayMs(retry, 0)),
      seconds.map(delay => delay * SECOND),
    );
  });

  test('jitter only lengthens, by up to 20 %', () => {
    const retry = fc.integer({ min: 0, max: 9 });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(retry, random, (retry, random) => {
        const base = retryDelayMs(retry, 0);
        const delay = retryDelayMs(retry, random);
        assert.ok(Number.isInteger(delay) && delay >= base && delay <= base * 1.2);
      }),
    );
    assert.equal(retryDelayMs(0, 0.999_999), 6 * SECOND);
    assert.equal(retryDelayMs(0, 0.5), 5_500);
  });

  test('it counts from the end of the attempt', () => {
    assert.deepEqual(verdictOf(answered(500)), { kind: 'retry', at: ENDED + 5 * SECOND });
    const second = verdictOf(answered(500), answered(500));
    assert.deepEqual(second, { kind: 'retry', at: ENDED + 30 * SECOND });
  });

  test('lost attempts do not count: the delays and the retries go on as if they had not been', () => {
    const third = verdictOf(ended('lost'), answered(500), ended('lost'), answered(500));
    assert.deepEqual(third, { kind: 'retry', at: ENDED + 30 * SECOND });
  });
});

describe('how often a run is tried again', () => {
  const attempts = (count: number) => Array.from({ length: count }, () => answered(503));

  test('three times where the policy says nothing', () => {
    assert.equal(verdictOf(...attempts(3)).kind, 'retry');
    assert.deepEqual(verdictOf(...attempts(4)), { kind: 'failed' });
  });

  for (let maxRetries = 0; maxRetries <= 10; maxRetries += 1) {
    test(`maxRetries ${maxRetries}: ${maxRetries + 1} attempts at most`, () => {
      const judged = (count: number) =>
        judge(attempts(count), { maxRetries }, UNBOUNDED, ENDED, 0.9).kind;
      for (let count = 1; count <= maxRetries; count += 1) assert.equal(judged(count), 'retry');
      assert.equal(judged(maxRetries + 1), 'failed');
    });
  }

  test('no number of lost attempts uses up the retries', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.integer({ min: 1, max: 10 }), (lost, maxRetries) => {
        const cutOff = Array.from({ length: lost }, () => ended('lost'));
        const judged = (count: number) =>
          judge([...cutOff, ...attempts(count)], { maxRetries }, UNBOUNDED, ENDED, 0).kind;
        assert.equal(judged(maxRetries), 'retry');
        assert.equal(judged(maxRetries + 1), 'failed');
      }),
    );
  });
});

describe('Retry-After (RFC 9110 10.2.3)', () => {
  const waitMs = (value: string, random = 0) => {
    const verdict = judge([answered(429, value)], undefined, UNBOUNDED, ENDED, random);
    assert.equal(verdict.kind, 'retry');
    return verdict.kind === 'retry' ? verdict.at - ENDED : Number.NaN;
  };
  const table: [string, number, string][] = [
    ['60', 60, 'seconds'],
    [' 60 ', 60, 'blanks around it do not matter'],
    ['6', 6, 'the later of it and the normal delay counts'],
    ['4', 5, 'the later of it and the normal delay counts'],
    ['0', 5, 'never sooner than the normal delay'],
    ['86400', 86_400, '24 h'],
    ['86401', 86_400, '24 h at most'],
    ['99999999999999999999', 86_400, '24 h at most'],
    ['Mon, 01 Jun 2026 12:01:00 GMT', 60, 'a date'],
    ['Monday, 01-Jun-26 12:01:00 GMT', 60, 'a date in the form of RFC 850'],
    ['Mon Jun  1 12:01:00 2026', 60, 'a date in the form of asctime, which is GMT'],
    ['Mon, 01 Jun 2026 11:59:00 GMT', 5, 'a date that has passed'],
    ['Fri, 01 Jun 2096 12:00:00 GMT', 86_400, 'a date, 24 h at most'],
    ['', 5, 'nothing'],
    ['soon', 5, 'garbage'],
    ['-60', 5, 'garbage'],
    ['60.5', 5, 'garbage'],
    ['1e3', 5, 'garbage'],
    ['60s', 5, 'garbage'],
    ['60, 120', 5, 'two values'],
    ['try again in 2099', 5, 'garbage that Date.parse takes for a date'],
    ['2099', 2_099, 'seconds, not a year'],
    ['2099-01-01', 5, 'a date in another form'],
    ['Mon, 99 Jun 2026 12:01:00 GMT', 5, 'a date that does not exist'],
  ];
  for (const [value, seconds, why] of table) {
    test(`"${value}" waits ${seconds} s: ${why}`, () =>
      assert.equal(waitMs(value), seconds * SECOND));
  }

  test('it lengthens a delay that jitter has lengthened, and never shortens it', () => {
    assert.equal(waitMs('5', 0.5), 5_500);
    assert.equal(waitMs('6', 0.5), 6_000);
  });

  test('whatever it says, the wait is between the normal delay and 24 h', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map(String)), value => {
        const wait = waitMs(value);
        assert.ok(wait >= 5 * SECOND && wait <= DAY);
      }),
    );
  });

  test('it counts on any status that is retried, and on no other', () => {
    const at = ENDED + 60 * SECOND;
    assert.deepEqual(verdictOf(answered(503, '60')), { kind: 'retry', at });
    assert.deepEqual(verdictOf(answered(404, '60')), { kind: 'failed' });
    assert.deepEqual(verdictOf(answered(301, '60')), { kind: 'failed' });
  });

  test('it counts where the rest of the answer did not come', () => {
    const at = ENDED + 60 * SECOND;
    for (const outcome of ['timeout', 'connectionError'] as const) {
      assert.deepEqual(verdictOf({ ...answered(429, '60'), outcome }), { kind: 'retry', at });
      assert.deepEqual(verdictOf({ ...answered(200, '60'), outcome }), { kind: 'retry', at });
    }
  });
});

describe('retries end when the next time comes', () => {
  const judged = (nextFor: number, retryAfter?: string) =>
    judge([answered(500, retryAfter)], undefined, { ...UNBOUNDED, nextFor }, ENDED, 0);

  test('a retry before the next time is made', () => {
    const at = ENDED + 5 * SECOND;
    assert.deepEqual(judged(at + 1), { kind: 'retry', at });
  });

  test('one that would come with it or after it is not, and the reason says so', () => {
    const reason =
      "It was not tried again: the next attempt would have been at 2026-06-01T12:00:05.000Z, and the schedule's next time is 2026-06-01T12:00:05.000Z.";
    assert.deepEqual(judged(ENDED + 5 * SECOND), { kind: 'failed', reason });
    assert.equal(judged(ENDED + 1).kind, 'failed');
    assert.equal(judged(ENDED - 1).kind, 'failed');
  });

  test('Retry-After beyond the next time ends the retries', () => {
    const verdict = judged(ENDED + 60 * SECOND, '3600');
    assert.equal(verdict.kind, 'failed');
  });
});

describe('why an answer is not a success, in one sentence', () => {
  test('2xx: nothing to say', () => {
    assert.equal(responseFault(200, {}), undefined);
    assert.equal(responseFault(299, undefined), undefined);
  });

  test('3xx names where it pointed', () => {
    assert.equal(
      responseFault(302, { location: 'https://elsewhere.example/x' }),
      'The target answered 302, a redirect to https://elsewhere.example/x, and redirects are not followed.',
    );
    assert.equal(
      responseFault(303, {}),
      'The target answered 303, a redirect, and redirects are not followed.',
    );
  });

  test('304 is no redirect', () => {
    const sentence = 'The target answered 304: nothing has changed there.';
    assert.equal(responseFault(304, { location: '/x' }), sentence);
    assert.equal(responseFault(304, {}, ['304']), undefined);
  });

  test('a location of any length is cut', () => {
    assert.ok(responseFault(301, { location: 'x'.repeat(100_000) })!.length < 600);
  });

  test('anything else names the status', () => {
    assert.equal(responseFault(404, undefined), 'The target answered 404.');
    assert.equal(responseFault(500, {}), 'The target answered 500.');
    const sentence = 'The target answered 600, a status that HTTP does not have.';
    assert.equal(responseFault(600, {}), sentence);
  });
});

test('a 401 that dropped a token is retried once in a run, within the limits of all retries', () => {
  const dropped: Attempt = { ...answered(401), tokenDropped: true };
  assert.equal(verdictOf(dropped).kind, 'retry');
  assert.equal(verdictOf(dropped, dropped).kind, 'failed');
  assert.equal(verdictOf(dropped, answered(503), dropped).kind, 'failed');
  assert.equal(verdictOf(answered(503), dropped).kind, 'retry');
  assert.equal(verdictOf(dropped, answered(401)).kind, 'failed');
  for (const policy of [{ maxRetries: 0 }, { retryForSeconds: 1 }]) {
    assert.equal(judge([dropped], policy, UNBOUNDED, ENDED, 0).kind, 'failed');
  }
  assert.equal(judge([dropped], { retryStatuses: [] }, UNBOUNDED, ENDED, 0).kind, 'retry');
});
