import type { Attempt, Run } from '@punctual/client';
import type { Evidence, Planned, ScheduleSeen } from '../../sim/model/evidence.ts';

/**
 * A small world in which everything went right, by hand: a service that was killed at 10.4 s and
 * listened again at 12.6 s. Seconds are counted from `START`.
 */

export const START = Date.parse('2026-03-01T12:00:00Z');
export const at = (second: number): number => START + Math.round(second * 1_000);
export const iso = (second: number): string => new Date(at(second)).toISOString();

/** One attempt: when it came, how long it took, and the answer; null: cut off by the kill. */
type Sent = [second: number, spanMs: number, status: number | null];

export class Synthetic {
  readonly evidence: Evidence = {
    schedules: [],
    lives: [
      { spawnedAt: at(0), readyAt: at(1), end: { how: 'killed', from: at(10.4), to: at(10.41) } },
      { spawnedAt: at(12), readyAt: at(12.6), end: null },
    ],
    stalls: [],
    arrivals: [],
    callbackArrivals: [],
    runs: [],
    triggered: [],
    refused: [],
    madeTwice: [],
    explained: [],
    until: at(20),
  };

  /** @param end when it has completed, where it has no time to come */
  planned(id: string, interval: string, plan: Partial<Planned> = {}, end?: number): void {
    this.schedule(id, interval);
    const afterCompletion = plan.afterCompletion ?? 'disable';
    const status = afterCompletion === 'delete' ? 'deleted' : 'disabled';
    this.evidence.schedules.at(-1)!.planned = {
      ...plan,
      afterCompletion,
      ...(end === undefined
        ? { status: 'enabled', version: 1, updatedAt: null }
        : { status, statusReason: 'completed', version: 2, updatedAt: at(end) }),
    };
  }

  schedule(id: string, interval: string, callOnSuccess?: boolean): void {
    const integrations =
      callOnSuccess === undefined ? [] : [{ id: `integration of ${id}`, callOnSuccess }];
    const seen: ScheduleSeen = {
      id,
      interval,
      timezone: 'UTC',
      createdAt: at(1.5),
      integrations,
      acknowledged: true,
      listed: true,
    };
    this.evidence.schedules.push(seen);
  }

  passed(scheduleId: string, second: number, status: 'missed' | 'skipped'): Run {
    const id = idOf(scheduleId, second);
    const run: Run = {
      id,
      scheduleId,
      scheduledFor: iso(second),
      trigger: 'schedule',
      status,
      attempts: [],
    };
    this.evidence.runs.push(run);
    return run;
  }

  /** A run, the requests that the target saw of it, and the callback that it caused. */
  fired(scheduleId: string, second: number, ...sent: Sent[]): Run {
    const run = this.passed(scheduleId, second, 'missed');
    const last = sent.at(-1)!;
    const isSuccess = last[2] === 200;
    run.status = isSuccess ? 'succeeded' : 'failed';
    run.startedAt = iso(sent[0]![0]);
    run.finishedAt = iso(last[0] + last[1] / 1_000);
    run.attempts = sent.map(([from, spanMs, status], index) => {
      this.evidence.arrivals.push({
        scheduleId,
        webhookId: run.id,
        scheduledFor: at(second),
        attempt: index + 1,
        at: at(from) + 1,
        endedAt: status === null ? at(10.41) : at(from) + spanMs - 1,
        status,
      });
      return attempt(index + 1, from, spanMs, status);
    });
    const { integrations } = this.evidence.schedules.find(({ id }) => id === scheduleId)!;
    const [integration] = integrations;
    if (integration && (!isSuccess || integration.callOnSuccess)) {
      this.#calledBack(run, integration.id, last[0] + last[1] / 1_000);
    }
    return run;
  }

  #calledBack(run: Run, integrationId: string, second: number): void {
    const id = `callback of ${run.id}`;
    run.callbacks = [
      {
        id,
        integrationId,
        url: 'http://127.0.0.1/callback',
        status: 'succeeded',
        attempts: [attempt(1, second, 5, 200)],
      },
    ];
    this.evidence.callbackArrivals.push({
      webhookId: id,
      attempt: 1,
      type: `schedule.run.${run.status}`,
      scheduleId: run.scheduleId,
      runId: run.id,
      scheduledFor: Date.parse(run.scheduledFor),
      integrationId,
      at: at(second) + 1,
      status: 200,
    });
  }
}

function attempt(number: number, from: number, durationMs: number, status: number | null): Attempt {
  const base = { number, startedAt: iso(from) };
  if (status === null) return { ...base, outcome: 'lost' };
  return { ...base, durationMs, outcome: 'response', responseStatus: status };
}

export function idOf(scheduleId: string, second: number): string {
  return `run ${second} of ${scheduleId}`;
}

