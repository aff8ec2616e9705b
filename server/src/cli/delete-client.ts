import { setTimeout as sleep } from 'node:timers/promises';
import { draftDeletion } from '../domain/schedule/draft.ts';
import type { Client } from '../store/contract/clients.ts';
import type { Store } from '../store/contract/store.ts';

/** For how long a node takes a key that was revoked, at most (api/access/authenticate.ts). */
const KEYS_ARE_KNOWN_MS = 3_000;
/** Schedules of one round: their commits are shared. */
const SCHEDULES_AT_ONCE = 100;

type Now = () => Promise<number>;

/**
 * Nothing of it starts before its schedules are gone. One that was cut off is finished by the next.
 *
 * @param nowOf the time of the store
 * @returns how many schedules were deleted
 */
export async function deleteClient(store: Store, client: Client, nowOf: Now): Promise<number> {
  const clientRowId = await store.clients.delete(client.id, await nowOf());
  let count = await deleteSchedules(store, clientRowId!, nowOf);
  // Nodes know the keys of a client a little longer: what was made with one meanwhile goes as well. A command before this one
  // may have been cut off.
  const { deletedAt = Number.POSITIVE_INFINITY } = client;
  if ((await nowOf()) < deletedAt + KEYS_ARE_KNOWN_MS) {
    await sleep(KEYS_ARE_KNOWN_MS);
    count += await deleteSchedules(store, clientRowId!, nowOf);
  }
  return count;
}

async function deleteSchedules(store: Store, clientRowId: number, nowOf: Now): Promise<number> {
  let count = 0;
  for (;;) {
    const { schedules } = await store.schedules.list(clientRowId, {}, SCHEDULES_AT_ONCE);
    if (schedules.length === 0) return count;
    await Promise.all(schedules.map(({ id }) => deleteSchedule(store, clientRowId, id, nowOf)));
    count += schedules.length;
  }
}

async function deleteSchedule(
  store: Store,
  clientRowId: number,
  id: string,
  nowOf: Now,
): Promise<void> {
  // Its client cannot change it any more: only a change that was under way comes in between.
  for (;;) {
    const { schedule, version } = (await store.schedules.find(clientRowId, id))!;
    const changedAt = await nowOf();
    const deleted = draftDeletion(schedule, changedAt);
    if (deleted === null) return;
    const requeue = { changedAt, start: null };
    if (await store.schedules.update(clientRowId, deleted, version, requeue, BY_COMMAND)) return;
  }
}

const BY_COMMAND = { kind: 'cli' } as const;
