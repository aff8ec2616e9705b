import type { Store } from '../../contract/store.ts';

/** The parts of the contract; what is left of it is the store itself. */
export type StorePart = Exclude<keyof Store, 'cluster' | 'check' | 'size' | 'pool' | 'close'>;

/**
 * The thread of a method:
 *
 * - `here`: the thread that calls, on a connection that cannot write. In WAL mode it sees every acknowledged
 *   write and waits for none.
 * - `writer`: the one thread that writes.
 * - `searches`, `totals`, `counts`, `figures`: threads that read a million rows. There are several, so that a page
 *   waits neither for a count nor for the ids of a ranking that is made anew behind an older answer.
 * - `client`: client.ts says it by itself, because the call travels in another form, or chooses its thread.
 */
export type Route = 'here' | 'writer' | 'searches' | 'totals' | 'counts' | 'figures' | 'client';

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
    findByExternalId: 'here',
    findAll: 'here',
    names: 'here',
    idsWithTag: 'searches',
    ids: 'totals',
    update: 'writer',
    updateAll: 'writer',
    list: 'client',
    findAt: 'here',
    statesBetween: 'here',
  },
  versions: {
    list: 'here',
    at: 'here',
  },
  runs: {
    list: 'here',
    listTagged: 'searches',
    find: 'here',
    previous: 'here',
    failuresInRow: 'here',
    callbacks: 'here',
    prune: 'writer',
  },
  queue: {
    claim: 'client',
    confirm: 'here',
    settle: 'client',
    awaitedManuals: 'here',
    unblock: 'writer',
    reread: 'here',
    nextDueAt: 'here',
    depth: 'here',
    renew: 'here',
    recover: 'writer',
    latest: 'here',
    nextKnown: 'here',
    known: 'here',
    resend: 'writer',
    recount: 'writer',
    rezone: 'writer',
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
  completions: {
    say: 'writer',
    of: 'here',
    clientOf: 'here',
    awaiting: 'here',
    recount: 'writer',
    prune: 'writer',
  },
  stats: {
    counts: 'counts',
    allCounts: 'counts',
    groups: 'counts',
    herd: 'counts',
    ended: 'figures',
    history: 'figures',
    missed: 'figures',
    failed: 'figures',
    recovered: 'figures',
    failures: 'figures',
    upcoming: 'figures',
    endedSince: 'figures',
    changedSince: 'figures',
    openBreakers: 'figures',
    breakersSince: 'figures',
  },
  health: {
    recent: 'searches',
    queued: 'here',
    hours: 'figures',
    failing: 'figures',
    slowest: 'figures',
    tags: 'counts',
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
    noteBelievedClock: 'writer',
    pauses: 'here',
    believedClock: 'here',
    beginKeeping: 'writer',
    lastLoss: 'here',
    findSecret: 'here',
    replaceSecret: 'writer',
  },
  suspensions: {
    list: 'here',
    putOff: 'writer',
    putOffEntries: 'writer',
    readmit: 'writer',
  },
  idempotency: {
    find: 'here',
    prune: 'writer',
  },
  calendars: {
    put: 'writer',
    find: 'here',
    findSourced: 'here',
    list: 'here',
    delete: 'writer',
    usedBy: 'here',
    present: 'here',
    versions: 'here',
    takeDue: 'writer',
    nextDueAt: 'here',
    refreshed: 'writer',
    nextRecount: 'here',
    namedBy: 'here',
    recounted: 'writer',
    requestRecount: 'writer',
    stale: 'here',
    prune: 'writer',
  },
  destinations: {
    put: 'writer',
    find: 'here',
    findAll: 'here',
    findSecret: 'here',
    list: 'here',
    delete: 'writer',
    usedBy: 'here',
    present: 'here',
    namedBy: 'here',
    secrets: 'here',
    replaceSecrets: 'writer',
  },
  zoneRules: {
    list: 'here',
    put: 'writer',
    zonesInUse: 'counts',
    enabledIn: 'counts',
    enabledOf: 'counts',
  },
};
