import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import { lowestIdAt, runId } from '../../../src/domain/id.ts';
import type { QueueRow } from '../../../src/domain/run/queue-row.ts';
import type { Attempt, RunRecord } from '../../../src/domain/run/run.ts';
import type { Start } from '../../../src/domain/run/start.ts';
import { responseFault } from '../../../src/domain/run/verdict.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import { fenceOf } from '../../../src/engine/delivery/settlement.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type {
  Claim,
  ManualClaim,
  NewCallback,
  OutboxClaim,
  OutboxSettlement,
  Settlement,
} from '../../../src/store/contract/queue.ts';
import type { Store } from '../../../src/store/contract/store.ts';

/** What a backend's test file gives to the contract. */
export interface Backend {
  store: Store;
  /** Closes the store and opens it again on what it kept. @param level of the engine on it; this release's if left out */
  reopen(level?: number): Promise<Store>;
  /** Closes the store and takes away what it kept. */
  close(): Promise<void>;
}
export type OpenBackend = () => Promise<Backend>;

/** An empty backend for each test of the suite around this call. */
export function backendOfEachTest(open: OpenBackend): {
  readonly store: Store;
  reopen(level?: number): Promise<Store>;
} {
  let backend: Backend;
  let store: Store;
  beforeEach(async () => {
    backend = await open();
    store = backend.store;
  });
  afterEach(() => backend.close());
  return {
    get store() {
      return store;
    },
    async reopen(level) {
      store = await backend.reopen(level);
      return store;
    },
  };
}

/** A quiet noon; every instant of the contract is counted from it. */
export const NOON = Date.UTC(2026, 5, 1, 12);
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
/** Every time was seen to come. */
export const SEEN = 0;

/**
 * Does `work` for each of many, as many at once as a store has connections. If all came at once, the last would wait for
 * one for longer than they may on a busy machine.
 */
export async function sideBySide<One>(
  many: readonly One[],
  work: (one: One) => Promise<unknown>,
): Promise<void> {
  const left = many.values();
  const worker = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: 10 }, worker));
}

let ids = 0;
/** Ids of the contract ascend in the order they are asked for, and carry an instant. */
export function anId(at = NOON): string {
  ids += 1;
  return lowestIdAt(at).slice(0, -12) + ids.toString(16).padStart(12, '0');
}

export async function aClient(store: Store, name = 'client'): Promise<Caller> {
  const id = anId();
  const key = { id: anId(), clientId: id, hash: `hash of ${anId()}`, createdAt: NOON };
  await store.clients.insertClient({ id, name, signingSecret: `whsec_${name}`, createdAt: NOON });
  await store.keys.insertKey(key);
  return (await store.keys.findCaller(key.hash))!;
}

export function aSchedule(fields: Partial<Schedule> = {}): Schedule {
  return {
    id: anId(),
    status: 'enabled',
    url: 'https://target.example/hook',
    verb: 'POST',
    interval: '* * * * *',
    timezone: 'UTC',
    createdAt: NOON,
    label: '',
    ...fields,
  };
}

/** Stores a schedule that is first due at noon and then every minute, unless told otherwise. */
export async function stored(
  store: Store,
  { clientRowId }: Caller,
  fields: Partial<Schedule> = {},
  start: Start | null = { first: NOON, second: NOON + MINUTE },
): Promise<Schedule> {
  const schedule = aSchedule(fields);
  await store.schedules.insert(clientRowId, [{ schedule, start }]);
  return schedule;
}

/** Changes a stored schedule as the API does: reads it, and names the version that it has read. */
export async function changed(
  store: Store,
  { clientRowId }: Caller,
  { id }: Schedule,
  fields: Partial<Schedule>,
  changedAt: number,
  start: Start | null,
): Promise<void> {
  const { schedule, version } = (await store.schedules.find(clientRowId, id))!;
  const next = { ...schedule, ...fields, updatedAt: changedAt };
  assert.ok(await store.schedules.update(clientRowId, next, version, { changedAt, start }));
}

