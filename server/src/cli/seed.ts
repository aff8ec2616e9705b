import { afterAttempt } from '../domain/run/after-attempt.ts';
import { type QueueRow, waitingRow } from '../domain/run/queue-row.ts';
import type { Attempt, RunRecord } from '../domain/run/run.ts';
import { startOf } from '../domain/run/start.ts';
import { judge, responseFault } from '../domain/run/verdict.ts';
import type { ScheduleBody } from '../domain/schedule/body.ts';
import { draftNew, draftPatch } from '../domain/schedule/draft.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { AllowTargets } from '../domain/schedule/target.ts';
import { timeoutSentence } from '../outbound/fault.ts';
import { SAMPLE_TARGETS } from '../sample-targets.ts';
import type { Store } from '../store/contract/store.ts';

/** `punctual dev --seed`: a schedule for each sample target, with a day of history. */

const HISTORY_MS = 86_400_000;

type Name = keyof typeof SAMPLE_TARGETS;
type Sample = Pick<ScheduleBody, 'label' | 'interval' | 'policy'>;

const SAMPLES: Record<Name, Sample> = {
  healthy: { label: 'Sample: healthy', interval: '*/10 * * * * *' },
  flaky: { label: 'Sample: flaky', interval: '0 * * * * *', policy: { maxRetries: 2 } },
  // Every other time comes while a request still hangs, and is skipped. A time that passed unseen is missed.
  hanging: {
    label: 'Sample: hanging',
    interval: '*/30 * * * * *',
    policy: { timeoutSeconds: 35, maxRetries: 0, catchUpSeconds: 0 },
  },
};

interface SeedPlace {
  store: Store;
  clientRowId: number;
  /** The address of the service, such as `http://127.0.0.1:8080`. */
  origin: string;
  allow: AllowTargets;
  now: number;
}

/**
 * Makes the samples that the client does not have, by the path of their urls. One that it has stays, and calls `origin`
 * from now on if nobody has renamed it. Called before the engine starts.
 */
export async function seed(place: SeedPlace): Promise<void> {
  for (const name of Object.keys(SAMPLES) as Name[]) {
    const url = `${place.origin}/sample/${name}`;
    const found = await findByPath(place, `/sample/${name}`);
    if (found === null) await make(place, name, url);
    else if (found.label === SAMPLES[name].label) await follow(place, found, url);
  }
}

async function findByPath(
  { store, clientRowId }: SeedPlace,
  path: string,
): Promise<Schedule | null> {
  let before: string | undefined;
  for (;;) {
    const found = await store.schedules.list(clientRowId, { url: path }, 1, before);
    if (found.schedules.length > 0) return found.schedules[0]!;
    if (found.next === null) return null;
    before = found.next;
  }
}

async function follow(
  { store, clientRowId, allow, now }: SeedPlace,
  { id, url: before }: Schedule,
  url: string,
): Promise<void> {
  if (before === url) return;
  const { schedule, version } = (await store.schedules.find(clientRowId, id))!;
  const moved = draftPatch({ url }, schedule, now, allow);
  await store.schedules.update(clientRowId, moved, version, 'keep');
}

/**
 * The history comes with a settlement, as all history does, so the schedule's row is claimed first. It is due at the
 * epoch: no other row is due by then, and the claim takes this one alone.
 */
async function make(
  { store, clientRowId, allow, now }: SeedPlace,
  name: Name,
  url: string,
): Promise<void> {
  const body: ScheduleBody = { ...SAMPLES[name], url, verb: 'GET', timezone: 'UTC' };
  const schedule = draftNew(body, now - HISTORY_MS, allow);
  await store.schedules.insert(clientRowId, [{ schedule, start: { first: 0, second: null } }]);
  const { claims } = await store.queue.claim(0, 1, 0);
  const { scheduledFor, attempt, fence: number, changedAt, scheduleRowId } = claims[0]!;
  const fence = { scheduledFor, attempt, number, changedAt };
  const history = historyOf(schedule, name, now);
  await store.queue.settle([{ scheduleRowId, clientRowId, fence, ...history, callbacks: [] }]);
}

/** The runs of a sample since it was made, decided as the engine decides, and the row that follows from them. */
export function historyOf(
  schedule: Schedule,
  name: Name,
  now: number,
): { records: RunRecord[]; row: QueueRow | null } {
  const seen = { until: schedule.createdAt, spans: [] };
  const records: RunRecord[] = [];
  let row = waitingRow(schedule, startOf(schedule, schedule.createdAt)!.first);
  while (row !== null) {
    const attempt = attemptOf(schedule, name, row);
    const endedAt = attempt.startedAt + attempt.durationMs!;
    if (endedAt > now) break;
    const attempts = [...row.attempts, attempt];
    const verdict = judge(attempts, schedule.policy, row, endedAt, JITTER);
    const tried: QueueRow = { ...row, attempt: attempt.number, attempts };
    const move = afterAttempt(tried, schedule, verdict, endedAt, seen);
    records.push(...move.passed.map(record => ({ ...record, decidedAt: endedAt })));
    if (move.ended) records.push(move.ended);
    row = move.row;
  }
  return { records, row };
}

/** In the middle of what is possible. */
const JITTER = 0.5;

function attemptOf({ url, policy }: Schedule, name: Name, row: QueueRow): Attempt {
  const number = row.attempt + 1;
  const spread = spreadOf(row.dueAt);
  const startedAt = row.dueAt + 1 + Math.floor(4 * spread ** 3);
  const answer = SAMPLE_TARGETS[name](row.scheduledFor, number);
  if (answer === null) {
    const durationMs = policy!.timeoutSeconds! * 1_000;
    const error = timeoutSentence('waiting', new URL(url).host, durationMs);
    return { number, startedAt, durationMs, outcome: 'timeout', error, phases: {} };
  }
  const durationMs = 2 + Math.floor(8 * spread ** 2);
  const responseHeaders = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(answer.body)),
    date: new Date(startedAt).toUTCString(),
  };
  const error = responseFault(answer.status, responseHeaders);
  return {
    number,
    startedAt,
    durationMs,
    outcome: 'response',
    responseStatus: answer.status,
    ...(error !== undefined && { error }),
    phases: { firstByteMs: durationMs - 1 },
    responseHeaders,
    responseBody: answer.body,
  };
}

/** From 0 to below 1, different from time to time, and the same for the same time. */
function spreadOf(dueAt: number): number {
  return (Math.imul(dueAt / 1_000, 0x9e3779b1) >>> 0) / 2 ** 32;
}
