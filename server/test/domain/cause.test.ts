import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errors } from 'undici';
import { CAUSES, type CausedRun, causeOf, isMissedBy } from '../../src/domain/run/cause.ts';
import type { Attempt } from '../../src/domain/run/run.ts';
import { causesBetween, spansOf } from '../../src/domain/run/unseen.ts';
import { responseFault } from '../../src/domain/run/verdict.ts';
import {
  faultSentence,
  lookupSentence,
  type Stage,
  TOO_LARGE_TRAILERS,
} from '../../src/outbound/fault.ts';

/** What failed, by its last attempt. */
function failed(last: Partial<Attempt>, ...before: Partial<Attempt>[]): CausedRun {
  const attempts = [...before, last].map((attempt, index) => ({
    number: index + 1,
    startedAt: 0,
    outcome: 'response' as const,
    ...attempt,
  }));
  return { status: 'failed', attempts };
}

const coded = (code: string) => Object.assign(new Error(code), { code });
const fault = (error: unknown, stage: Stage = 'connecting', at = 'db.example:5432') =>
  causeOf(failed({ outcome: 'connectionError', error: faultSentence(error, stage, at) })).cause;

test('each sentence about a network fault has its class', () => {
  const classes: [string, string[]][] = [
    ['connectionRefused', ['ECONNREFUSED']],
    ['dns', ['ENOTFOUND', 'ENODATA', 'EAI_AGAIN']],
    ['unreachable', ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']],
    [
      'tls',
      [
        'CERT_HAS_EXPIRED',
        'CERT_NOT_YET_VALID',
        'CERT_REVOKED',
        'ERR_TLS_CERT_ALTNAME_INVALID',
        'DEPTH_ZERO_SELF_SIGNED_CERT',
        'SELF_SIGNED_CERT_IN_CHAIN',
        'ERR_SSL_WRONG_VERSION_NUMBER',
        'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
        'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
        'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
      ],
    ],
    ['brokenOff', ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']],
    [
      'protocol',
      [
        'UND_ERR_HEADERS_OVERFLOW',
        TOO_LARGE_TRAILERS,
        'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
      ],
    ],
    ['connection', ['EMFILE', 'ESOMETHING']],
  ];
  for (const [cause, codes] of classes) {
    for (const code of codes) assert.equal(fault(coded(code)), cause, code);
  }
  assert.equal(fault(new errors.HTTPParserError('x (Invalid header)')), 'protocol');
  assert.equal(fault(coded('ESTRANGE'), 'resolving'), 'dns');
  assert.equal(fault(coded('ESTRANGE'), 'handshaking'), 'tls');
  assert.equal(fault(coded('ECONNRESET'), 'reading'), 'brokenOff');
  const lookup = failed({ outcome: 'connectionError', error: lookupSentence('x.example', 5_000) });
  assert.equal(causeOf(lookup).cause, 'dns');
});

test('a host of any name does not change the class', () => {
  for (const host of ['tls.example', 'token.example', 'certificate.reached.example:8443']) {
    assert.equal(fault(coded('ECONNREFUSED'), 'connecting', host), 'connectionRefused', host);
    assert.equal(fault(coded('ECONNRESET'), 'waiting', host), 'brokenOff', host);
  }
});

test('an answer is a status, or a condition that it does not meet', () => {
  const answered = (responseStatus: number) =>
    causeOf(failed({ responseStatus, error: responseFault(responseStatus, undefined)! }));
  assert.deepEqual(answered(503), { cause: 'status', statusCode: 503 });
  assert.deepEqual(answered(302), { cause: 'status', statusCode: 302 });
  const unmet = failed({ responseStatus: 200, error: 'The body does not contain "ok".' });
  assert.deepEqual(causeOf(unmet), { cause: 'condition' });
});

test('a target that said later that it failed, or said nothing, is told apart', () => {
  const completion = { until: 9 };
  const later = { responseStatus: 202, error: 'The target said later that it failed.', completion };
  assert.equal(causeOf(failed(later)).cause, 'completionFailed');
  assert.equal(causeOf(failed({ ...later, outcome: 'timeout' })).cause, 'completionLate');
});

test('a request that a breaker refused has the cause of the last one that was sent', () => {
  const refused = { outcome: 'connectionError', refused: true, error: 'Not sent.' } as const;
  const before = { outcome: 'timeout', error: 'The time limit passed.' } as const;
  assert.equal(causeOf(failed(refused, before)).cause, 'timeout');
  assert.equal(causeOf(failed(refused)).cause, 'breakerOpen');
});

test('what Punctual did not send, and what it did not see, is its own', () => {
  assert.equal(causeOf(failed({ outcome: 'lost' })).cause, 'lost');
  const blocked = (error: string) => causeOf(failed({ outcome: 'blocked', error })).cause;
  assert.equal(blocked('10.0.0.1 is a private address.'), 'blocked');
  assert.equal(blocked('The destination "x" is not there any more.'), 'identity');
  const unsent = failed({
    outcome: 'connectionError',
    error: 'The token endpoint gave no token: the connection to a.example was refused.',
  });
  assert.equal(causeOf(unsent).cause, 'identity');
  const why = (pauses: { since: number; until: number }[], until: number) =>
    causesBetween({ until, spans: spansOf(pauses) }, 10, 20).map(
      ({ why }) =>
        causeOf({ status: 'missed', attempts: [], reason: `It passed while ${why}.` }).cause,
    );
  assert.deepEqual(why([], 30), ['notRunning']);
  assert.deepEqual(why([], 0), ['tooBusy']);
  assert.deepEqual(why([{ since: 0, until: 20 }], 30), ['paused']);
});

test('no cause is of both: runs that failed, and times that were missed', () => {
  const missed = CAUSES.filter(isMissedBy);
  assert.deepEqual(missed, ['notRunning', 'paused', 'tooBusy', 'clockSetBack']);
});