export async function claimOne(store: Store, now = NOON, unseenUntil = SEEN): Promise<Claim> {
  const { claims } = await store.queue.claim(now, 100, unseenUntil);
  assert.equal(claims.length, 1, 'one row is due');
  return claims[0]!;
}

export function waiting(scheduledFor: number, nextFor: number | null): QueueRow {
  const state = 'waiting';
  return { state, dueAt: scheduledFor, scheduledFor, nextFor, attempt: 0, attempts: [] };
}

export function anAttempt(number = 1, fields: Partial<Attempt> = {}): Attempt {
  const { responseStatus = 500 } = fields;
  const error = responseFault(responseStatus, undefined);
  return {
    number,
    startedAt: NOON + 5,
    durationMs: 20,
    outcome: 'response',
    responseStatus,
    ...(error !== undefined && { error }),
    ...fields,
  };
}

/** The row of a claim whose attempt failed and is tried again at `dueAt`. */
export function retrying(claim: Claim, dueAt: number): QueueRow {
  const { scheduledFor, nextFor, attempt, attempts } = claim;
  const known = [...attempts, anAttempt(attempt)];
  return { state: 'retrying', dueAt, scheduledFor, nextFor, attempt, attempts: known };
}

export function settlementOf(
  claim: Claim,
  row: QueueRow | null,
  fields: Partial<Settlement> = {},
): Settlement {
  const { scheduleRowId, clientRowId } = claim;
  const fence = fenceOf(claim);
  return { scheduleRowId, clientRowId, fence, records: [], callbacks: [], row, ...fields };
}

/** Settles one row, which must be the claimed one. */
export async function settled(
  store: Store,
  claim: Claim,
  row: QueueRow | null,
  fields: Partial<Settlement> = {},
): Promise<void> {
  assert.deepEqual(await store.queue.settle([settlementOf(claim, row, fields)]), []);
}

export function aRecord(
  scheduleId: string,
  scheduledFor: number,
  fields: Partial<RunRecord> = {},
): RunRecord {
  return {
    id: runId(scheduleId, scheduledFor),
    scheduledFor,
    trigger: 'schedule',
    status: 'succeeded',
    startedAt: scheduledFor + 5,
    finishedAt: scheduledFor + 25,
    attempts: [anAttempt(1, { responseStatus: 200 })],
    ...fields,
  };
}

export function aCallback(runId: string, fields: Partial<NewCallback> = {}): NewCallback {
  return {
    id: anId(),
    runId,
    integrationId: anId(),
    url: 'https://hooks.example/run',
    body: '{"type":"schedule.run.failed"}',
    dueAt: NOON,
    ...fields,
  };
}

/** A manual run of a schedule, put into the outbox at `at`. */
export async function triggered(
  store: Store,
  { clientRowId }: Caller,
  schedule: Schedule,
  at = NOON,
): Promise<string> {
  const id = anId(at);
  const run = { id, scheduledFor: at };
  assert.equal(await store.outbox.insertManual(clientRowId, schedule.id, run), 'inserted');
  return id;
}

export async function claimManual(store: Store, now = NOON): Promise<ManualClaim> {
  const claims = await store.outbox.claim(now, 100);
  assert.deepEqual(
    claims.map(({ kind }) => kind),
    ['manual'],
  );
  return claims[0] as ManualClaim;
}

export function outboxSettlementOf(
  claim: OutboxClaim,
  next: OutboxSettlement['next'],
  fields: Partial<OutboxSettlement> = {},
): OutboxSettlement {
  const { id, clientRowId, scheduleRowId, kind, attempt, claimedAt } = claim;
  const attempts = [...claim.attempts, anAttempt(attempt)];
  const base = { id, clientRowId, scheduleRowId, kind, attempt, claimedAt, attempts };
  return { ...base, callbacks: [], next, ...fields };
}
