import type { Arrival } from '../evidence.ts';
import { asleepAt } from './cuts.ts';
import type { Tell } from './rule.ts';
import { nameOf } from './times.ts';
import { iso, type RunSeen, type ScheduleView, type View } from './view.ts';

/**
 * What the target saw against what was recorded, in both directions.
 *
 * @returns how many requests were sent again because of a crash
 */
export function checkArrivals(view: View, tell: Tell): number {
  const known = new Set(view.schedules.map(({ seen }) => seen.id));
  const seenAttempts = new Map(view.arrivals.map(arrival => [keyOf(arrival), arrival]));
  for (const arrival of view.arrivals) {
    if (!known.has(arrival.scheduleId)) {
      tell('notDue', `A request of schedule ${arrival.scheduleId} came, which is none.`);
    } else checkArrival(arrival, view, tell);
  }
  for (const { runs, manual } of view.schedules) {
    for (const run of [...runs, ...manual]) checkAttempts(run, seenAttempts, view, tell);
  }
  checkIds(view, tell);
  for (const schedule of view.schedules) {
    checkOverlap(schedule, view, tell);
    checkFences(schedule, tell);
  }
  return view.schedules.reduce((sum, schedule) => sum + checkRepeats(schedule, view, tell), 0);
}

function checkArrival(arrival: Arrival, view: View, tell: Tell): void {
  const { byId, until, slackMs } = view;
  const { scheduleId, scheduledFor, webhookId, attempt, status } = arrival;
  const at = arrival.senderAt ?? arrival.at;
  const name = `The request of ${nameOf(scheduleId, scheduledFor)}, attempt ${attempt},`;
  // A node that goes by the store's clock may be ahead by so much, and set its own back by it while the request is on its way.
  const setBackMs = arrival.at + view.apartMs < scheduledFor ? 0 : view.apartMs;
  if (at + setBackMs < scheduledFor) tell('early', `${name} came at ${iso(at)}.`);
  if (scheduledFor > until) return;
  const run = byId.get(webhookId);
  const isSame = run?.scheduleId === scheduleId && run.at === scheduledFor;
  const recorded = isSame ? run.attempts.find(({ number }) => number === attempt) : undefined;
  if (!isSame || !recorded) {
    const what = isSame
      ? `the run is ${run.status} and has no such attempt`
      : 'there is no such run';
    // One that stands for many is found by the first of them only.
    tell('arrivalUnrecorded', `${name} came under ${webhookId}, and ${what}.`);
    return;
  }
  if (recorded.isRefused) {
    tell('answerDiffers', `${name} came, and history says that it was not sent.`);
  } else if (recorded.outcome === 'response' && recorded.responseStatus !== status) {
    const said = status === null ? 'did not answer' : `answered ${status}`;
    tell('answerDiffers', `${name}: the target ${said}, history says ${recorded.responseStatus}.`);
  }
  const { startedAt, durationMs = Infinity } = recorded;
  // The clock of a node that was behind is put right.
  const aheadMs = view.isShared ? view.behindMs(startedAt, at) : slackMs;
  // How long it took is told in whole ms, and the clock has jumped where the machine was suspended before the answer was read.
  const asleep = asleepAt(at, view.suspensions);
  const roundedMs = asleep.length > 0 ? 1 : 0;
  const endedBy = startedAt + durationMs + aheadMs + roundedMs;
  const isAsleep = asleep.some(({ from }) => endedBy > from);
  if (at < startedAt - slackMs || (at > endedBy && !isAsleep)) {
    tell('answerDiffers', `${name} came at ${iso(at)}, and history has it at ${iso(startedAt)}.`);
  }
}

function checkAttempts(run: RunSeen, seen: Map<string, Arrival>, view: View, tell: Tell): void {
  if (run.at > view.until) return;
  for (const { number, outcome } of run.attempts) {
    if (outcome !== 'response' || seen.has(`${run.id}/${number}`)) continue;
    const name = nameOf(run.scheduleId, run.at);
    tell('attemptUnseen', `${name}: attempt ${number} was answered, and the target never saw it.`);
  }
}

function checkIds({ arrivals, byId }: View, tell: Tell): void {
  // A manual run's nominal time is the instant of its trigger, which may be one of the interval too.
  const firings = arrivals.filter(
    ({ webhookId }) => (byId.get(webhookId)?.trigger ?? 'schedule') === 'schedule',
  );
  for (const [name, same] of Map.groupBy(firings, a => nameOf(a.scheduleId, a.scheduledFor))) {
    const ids = new Set(same.map(({ webhookId }) => webhookId));
    if (ids.size > 1) tell('secondId', `${name} came under ${[...ids].join(' and ')}.`);
  }
  for (const [id, same] of Map.groupBy(arrivals, ({ webhookId }) => webhookId)) {
    const times = new Set(same.map(a => nameOf(a.scheduleId, a.scheduledFor)));
    if (times.size > 1)
      tell('sharedId', `The webhook-id ${id} came for ${[...times].join(' and ')}.`);
  }
}

/** @returns how many requests of the schedule were sent again because of a crash */
function checkRepeats({ seen, arrivals }: ScheduleView, view: View, tell: Tell): number {
  let duplicates = 0;
  // Two manual runs may be asked for within one ms.
  const runOf = ({ webhookId, scheduledFor }: Arrival) =>
    (view.byId.get(webhookId)?.trigger ?? 'schedule') === 'schedule' ? scheduledFor : webhookId;
  const runs = Map.groupBy(arrivals, runOf);
  for (const same of runs.values()) {
    for (const [index, { attempt, at, scheduledFor, webhookId }] of same.entries()) {
      const before = same[index - 1];
      if (!before || scheduledFor > view.until) continue;
      const name = `${nameOf(seen.id, scheduledFor)}, attempt ${attempt},`;
      if (before.attempt === attempt) tell('sentTwice', `${name} came twice.`);
      const run = view.byId.get(webhookId);
      const last = run?.attempts.find(({ number }) => number === before.attempt);
      if (last && last.outcome !== 'lost') continue;
      if (view.killedWithin(before.at, at, seen.id)) duplicates++;
      else tell('duplicateWithoutCrash', `${name} came again without a crash in between.`);
    }
  }
  return duplicates;
}

function checkOverlap({ seen, arrivals }: ScheduleView, view: View, tell: Tell): void {
  for (const [index, { at }] of arrivals.entries()) {
    const before = arrivals[index - 1];
    if (!before || before.endedAt <= at || view.killedWithin(before.at, at, seen.id)) continue;
    tell(
      'overlap',
      `Schedule ${seen.id} had two requests in flight at ${iso(at)}: the one before ended at ` +
        `${iso(before.endedAt)}.`,
    );
  }
}

function checkFences({ seen, arrivals }: ScheduleView, tell: Tell): void {
  let highest = 0;
  for (const { fence, at } of arrivals) {
    if (fence === undefined) continue;
    if (fence > highest) highest = fence;
    else
      tell(
        'fence',
        `A request of schedule ${seen.id} at ${iso(at)} has ${fence}, after ${highest}.`,
      );
  }
}

function keyOf({ webhookId, attempt }: Arrival): string {
  return `${webhookId}/${attempt}`;
}
