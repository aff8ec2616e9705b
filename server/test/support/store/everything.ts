import { runId } from '../../../src/domain/id.ts';
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
  waiting,
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
  await callTagged(store, caller);
  await callChangedBehind(store, caller);
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
  await store.queue.awaitedManuals([claim.scheduleRowId]);
  await store.queue.unblock([claim.scheduleRowId]);
  await store.queue.forgetSkipped([claim]);
  await store.queue.recover(NOON);
  await store.queue.nextDueAt();
  await store.queue.depth(NOON);
  await store.cluster?.looked(NOON, 5_000);
  await store.cluster?.engineLives();
  await store.cluster?.engineStopped();
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
  await store.schedules.statesBetween(clientRowId, schedule.id, NOON, NOON, 10);
  await store.versions.list(clientRowId, schedule.id, 10, 10);
  await store.versions.at(clientRowId, schedule.id, NOON);
  await store.runs.find(clientRowId, id);
  await store.runs.callbacks(clientRowId, id);
  const { scheduleRowId } = claim;
  await store.runs.previous([{ clientRowId, scheduleRowId, before: NOON, isSuccessAsked: true }]);
  for (const status of [undefined, 'succeeded', 'failed', 'missed'] as const) {
    await store.runs.list(clientRowId, status === undefined ? {} : { status }, 10);
  }
  await store.runs.list(clientRowId, { scheduleId: schedule.id }, 10);
  await store.stats.counts(clientRowId);
  await store.stats.allCounts();
  await store.size();
  await store.stats.groups(clientRowId, 10);
  await store.stats.ended(clientRowId, NOON, NOON + MINUTE);
  const minute = { from: NOON, to: NOON + MINUTE, stepMs: 1_000 };
  await store.stats.history(clientRowId, [schedule.id], minute, 10);
  await store.stats.missed(clientRowId, schedule.id, NOON, NOON + MINUTE, 10);
  await store.stats.failed(clientRowId, NOON, NOON + MINUTE, 10);
  await store.stats.recovered(clientRowId, [{ scheduleId: schedule.id, lastFor: NOON }]);
  await store.schedules.names(clientRowId, [schedule.id]);
  await store.stats.failures(clientRowId, NOON, 10);
  await store.stats.upcoming(clientRowId, NOON, 2_000);
  await store.stats.endedSince(clientRowId, NOON, 10);
  await store.stats.changedSince(clientRowId, NOON, 10);
  const host = { origin: 'https://x', since: NOON, openedAt: NOON };
  await store.breakers.note([{ id: anId(), clientRowId, ...host }], NOON + MINUTE);
  const ids = [schedule.id];
  await store.health.recent(clientRowId, ids, 30);
  await store.health.queued(clientRowId, ids, NOON);
  const hour = { scheduleId: schedule.id, from: NOON, to: NOON + 60 * MINUTE };
  await store.health.hours(clientRowId, [hour], 10);
  await store.health.failing(clientRowId, { ...hour, records: 10 }, 10);
  await store.health.slowest(clientRowId, { ...hour, records: 10 }, 10);
  await store.health.tags(clientRowId, 10, 10);
  await store.stats.openBreakers(clientRowId, NOON, 10);
  await store.stats.breakersSince(clientRowId, NOON, 10);
  await store.breakers.closeForgotten(NOON, NOON + MINUTE);
  await store.dataKeys.list();
  await store.installation.pausedSince();
  await store.installation.pause(NOON);
  await store.installation.resume(NOON);
  await store.installation.notePause({ since: NOON, until: NOON });
  await store.installation.pauses();
  await store.installation.beginKeeping(NOON);
  await store.installation.lastLoss();
  await callCalendars(store, clientRowId);
  await callDestinations(store, caller);
  await callCompletions(store, schedule.id, caller);
}

async function callCompletions(
  { completions }: Store,
  scheduleId: string,
  { clientId }: Caller,
): Promise<void> {
  const attempt = { runId: runId(scheduleId, NOON), attempt: 1 };
  await completions.say({ ...attempt, scheduleId, clientId }, {}, NOON);
  await completions.of([attempt]);
  await completions.clientOf({ ...attempt, scheduleId, clientId });
  await completions.awaiting();
  await completions.prune(NOON);
}

async function callDestinations({ destinations }: Store, caller: Caller): Promise<void> {
  const named = { clientRowId: caller.clientRowId, name: 'billing' };
  const change = () => ({ config: { hosts: ['a.example'] }, secrets: 'x', version: anId() });
  const first = change();
  await destinations.put(caller, named.name, null, first, NOON);
  await destinations.put(caller, named.name, first.version, change(), NOON);
  await destinations.find(caller.clientRowId, named.name);
  await destinations.findAll(caller.clientRowId, [named.name]);
  await destinations.findSecret(caller, named.name);
  await destinations.list(caller.clientRowId, 10);
  await destinations.usedBy(caller.clientRowId, [named.name]);
  await destinations.present([named]);
  await destinations.namedBy(caller.clientRowId, named.name, Number.MAX_SAFE_INTEGER, 10);
  await destinations.secrets(null, 10);
  await destinations.replaceSecrets(named, 'x', 'y');
  await destinations.delete(caller.clientRowId, named.name);
}

