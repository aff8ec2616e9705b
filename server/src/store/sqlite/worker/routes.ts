import type { Store } from '../../contract/store.ts';

/** The parts of the contract; what is left of it is the store itself. */
export type StorePart = Exclude<keyof Store, 'cluster' | 'check' | 'size' | 'pool' | 'close'>;

/**
 * The thread of a method:
 *
 * - `here`: the thread that calls, on a connection that cannot write. In WAL mode it sees every acknowledged
 *   write and waits for none.
 * - `writer`: the one thread that writes.
 * - `searches`, `counts`, `figures`: threads that read a million rows. There are several, so that a search
 *   does not wait for a count.
 * - `client`: client.ts says it by itself, because the call travels in another form, or chooses its thread.
 */
export type Route = 'here' | 'writer' | 'searches' | 'counts' | 'figures' | 'client';

/** The compiler asks for every method of the contract. One that writes and is not told so fails: `query_only`. */
export const ROUTES: {
  readonly [Part in StorePart]: { readonly [Method in keyof Store[Part]]: Route };
} = {
  clients: {
    insertClient: 'writer',
    listClients: 'here',
    findClient: 'here',
    rotateSecret: 'writer',
    endOverlap: 'writer',
    forgetOldSecrets: 'writer',
    rename: 'writer',
    suspend: 'writer',
    resume: 'writer',
    delete: 'writer',
    replaceSecret: 'writer',
  },
  keys: {
    insertKey: 'writer',
    listKeys: 'here',
    findKey: 'here',
    revokeKey: 'writer',
    findCaller: 'here',
  },
  sessions: {
    insertSession: 'writer',
    findSession: 'here',
    noteSessionUse: 'writer',
    listSessions: 'here',
    endSessions: 'writer',
  },
  schedules: {
    insert: 'client',
    find: 'here',
    update: 'writer',
    list: 'client',
    findAt: 'here',
  },
  runs: {
    list: 'here',
    find: 'here',
    callbacks: 'here',
    prune: 'writer',
  },
  queue: {
    claim: 'client',
    confirm: 'here',
    settle: 'client',
    reread: 'here',
    nextDueAt: 'here',
    depth: 'here',
    renew: 'here',
    recover: 'writer',
    latest: 'here',
    knownAfter: 'here',
    known: 'here',
    resend: 'writer',
    recount: 'writer',
    cutMissed: 'writer',
  },
  outbox: {
    insertManual: 'writer',
    claim: 'writer',
    settle: 'writer',
    nextDueAt: 'here',
    depth: 'here',
    renew: 'here',
    recover: 'writer',
    recount: 'writer',
  },
  stats: {
    counts: 'counts',
    allCounts: 'counts',
    groups: 'counts',
    ended: 'figures',
    history: 'figures',
    failures: 'figures',
    upcoming: 'figures',
    endedSince: 'figures',
    changedSince: 'figures',
    openBreakers: 'figures',
    breakersSince: 'figures',
  },
  breakers: {
    note: 'writer',
    closeForgotten: 'writer',
  },
  dataKeys: {
    list: 'here',
    insert: 'writer',
    rewrap: 'writer',
  },
  installation: {
    pausedSince: 'here',
    pause: 'writer',
    resume: 'writer',
    notePause: 'writer',
    pauses: 'here',
  },
  suspensions: {
    list: 'here',
    putOff: 'writer',
    putOffEntries: 'writer',
    readmit: 'writer',
  },
};
