import type { CallbackArrival, ScheduleSeen } from '../evidence.ts';
import type { Tell } from './rule.ts';
import { nameOf } from './times.ts';
import type { CallbackSeen, RunSeen, View } from './view.ts';

/** The callbacks that runs owed, against those in history and those that the receiver saw. */
export function checkCallbacks(view: View, tell: Tell): void {
  const came = Map.groupBy(view.callbackArrivals, ({ webhookId }) => webhookId);
  for (const { seen, runs, manual } of view.schedules) {
    for (const run of [...runs, ...manual]) {
      if (run.at > view.until) continue;
      // The callbacks of a client that is deleted are dropped.
      const isDropped = view.haltsOf(seen.id).some(({ to }) => to === Infinity);
      checkRun(run, seen, came, isDropped ? exceptLost(tell) : tell);
      for (const callback of run.callbacks) checkLost(callback, seen.id, view, tell);
    }
  }
  for (const arrival of view.callbackArrivals) checkArrival(arrival, view, tell);
  checkIds(view, tell);
}

function exceptLost(tell: Tell): Tell {
  return (rule, sentence) => rule !== 'callbackLost' && tell(rule, sentence);
}

function checkRun(
  run: RunSeen,
  seen: ScheduleSeen,
  came: Map<string, CallbackArrival[]>,
  tell: Tell,
): void {
  const name = nameOf(run.scheduleId, run.at);
  const owed = seen.integrations
    .filter(({ callOnSuccess }) => owes(run, callOnSuccess))
    .map(({ id }) => id);
  for (const id of owed) {
    const own = run.callbacks.filter(({ integrationId }) => integrationId === id);
    if (own.length === 0) {
      tell('callbackLost', `${name} ${run.status}, and there is no callback of integration ${id}.`);
    } else if (own.length > 1) {
      tell('callbackUnexpected', `${name} has ${own.length} callbacks of integration ${id}.`);
    }
  }
  for (const callback of run.callbacks) {
    const { integrationId, status } = callback;
    if (!owed.includes(integrationId)) {
      tell('callbackUnexpected', `${name} ${run.status}, and called back ${integrationId}.`);
    }
    if (status !== 'succeeded' && status !== 'failed') {
      tell('callbackUnfinished', `The callback ${callback.id} of ${name} is still ${status}.`);
    } else if (!came.has(callback.id) && callback.attempts.at(-1)?.outcome !== 'blocked') {
      tell('callbackLost', `The callback ${callback.id} of ${name} ${status}, and never came.`);
    }
    checkAttempts(callback, came.get(callback.id) ?? [], name, tell);
  }
}

function checkLost({ id, attempts }: CallbackSeen, scheduleId: string, view: View, tell: Tell) {
  for (const [index, { number, startedAt, outcome }] of attempts.entries()) {
    const until = attempts[index + 1]?.startedAt ?? Number.POSITIVE_INFINITY;
    const from = startedAt - view.slackMs;
    if (outcome !== 'lost' || view.killedWithin(from, until, scheduleId)) continue;
    tell('lostWithoutCrash', `The callback ${id} lost attempt ${number} without a crash.`);
  }
}

function owes({ status }: RunSeen, callOnSuccess: boolean): boolean {
  return status === 'failed' || (status === 'succeeded' && callOnSuccess);
}

function checkAttempts(
  { id, attempts }: CallbackSeen,
  came: CallbackArrival[],
  name: string,
  tell: Tell,
): void {
  if (came.length === 0) return;
  for (const { number, outcome, responseStatus } of attempts) {
    const answered = came.filter(({ attempt, status }) => {
      return attempt === number && status === responseStatus;
    });
    if (outcome === 'response' && answered.length === 0) {
      tell(
        'callbackUnseen',
        `The callback ${id} of ${name}: attempt ${number} was answered ${responseStatus}, which ` +
          'the receiver never did.',
      );
    }
  }
}

function checkArrival(arrival: CallbackArrival, { byId, until }: View, tell: Tell): void {
  const { webhookId, runId, scheduledFor, integrationId, attempt, type } = arrival;
  if (scheduledFor > until) return;
  const run = byId.get(runId);
  const callback = run?.callbacks.find(({ id }) => id === webhookId);
  const isKnown =
    callback?.integrationId === integrationId && type === `schedule.run.${run?.status}`;
  const isRecorded = callback?.attempts.some(({ number }) => number === attempt);
  if (isKnown && isRecorded) return;
  tell(
    'callbackUnrecorded',
    `The callback ${webhookId} came as ${type} of run ${runId}, attempt ${attempt}, and history ` +
      'does not know it.',
  );
}

function checkIds({ callbackArrivals }: View, tell: Tell): void {
  const same = Map.groupBy(callbackArrivals, a => `${a.runId}, integration ${a.integrationId},`);
  for (const [name, arrivals] of same) {
    const attempts = new Set(arrivals.map(({ webhookId, attempt }) => `${webhookId} ${attempt}`));
    if (attempts.size < arrivals.length) {
      tell('sentTwice', `An attempt of the callback of run ${name} came twice.`);
    }
    const ids = new Set(arrivals.map(({ webhookId }) => webhookId));
    if (ids.size > 1) {
      tell('callbackSecondId', `The callback of run ${name} came under ${[...ids].join(' and ')}.`);
    }
  }
}
