import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { LOOKED_AT } from '../../../src/store/search-index.ts';
import {
  aCallback,
  aClient,
  anId,
  aRecord,
  aSchedule,
  changed,
  claimOne,
  MINUTE,
  NOON,
  outboxSettlementOf,
  settled,
  stored,
  triggered,
} from './backend.ts';

/** Calls all that the contract has, in one life of a few schedules: each statement is sent once. */
export async function callEverything(store: Store): Promise<void> {
  const caller = await aClient(store);
  const { clientRowId } = caller;
  // So many that a search looks through texts too.
  for (let made = 0; made < LOOKED_AT; made += 1_000) {
    const batch = Array.from({ length: 1_000 }, () => ({
      schedule: aSchedule(),
      start: { first: NOON + MINUTE, second: null },
    }));
    await store.schedules.insert(clientRowId, batch);
  }
  const schedule = await stored(store, caller);
  const claim = await claimOne(store);
  const rotation = { signingSecret: 'whsec_x', rotatedAt: NOON, replacesNew: false };
  await store.clients.rotateSecret(caller.clientId, { ...rotation, oldUntil: NOON + MINUTE });
  await store.clients.endOverlap(caller.clientId);
  await store.clients.forgetOldSecrets(NOON);
  await callAccess(store, caller);
  await store.queue.confirm([claim]);
  await store.queue.claim(NOON, 10, NOON, 0, [clientRowId]);
  await store.queue.renew([claim]);
  await store.queue.recover(NOON);
  await store.queue.nextDueAt();
  await store.queue.depth(NOON);
  await store.cluster?.looked(NOON, 5_000);
  const run = aRecord(schedule.id, NOON);
  const callbacks = Array.from({ length: 2_000 }, () =>
    aCallback(anId(), { dueAt: NOON + MINUTE }),
  );
  const missed = { ...aRecord(schedule.id, NOON + 1), finishedAt: undefined!, decidedAt: NOON };
  const records = [run, { ...missed, status: 'missed' as const }];
  await settled(store, claim, null, { records, callbacks });
  const id = await triggered(store, caller, schedule);
  const [manual] = await store.outbox.claim(NOON, 10);
  await store.outbox.renew([id]);
  await store.outbox.recover(NOON);
  await store.outbox.nextDueAt();
  await store.outbox.depth();
  await store.outbox.settle([outboxSettlementOf(manual!, 'succeeded')]);
  await changed(store, caller, schedule, { label: 'x' }, NOON, { first: NOON, second: null });
  await changed(store, caller, schedule, { status: 'deleted' }, NOON, null);
  await store.queue.reread([claim.scheduleRowId]);
  await store.schedules.list(clientRowId, {}, 10);
  await store.schedules.list(clientRowId, { status: 'disabled' }, 10);
  await store.schedules.list(clientRowId, { label: 'nowhere' }, 10);
  await store.schedules.list(clientRowId, { label: 'nowhere', status: 'enabled' }, 10);
  await store.schedules.findAt(clientRowId, schedule.id, NOON);
  await store.runs.find(clientRowId, id);
  await store.runs.callbacks(clientRowId, id);
  for (const status of [undefined, 'succeeded', 'failed', 'missed'] as const) {
    await store.runs.list(clientRowId, status === undefined ? {} : { status }, 10);
  }
  await store.runs.list(clientRowId, { scheduleId: schedule.id }, 10);
  await store.stats.counts(clientRowId);
  await store.stats.allCounts();
  await store.size();
  await store.stats.groups(clientRowId, 10);
  await store.stats.ended(clientRowId, NOON, NOON + MINUTE);
  await store.stats.history(
    clientRowId,
    schedule.id,
    { from: NOON, to: NOON + MINUTE, stepMs: 1_000 },
    10,
  );
  await store.stats.failures(clientRowId, NOON, 10);
  await store.stats.upcoming(clientRowId, NOON, 2_000);
  await store.stats.endedSince(clientRowId, NOON, 10);
  await store.stats.changedSince(clientRowId, NOON, 10);
  const host = { origin: 'https://x', since: NOON, openedAt: NOON };
  await store.breakers.note([{ id: anId(), clientRowId, ...host }], NOON + MINUTE);
  await store.stats.openBreakers(clientRowId, NOON, 10);
  await store.stats.breakersSince(clientRowId, NOON, 10);
  await store.breakers.closeForgotten(NOON, NOON + MINUTE);
  await store.dataKeys.list();
  await store.installation.pausedSince();
  await store.installation.pause(NOON);
  await store.installation.resume(NOON);
  await store.installation.notePause({ since: NOON, until: NOON });
  await store.installation.pauses();
}

async function callAccess({ keys, sessions }: Store, { clientId, keyId }: Caller): Promise<void> {
  const made = { id: anId(), clientId, hash: anId(), createdAt: NOON, createdBy: keyId };
  await keys.insertKey(made);
  await keys.findKey(made.id);
  const session = { id: anId(), hash: anId(), keyId: made.id, createdAt: NOON, lastUsedAt: NOON };
  await sessions.insertSession(session);
  await sessions.findSession(session.hash);
  await sessions.noteSessionUse(session.hash, NOON + MINUTE);
  await sessions.listSessions(clientId, 10);
  await sessions.endSessions(clientId, session.id);
  await keys.revokeKey(clientId, made.id, { revokedAt: NOON, withDescendants: true });
}