async function callCalendars({ calendars, zoneRules }: Store, clientRowId: number): Promise<void> {
  const source = { kind: 'url', url: 'https://a.example/x.ics', ics: 'BEGIN' } as const;
  const version = () => ({ version: anId(), name: 'de', periods: [], source });
  const first = version();
  await calendars.put(clientRowId, first, NOON, NOON);
  const second = version();
  await calendars.put(clientRowId, second, NOON, NOON);
  await calendars.find(clientRowId, 'de');
  await calendars.findSourced(clientRowId, 'de');
  await calendars.list(clientRowId, 10);
  await calendars.usedBy(clientRowId, ['de', 'fr']);
  await calendars.present(clientRowId, ['de', 'fr']);
  await calendars.versions([first.version, second.version]);
  await calendars.nextDueAt();
  await calendars.takeDue(NOON, 10, NOON + MINUTE);
  const end = (result: Parameters<typeof calendars.refreshed>[3]) =>
    calendars.refreshed(clientRowId, 'de', second.version, result, NOON, NOON);
  await end({ unchanged: true });
  await end({ fault: 'It hangs.' });
  await end({ version: version() });
  await calendars.stale();
  await calendars.requestRecount(clientRowId, ['de']);
  const recount = (await calendars.nextRecount())!;
  await calendars.namedBy(clientRowId, 'de', recount.before, 10);
  await calendars.recounted(recount, null);
  await calendars.prune(NOON + 1);
  await calendars.delete(clientRowId, 'de', NOON);
  await zoneRules.put([{ zone: 'UTC', release: '2026a', changes: [] }]);
  await zoneRules.list();
  await zoneRules.zonesInUse();
  await zoneRules.enabledIn('UTC', 0, 10);
}

/** Marks, external ids, calls that may be sent again, and the end of a schedule. */
async function callTagged(store: Store, caller: Caller): Promise<void> {
  const { clientRowId } = caller;
  const tags = { team: 'billing' };
  for (let made = 0; made <= LOOKED_AT; made += 1_000) {
    const batch = Array.from({ length: 1_000 }, () => ({
      schedule: aSchedule({ tags, status: 'disabled' }),
      start: null,
    }));
    await store.schedules.insert(clientRowId, batch);
  }
  const call = { key: anId(), fingerprint: 'x', at: NOON };
  const last = aSchedule({ externalId: anId(), tags: { ...tags, rare: '' } });
  await store.schedules.insert(
    clientRowId,
    [{ schedule: last, start: { first: NOON, second: null } }],
    call,
  );
  await store.idempotency.find(clientRowId, call.key, NOON);
  await store.idempotency.prune(NOON - 1);
  await store.schedules.findByExternalId(clientRowId, last.externalId!);
  await store.schedules.findAll(clientRowId, [last.id]);
  await store.schedules.list(clientRowId, { tags: ['rare'] }, 10);
  await store.schedules.list(clientRowId, { tags: ['team'] }, 10);
  await store.schedules.list(clientRowId, { tags: ['team'], status: 'disabled' }, 10);
  await store.runs.listTagged(clientRowId, { tags: ['rare'] }, 10);
  await store.runs.listTagged(clientRowId, { tags: ['team'] }, 10);
  const run = { id: anId(), scheduledFor: NOON };
  const again = { ...call, key: anId() };
  await store.outbox.insertManual(clientRowId, last.id, run, again);
  const [manual] = await store.outbox.claim(NOON, 10);
  await store.outbox.settle([outboxSettlementOf(manual!, 'succeeded')]);
  const further = { id: anId(), dueAt: NOON, at: NOON };
  const { scheduleRowId } = manual!;
  await settled(store, await claimOne(store), waiting(NOON, null), { again: further });
  await store.runs.failuresInRow([{ clientRowId, scheduleRowId, from: 0, most: 3 }]);
  const [target] = await store.outbox.claim(NOON, 10);
  await store.outbox.settle([outboxSettlementOf(target!, 'succeeded', { again: further })]);
  await settled(store, await claimOne(store), null, {
    change: { at: NOON, status: 'deleted', statusReason: 'completed' },
  });
}

/** A change comes behind a time that came while a run was going. */
async function callChangedBehind(store: Store, caller: Caller): Promise<void> {
  const schedule = await stored(store, caller);
  const claim = await claimOne(store);
  await changed(store, caller, schedule, { status: 'disabled' }, NOON + MINUTE, null);
  await settled(store, { ...claim, changedAt: NOON + MINUTE }, null);
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