/** Fast, slow, failing and flaky schedules through one kill, as a service that is right does it. */
export function cleanWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('fast', '* * * * * *', true);
  for (let second = 2; second <= 10; second++) world.fired('fast', second, [second, 10, 200]);
  world.passed('fast', 11, 'missed');
  world.fired('fast', 12, [12.3, 10, 200]);
  for (let second = 13; second <= 20; second++) world.fired('fast', second, [second, 10, 200]);

  world.schedule('slow', '* * * * * *');
  for (const second of [2, 4, 6, 8]) {
    world.fired('slow', second, [second, 1_600, 200]);
    world.passed('slow', second + 1, 'skipped');
  }
  world.fired('slow', 10, [10, 1_600, null], [12.3, 1_600, 200]);
  world.passed('slow', 11, 'missed');
  world.fired('slow', 12, [13.91, 1_600, 200]);
  for (const second of [13, 14, 15]) world.passed('slow', second, 'skipped');
  for (const second of [16, 18]) {
    world.fired('slow', second, [second, 1_600, 200]);
    world.passed('slow', second + 1, 'skipped');
  }
  world.fired('slow', 20, [20, 1_600, 200]);

  world.schedule('failing', '*/5 * * * * *', false);
  for (const second of [5, 10, 15, 20]) world.fired('failing', second, [second, 10, 500]);

  world.schedule('flaky', '*/10 * * * * *');
  for (const second of [10, 20]) {
    world.fired('flaky', second, [second, 10, 503], [second + 5.2, 10, 200]);
  }

  // Alone of its kind: of a schedule that fires each five seconds, the window has one time.
  world.schedule('late', '1-59/5 * * * * *');
  world.fired('late', 6, [6, 10, 200]);
  world.fired('late', 11, [12.3, 10, 200]);
  world.fired('late', 16, [16, 10, 200]);

  world.planned('once', 'at(2026-03-01T12:00:08Z)', { afterCompletion: 'delete' }, 8.02);
  world.fired('once', 8, [8, 10, 200]);
  world.planned('counted', '*/5 * * * * *', { maxRuns: 2 }, 10.02);
  for (const second of [5, 10]) world.fired('counted', second, [second, 10, 200]);
  world.planned('rate', 'rate(8 seconds)');
  for (const second of [10, 18]) world.fired('rate', second, [second, 10, 200]);

  const manual = world.fired('failing', 7.5, [7.5, 10, 500]);
  manual.trigger = 'manual';
  world.evidence.triggered.push(manual.id);
  return world.evidence;
}

export function plannedOf(world: Evidence, scheduleId: string): Planned {
  return world.schedules.find(({ id }) => id === scheduleId)!.planned!;
}

export function runOf(world: Evidence, scheduleId: string, second: number) {
  return world.runs.find(({ id }) => id === idOf(scheduleId, second))!;
}

export function arrivalOf(world: Evidence, scheduleId: string, second: number, attempt = 1) {
  const id = idOf(scheduleId, second);
  return world.arrivals.find(a => a.webhookId === id && a.attempt === attempt)!;
}

export function callbackOf(world: Evidence, scheduleId: string, second: number) {
  const id = idOf(scheduleId, second);
  return world.callbackArrivals.find(({ runId }) => runId === id)!;
}

/** As if the time had never been: no record, no request, no callback. */
export function drop(world: Evidence, scheduleId: string, second: number): void {
  const id = idOf(scheduleId, second);
  world.runs = world.runs.filter(run => run.id !== id);
  world.arrivals = world.arrivals.filter(({ webhookId }) => webhookId !== id);
  world.callbackArrivals = world.callbackArrivals.filter(({ runId }) => runId !== id);
}

/** As if the time had passed without a request. */
export function passed(
  world: Evidence,
  scheduleId: string,
  second: number,
  status: 'missed' | 'skipped',
): void {
  drop(world, scheduleId, second);
  const scheduledFor = iso(second);
  const id = idOf(scheduleId, second);
  world.runs.push({ id, scheduleId, scheduledFor, trigger: 'schedule', status, attempts: [] });
}

/** A manual run at 12 s, as the first run was. */
export function runByHand(w: Evidence): void {
  const [run] = w.runs;
  const [attempt] = run!.attempts;
  const id = 'by hand';
  w.runs.push({
    ...run!,
    ...{ id, trigger: 'manual', scheduledFor: iso(12), startedAt: iso(12) },
    ...{ finishedAt: iso(12.01), attempts: [{ ...attempt!, startedAt: iso(12) }] },
  });
  const [arrival] = w.arrivals;
  const times = { scheduledFor: at(12), at: at(12.001), endedAt: at(12.009) };
  w.arrivals.push({ ...arrival!, webhookId: id, ...times });
}
