import type { Evidence } from '../../sim/model/evidence.ts';
import type { Rule } from '../../sim/model/rules/rule.ts';
import {
  arrivalOf,
  at,
  callbackOf,
  drop,
  idOf,
  iso,
  passed,
  plannedOf,
  runOf,
  Synthetic,
} from './synthetic.ts';

/** Each world whose evidence was tampered with: what was done to it, the rules that must be named, and no others. */
export type TamperedEvidence = [what: string, rules: Rule[], tamper: (world: Evidence) => void];

export const TAMPERED: TamperedEvidence[] = [
  [
    'a schedule whose create was answered is gone',
    ['gone'],
    w => Object.assign(w.schedules[0]!, { listed: false }),
  ],
  [
    'a create that was asked for again under its key makes another schedule',
    ['madeTwice'],
    w => {
      w.madeTwice.push('s1');
    },
  ],
  [
    'a caller is refused while the service is up',
    ['refused'],
    w => {
      w.refused.push('POST /v1/schedule: 500');
    },
  ],
  [
    'a row could not be decided about',
    ['undecided'],
    w => {
      w.setAside = ['mine: Nobody knows why'];
    },
  ],
  ['a nominal time has no record and no request', ['unrecorded'], w => drop(w, 'fast', 5)],
  ['a nominal time after the last start has no record', ['unrecorded'], w => drop(w, 'fast', 20)],
  [
    'a time before the creation is not due',
    ['notDue'],
    w => {
      const { callbacks, ...run } = runOf(w, 'slow', 4);
      w.runs.push({ ...run, id: 'another', scheduledFor: iso(1), attempts: [] });
    },
  ],
  [
    'a time has two records',
    ['recordedTwice'],
    w => {
      w.runs.push({ ...runOf(w, 'fast', 11), id: 'another' });
    },
  ],
  [
    'a record for many times counts them wrong',
    ['wrongCount'],
    w => {
      Object.assign(runOf(w, 'fast', 11), { missedCount: 2, from: iso(11), to: iso(11) });
    },
  ],
  [
    'a run is still going',
    ['unfinished'],
    w => {
      const run = runOf(w, 'slow', 20);
      run.status = 'running';
      delete run.finishedAt;
    },
  ],
  [
    'a request comes 1 ms early',
    ['early'],
    w => Object.assign(arrivalOf(w, 'slow', 6), { at: at(6) - 1 }),
  ],
  [
    'history has a start before its time',
    ['early'],
    w => Object.assign(runOf(w, 'late', 16), { startedAt: iso(15.9) }),
  ],
  [
    'a time is missed while the service was up',
    ['missedWhileUp'],
    w => passed(w, 'fast', 5, 'missed'),
  ],
  [
    'one schedule alone is late by more than an interval',
    ['missedWhileUp', 'late'],
    w => {
      passed(w, 'fast', 5, 'missed');
      Object.assign(runOf(w, 'fast', 6), { startedAt: iso(6.7), finishedAt: iso(6.71) });
      Object.assign(runOf(w, 'fast', 6).attempts[0]!, { startedAt: iso(6.7) });
      Object.assign(arrivalOf(w, 'fast', 6), { at: at(6.7) + 1, endedAt: at(6.71) - 1 });
    },
  ],
  [
    'a time is missed long after the start',
    ['missedWhileUp'],
    w => passed(w, 'fast', 15, 'missed'),
  ],
  [
    'the latest of the times that passed is missed',
    ['latestMissed'],
    w => passed(w, 'late', 11, 'missed'),
  ],
  [
    'nothing fires after the times that passed',
    ['latestMissed', 'unrecorded'],
    w => {
      passed(w, 'fast', 12, 'missed');
      for (let second = 13; second <= 20; second++) drop(w, 'fast', second);
    },
  ],
  [
    'a time is skipped while nothing was going on',
    ['skippedWithoutRun'],
    w => passed(w, 'fast', 5, 'skipped'),
  ],
  [
    'a time fires that passed longer ago than its policy allows',
    ['oldFired'],
    w => Object.assign(w.schedules[4]!, { policy: { catchUpSeconds: 0 } }),
  ],
  [
    'a time that came during a request fires behind it',
    ['notSkipped'],
    w => {
      const [run, arrival] = [runOf(w, 'slow', 18), arrivalOf(w, 'slow', 18)];
      const [id, scheduledFor] = [idOf('slow', 17), iso(17)];
      drop(w, 'slow', 17);
      const from = { startedAt: iso(17.6), finishedAt: iso(17.61) };
      const attempts = [{ ...run.attempts[0]!, startedAt: iso(17.6), durationMs: 10 }];
      w.runs.push({ ...run, ...from, id, scheduledFor, attempts });
      const came = { at: at(17.6) + 1, endedAt: at(17.61) - 1 };
      w.arrivals.push({ ...arrival, ...came, webhookId: id, scheduledFor: at(17) });
    },
  ],
  [
    'a time that was to wait for the end of a run is skipped',
    ['bufferLost'],
    w => Object.assign(w.schedules[1]!, { policy: { overlap: 'bufferOne' } }),
  ],
  [
    'a retry starts when its policy has no more time for it',
    ['retryUnasked'],
    w => Object.assign(w.schedules[3]!, { policy: { retryForSeconds: 5 } }),
  ],
  [
    'a request is refused although its host answers',
    ['breakerShut', 'answerDiffers', 'verdictWrong'],
    w => {
      w.schedules[1]!.origin = 'https://slow.example';
      const error = 'It was not sent: the breaker of https://slow.example is open.';
      const attempt = { number: 1, startedAt: iso(18), durationMs: 0 };
      const attempts = [{ ...attempt, outcome: 'connectionError' as const, error }];
      Object.assign(runOf(w, 'slow', 18), { attempts });
    },
  ],
  [
    'a host that is down is called each second',
    ['breakerOpen'],
    w => {
      const world = new Synthetic();
      Object.assign(world, { evidence: w });
      world.schedule('away', '* * * * * *');
      w.schedules.at(-1)!.origin = 'https://away.example';
      Object.assign(w.schedules.at(-1)!, { createdAt: at(12.7) });
      for (let second = 13; second <= 36; second++) {
        const run = world.fired('away', second, [second, 1, 500]);
        Object.assign(run.attempts[0]!, { outcome: 'connectionError', responseStatus: undefined });
        w.arrivals.pop();
      }
    },
  ],
  [
    'attempts are numbered 1 and 3',
    ['attemptNumbers'],
    w => {
      runOf(w, 'flaky', 10).attempts[1]!.number = 3;
      arrivalOf(w, 'flaky', 10, 2).attempt = 3;
    },
  ],
  [
    'an attempt is lost without a crash',
    ['lostWithoutCrash'],
    w => {
      const run = runOf(w, 'flaky', 20);
      run.attempts[0] = { number: 1, startedAt: iso(20), outcome: 'lost' };
      w.arrivals.splice(w.arrivals.indexOf(arrivalOf(w, 'flaky', 20)), 1);
    },
  ],
  [
    'a run that was cut off is not sent again',
    ['lostForGood'],
    w => {
      const run = runOf(w, 'slow', 10);
      run.status = 'failed';
      run.attempts.pop();
      w.arrivals.splice(w.arrivals.indexOf(arrivalOf(w, 'slow', 10, 2)), 1);
    },
  ],
  [
    'a retry does not come, though there was time for it after the start',
    ['retryLost'],
    w => {
      const run = runOf(w, 'flaky', 10);
      run.status = 'failed';
      run.attempts.pop();
      w.arrivals.splice(w.arrivals.indexOf(arrivalOf(w, 'flaky', 10, 2)), 1);
    },
  ],
  [
    'a request starts late although nothing was in its way',
    ['late'],
    w => {
      const run = runOf(w, 'late', 16);
      Object.assign(run, { startedAt: iso(17.6), finishedAt: iso(17.61) });
      run.attempts[0]!.startedAt = iso(17.6);
      Object.assign(arrivalOf(w, 'late', 16), { at: at(17.6) + 1, endedAt: at(17.61) - 1 });
    },
  ],
  [
    'a retry starts before its delay has passed',
    ['retryEarly'],
    w => {
      runOf(w, 'flaky', 20).attempts[1]!.startedAt = iso(22);
      Object.assign(arrivalOf(w, 'flaky', 20, 2), { at: at(22) + 1, endedAt: at(22.01) - 1 });
    },
  ],
  [
    'a retry starts before the instant that its target asked for',
    ['retryEarly'],
    w => Object.assign(arrivalOf(w, 'flaky', 20), { retryAt: at(27) }),
  ],
  [
    'a 404 is tried again',
    ['retryUnasked'],
    w => {
      runOf(w, 'flaky', 20).attempts[0]!.responseStatus = 404;
      arrivalOf(w, 'flaky', 20).status = 404;
    },
  ],
  [
    'a run fails whose last attempt succeeded',
    ['verdictWrong'],
    w => Object.assign(runOf(w, 'slow', 16), { status: 'failed' }),
  ],
  [
    'an attempt of a callback comes twice',
    ['sentTwice'],
    w => {
      w.callbackArrivals.push({ ...callbackOf(w, 'failing', 10) });
    },
  ],
  [
    'a callback that was cut off is not sent again',
    ['lostForGood'],
    w => {
      const [callback] = runOf(w, 'failing', 10).callbacks!;
      callback!.status = 'failed';
      callback!.attempts = [{ number: 1, startedAt: iso(10.02), outcome: 'lost' }];
    },
  ],
  [
    'a manual run that was acknowledged is in no history',
    ['triggerLost'],
    w => {
      w.triggered.push('another');
    },
  ],
  [
    'the target saw a time that history calls missed',
    ['arrivalUnrecorded'],
    w => {
      w.arrivals.push({ ...arrivalOf(w, 'fast', 10), ...again(11, 12.2) });
    },
  ],
  [
    'the target saw an attempt that history does not have',
    ['arrivalUnrecorded', 'verdictWrong'],
    w => {
      runOf(w, 'slow', 10).attempts.pop();
    },
  ],
  [
    'the target saw a schedule that there is not',
    ['notDue'],
    w => {
      w.arrivals.push({ ...arrivalOf(w, 'fast', 10), scheduleId: 'nobody', webhookId: 'nobody' });
    },
  ],
  [
    'history has an answer that the target never gave',
    ['attemptUnseen'],
    w => {
      w.arrivals.splice(w.arrivals.indexOf(arrivalOf(w, 'fast', 10)), 1);
    },
  ],
  [
    'history has another answer than the target gave',
    ['answerDiffers'],
    w => Object.assign(arrivalOf(w, 'fast', 10), { status: 500 }),
  ],
  [
    'history has another instant than the target',
    ['answerDiffers', 'late'],
    w => {
      runOf(w, 'slow', 16).attempts[0]!.startedAt = iso(18);
    },
  ],
  [
    'a duplicate comes under a second id',
    ['secondId', 'arrivalUnrecorded', 'verdictWrong'],
    w => {
      arrivalOf(w, 'slow', 10, 2).webhookId = 'another';
      runOf(w, 'slow', 10).attempts.pop();
      runOf(w, 'slow', 10).attempts[0]!.outcome = 'lost';
    },
  ],
  [
    'two times come under one id',
    ['sharedId', 'arrivalUnrecorded', 'attemptUnseen'],
    w => {
      arrivalOf(w, 'fast', 6).webhookId = idOf('fast', 5);
    },
  ],
  [
    'an attempt is sent twice across the kill',
    ['sentTwice', 'verdictWrong'],
    w => {
      arrivalOf(w, 'slow', 10, 2).attempt = 1;
      runOf(w, 'slow', 10).attempts = [{ number: 1, startedAt: iso(10), outcome: 'lost' }];
    },
  ],
  [
    'an attempt is sent again without a crash',
    ['duplicateWithoutCrash', 'arrivalUnrecorded'],
    w => {
      const first = arrivalOf(w, 'fast', 16);
      w.arrivals.push({ ...first, attempt: 2, at: at(16.5), endedAt: at(16.51) });
      w.arrivals.push({ ...first, attempt: 3, at: at(16.6), endedAt: at(16.61) });
    },
  ],
  [
    'an attempt has the fence of the one before it',
    ['fence'],
    w => {
      arrivalOf(w, 'fast', 16).fence = at(16);
      arrivalOf(w, 'fast', 17).fence = at(16);
    },
  ],
  [
    'two requests of a schedule are in flight',
    ['overlap'],
    w => {
      arrivalOf(w, 'fast', 16).endedAt = at(17.2);
    },
  ],
  [
    'a callback is in no history',
    ['callbackLost', 'callbackUnrecorded'],
    w => {
      delete runOf(w, 'failing', 10).callbacks;
    },
  ],
  [
    'a callback that history has never came',
    ['callbackLost'],
    w => {
      w.callbackArrivals.splice(w.callbackArrivals.indexOf(callbackOf(w, 'failing', 10)), 1);
    },
  ],
  [
    'a callback is still running',
    ['callbackUnfinished'],
    w => {
      runOf(w, 'failing', 10).callbacks![0]!.status = 'running';
    },
  ],
  [
    'a run calls back that should not',
    ['callbackUnexpected'],
    w => {
      w.schedules[0]!.integrations[0]!.callOnSuccess = false;
    },
  ],
  [
    'a run calls back twice',
    ['callbackUnexpected', 'callbackSecondId'],
    w => {
      const { callbacks } = runOf(w, 'failing', 10);
      callbacks!.push({ ...callbacks![0]!, id: 'another' });
      w.callbackArrivals.push({ ...callbackOf(w, 'failing', 10), webhookId: 'another' });
    },
  ],
  [
    'history has an answer that the receiver never gave',
    ['callbackUnseen'],
    w => {
      callbackOf(w, 'failing', 10).status = null;
    },
  ],
  [
    'a callback of a run that succeeded says that it failed',
    ['callbackUnrecorded'],
    w => {
      callbackOf(w, 'fast', 10).type = 'schedule.run.failed';
    },
  ],
  ['a one-off is missed', ['unsent', 'latestMissed'], w => passed(w, 'once', 8, 'missed')],
  [
    'a schedule without a time to come is enabled',
    ['notCompleted'],
    w => Object.assign(plannedOf(w, 'once'), { status: 'enabled', version: 1, updatedAt: null }),
  ],
  [
    'a schedule with times to come has completed',
    ['completedEarly'],
    w => Object.assign(plannedOf(w, 'rate'), { status: 'disabled', updatedAt: at(18.1) }),
  ],
  [
    'a schedule completes while its last run goes on',
    ['completedEarly'],
    w => Object.assign(plannedOf(w, 'counted'), { updatedAt: at(10.005) }),
  ],
  [
    'a schedule completes twice',
    ['completedTwice'],
    w => Object.assign(plannedOf(w, 'counted'), { version: 3 }),
  ],
  [
    'a schedule that was to be deleted is disabled',
    ['completedOtherwise'],
    w => Object.assign(plannedOf(w, 'once'), { status: 'disabled' }),
  ],
  [
    'a completed schedule does not say why',
    ['completedOtherwise'],
    w => {
      delete plannedOf(w, 'counted').statusReason;
    },
  ],
  [
    'a completed schedule fires',
    ['firedCompleted', 'arrivalUnrecorded'],
    w => {
      const webhookId = idOf('counted', 15);
      const late = { webhookId, scheduledFor: at(15), at: at(15.01), endedAt: at(15.02) };
      w.arrivals.push({ ...arrivalOf(w, 'counted', 10), ...late });
    },
  ],
  [
    'a time that passed while the machine was suspended says that there was too much to do',
    ['causeWrong'],
    w => {
      w.suspensions = [{ from: at(10.8), to: at(11.2) }];
      Object.assign(runOf(w, 'fast', 11), { reason: 'It passed while Punctual was too busy.' });
    },
  ],
  [
    'a callback comes again under a second id',
    ['callbackSecondId', 'callbackUnrecorded'],
    w => {
      w.callbackArrivals.push({ ...callbackOf(w, 'failing', 10), webhookId: 'another' });
    },
  ],
];

function again(second: number, from: number) {
  return {
    webhookId: idOf('fast', second),
    scheduledFor: at(second),
    at: at(from),
    endedAt: at(from) + 9,
  };
}
