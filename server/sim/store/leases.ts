import type { DatabaseSync } from 'node:sqlite';
import { SURE_MS } from '../../src/domain/run/queue-row.ts';
import { RECOVERED, type Row } from '../../src/store/columns.ts';
import type { ClientStore } from '../../src/store/contract/clients.ts';
import type { Cluster } from '../../src/store/contract/cluster.ts';
import type { CompletionStore } from '../../src/store/contract/completions.ts';
import type { OutboxStore, QueueStore, Settlement } from '../../src/store/contract/queue.ts';
import type { ScheduleChange, ScheduleStore } from '../../src/store/contract/schedules.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { restoredCells } from '../../src/store/rows/outbox.ts';
import { recovered } from '../../src/store/rows/queue.ts';
import { CUT_OFF_ENTRIES, RESTORE_ENTRY } from '../../src/store/sqlite/outbox.ts';
import type { Machine } from '../machine.ts';
import type { Hold } from '../model/evidence.ts';
import type { Notices } from './notices.ts';

/**
 * The embedded store as one that nodes share. Real: the tables, and all statements but the few below. Played, as the statements
 * of `store/postgres/` do it: whose claim a row in flight is and until when, what is refused to others, which rows are taken
 * back, and the coordination of the nodes. All of one call happens at one instant; locks that nodes wait for are not played.
 */
export class Leases {
  readonly leaseMs = 10_000;
  readonly queue: LeaseTable<number>;
  readonly outbox: LeaseTable<string>;
  readonly notices: Notices;
  /** The clock of the database: the machine's. */
  readonly now: () => number;
  readonly #database: DatabaseSync;
  readonly #held: HeldRow[] = [];
  readonly #seenAt = new Map<string, number>();
  /** As the row of `watch` has it. */
  #lookedAt = 0;
  #unseenUntil = 0;

  constructor(machine: Machine, database: DatabaseSync, notices: Notices) {
    this.now = () => machine.now;
    this.#database = database;
    this.notices = notices;
    this.queue = new LeaseTable(this.now, this.leaseMs, this.#held);
    this.outbox = new LeaseTable(this.now, this.leaseMs, this.#held);
  }

  /** All claims that nodes have had. */
  get holds(): Hold[] {
    const rows = this.#database.prepare('SELECT schedule_key, id FROM schedules').all();
    const ids = new Map(rows.map(({ schedule_key, id }) => [schedule_key, id as string]));
    return this.#held.map(({ scheduleKey, ...held }) => {
      return { ...held, scheduleId: ids.get(scheduleKey)! };
    });
  }

  /** @param store on the database, of this node alone */
  storeOf(store: Store, node: string): Store {
    const { queue, outbox, schedules, completions, clients } = store;
    return {
      ...store,
      queue: { ...queue, ...queueOf(queue, this.#database, this, node) },
      outbox: { ...outbox, ...outboxOf(outbox, this.#database, this, node) },
      schedules: { ...schedules, ...schedulesOf(schedules, this, node) },
      completions: { ...completions, ...completionsOf(completions, this, node) },
      clients: { ...clients, ...this.#clientsOf(clients, node) },
      cluster: this.#clusterOf(node),
    };
  }

  #clientsOf(clients: ClientStore, node: string): Pick<ClientStore, 'rotateSecret' | 'endOverlap'> {
    const keyOf = this.#database.prepare('SELECT client_key FROM clients WHERE id = ?');
    const told = (clientId: string, isChanged: boolean) => {
      if (isChanged) this.notices.rotated(node, keyOf.get(clientId)!.client_key as number);
      return isChanged;
    };
    return {
      rotateSecret: async (id, rotation) => told(id, await clients.rotateSecret(id, rotation)),
      endOverlap: async id => told(id, await clients.endOverlap(id)),
    };
  }

  #clusterOf(node: string): Cluster {
    return {
      leaseMs: this.leaseMs,
      now: async () => this.now(),
      warning: async () => null,
      hasOlderNodes: async () => false,
      looked: async (awakeSince, blindAfterMs) => {
        const now = this.now();
        const wasBlind = Math.min(awakeSince, now) - this.#lookedAt > blindAfterMs;
        this.#unseenUntil = Math.min(now, wasBlind ? awakeSince : this.#unseenUntil);
        this.#lookedAt = now;
        return this.#unseenUntil;
      },
      engineLives: async () => {
        this.#seenAt.set(node, this.now());
        const since = this.now() - 3 * this.leaseMs;
        return [...this.#seenAt.values()].filter(at => at >= since).length;
      },
      engineStopped: async () => {
        this.#seenAt.delete(node);
      },
      listen: listener => this.notices.listen(node, listener),
    };
  }
}

/** Whose the rows in flight are: `claimed_by` and `lease_until`. */
class LeaseTable<Key> {
  readonly #now: () => number;
  readonly #leaseMs: number;
  /** All that were ever held, in their order. */
  readonly #noted: HeldRow[];
  readonly #held = new Map<Key, HeldRow>();

  constructor(now: () => number, leaseMs: number, noted: HeldRow[]) {
    this.#now = now;
    this.#leaseMs = leaseMs;
    this.#noted = noted;
  }

  /** @param scheduleKey whose the row is */
  take(key: Key, node: string, scheduleKey: number): void {
    this.free(key);
    const now = this.#now();
    const held = { node, scheduleKey, from: now, renewedAt: now, to: Infinity, isTakenBack: false };
    this.#held.set(key, held);
    this.#noted.push(held);
  }

  renew(key: Key): void {
    this.#held.get(key)!.renewedAt = this.#now();
  }

  free(key: Key): void {
    const held = this.#held.get(key);
    if (held) held.to = this.#now();
    this.#held.delete(key);
  }

  takeBack(key: Key): void {
    const held = this.#held.get(key);
    if (held) held.isTakenBack = true;
    this.free(key);
  }

  /** Also where its lease has ended, and nobody has taken it back. */
  isOf(key: Key, node: string): boolean {
    return this.#held.get(key)?.node === node;
  }

  isOver(key: Key): boolean {
    const held = this.#held.get(key);
    return held === undefined || held.renewedAt + this.#leaseMs <= this.#now();
  }
}

interface HeldRow extends Omit<Hold, 'scheduleId'> {
  scheduleKey: number;
}

/** Others are told of what is due so soon, and find the rest by looking. */
const SOON_MS = 2_000;

function schedulesOf(
  schedules: ScheduleStore,
  { notices, now }: Leases,
  node: string,
): Pick<ScheduleStore, 'insert' | 'update' | 'updateAll'> {
  function announce({ schedule, requeue }: Pick<ScheduleChange, 'schedule' | 'requeue'>): void {
    const { id, createdAt, updatedAt = createdAt } = schedule;
    notices.changed(node, id, requeue === 'keep' ? updatedAt : requeue.changedAt);
  }
  return {
    async insert(clientRowId, created, call) {
      const isInserted = await schedules.insert(clientRowId, created, call);
      const dueAt = Math.min(...created.map(({ start }) => start?.first ?? Infinity));
      if (isInserted && dueAt <= now() + SOON_MS) notices.due(node, dueAt);
      return isInserted;
    },
    async update(clientRowId, schedule, version, requeue, changer) {
      const isChanged = await schedules.update(clientRowId, schedule, version, requeue, changer);
      if (isChanged) announce({ schedule, requeue });
      return isChanged;
    },
    async updateAll(clientRowId, changes, changer) {
      const isChanged = await schedules.updateAll(clientRowId, changes, changer);
      if (isChanged) changes.forEach(announce);
      return isChanged;
    },
  };
}

/** Any node takes the call of a target, and tells the others that the row is due. */
function completionsOf(
  completions: CompletionStore,
  { notices }: Leases,
  node: string,
): Pick<CompletionStore, 'say'> {
  return {
    async say(ticket, said, now) {
      const row = await completions.say(ticket, said, now);
      if (row?.isManual) notices.manual(node, ticket.scheduleId);
      else if (row !== null) notices.due(node, row.dueAt);
      return row;
    },
  };
}

type PlayedQueue = Pick<
  QueueStore,
  'claim' | 'settle' | 'reread' | 'confirm' | 'renew' | 'recover'
>;

function queueOf(
  queue: QueueStore,
  database: DatabaseSync,
  { queue: leases, notices }: Leases,
  node: string,
): PlayedQueue {
  const standing = database.prepare(`
    SELECT state, changed_at, version, id FROM queue JOIN schedules USING (schedule_key)
    WHERE schedule_key = ?`);
  const inFlight = database.prepare(`
    SELECT queue.*, policy FROM queue JOIN schedules USING (schedule_key)
    WHERE queue.state = 'inFlight'`);
  const restore = database.prepare(
    `UPDATE queue SET ${RECOVERED.assignments(() => '?')} WHERE schedule_key = ?`,
  );
  const isOurs = (key: number) => leases.isOf(key, node) && standing.get(key)?.state === 'inFlight';
  const isUnchanged = ({
    scheduleRowId: key,
    version,
  }: {
    scheduleRowId: number;
    version: number;
  }) => {
    const row = standing.get(key);
    return row?.changed_at === null && row.version === version;
  };

  function announce({ scheduleRowId, row, fence, change }: Settlement): void {
    // Claimed and not begun, as by a node that stops: the others can have it at once.
    if (row !== null && row.scheduledFor === fence.scheduledFor && row.attempt < fence.attempt)
      notices.due(node, row.dueAt);
    const id =
      change &&
      database.prepare('SELECT id FROM schedules WHERE schedule_key = ?').get(scheduleRowId);
    if (id) notices.changed(node, id.id as string, change.at);
  }

  return {
    async claim(...parameters) {
      const result = await queue.claim(...parameters);
      for (const { scheduleRowId } of result.claims)
        leases.take(scheduleRowId, node, scheduleRowId);
      return result;
    },
    async settle(settlements) {
      const ours = settlements.filter(({ scheduleRowId }) => isOurs(scheduleRowId));
      const others = settlements.filter(each => !ours.includes(each));
      const overtaken = ours.length === 0 ? [] : await queue.settle(ours);
      for (const settlement of ours) {
        const { scheduleRowId: key } = settlement;
        if (standing.get(key)?.state !== 'inFlight') leases.free(key);
        else if (!overtaken.includes(key)) leases.renew(key);
        if (!overtaken.includes(key)) announce(settlement);
      }
      return [...others.map(({ scheduleRowId }) => scheduleRowId), ...overtaken];
    },
    reread: keys => queue.reread(keys.filter(isOurs)),
    confirm: async claims =>
      claims
        .filter(claim => isOurs(claim.scheduleRowId) && isUnchanged(claim))
        .map(({ scheduleRowId }) => scheduleRowId),
    async renew(claims) {
      const ours = claims.filter(({ scheduleRowId }) => isOurs(scheduleRowId));
      for (const { scheduleRowId } of ours) leases.renew(scheduleRowId);
      return ours.filter(isUnchanged).map(({ scheduleRowId }) => scheduleRowId);
    },
    async recover(now, sentUntil) {
      const known = { sentUntil, shownUntil: await queue.latest(), sureMs: SURE_MS };
      const rows = (inFlight.all() as Row[]).filter(row =>
        leases.isOver(row.schedule_key as number),
      );
      for (const row of rows) {
        restore.run(...RECOVERED.cells(recovered(row, now, known)), row.schedule_key!);
        leases.takeBack(row.schedule_key as number);
      }
      return rows.length;
    },
  };
}

type PlayedOutbox = Pick<OutboxStore, 'insertManual' | 'claim' | 'settle' | 'renew' | 'recover'>;

function outboxOf(
  outbox: OutboxStore,
  database: DatabaseSync,
  { outbox: leases, notices }: Leases,
  node: string,
): PlayedOutbox {
  const standing = database.prepare(`
    SELECT state, kind = 'manual' AND EXISTS (
      SELECT 1 FROM schedules
      WHERE schedules.schedule_key = outbox.schedule_key AND status = 'deleted') AS is_deleted
    FROM outbox WHERE id = ?`);
  const inFlight = database.prepare(CUT_OFF_ENTRIES);
  const restore = database.prepare(RESTORE_ENTRY);
  const isOurs = (id: string) => leases.isOf(id, node) && standing.get(id)?.state === 'inFlight';

  return {
    async insertManual(clientRowId, scheduleId, run, call) {
      const became = await outbox.insertManual(clientRowId, scheduleId, run, call);
      if (became === 'inserted') notices.manual(node, scheduleId);
      return became;
    },
    async claim(now, limit) {
      const claims = await outbox.claim(now, limit);
      for (const { id, scheduleRowId } of claims) leases.take(id, node, scheduleRowId);
      return claims;
    },
    async settle(settlements) {
      const ours = settlements.filter(({ id }) => isOurs(id));
      const others = settlements.filter(each => !ours.includes(each)).map(({ id }) => id);
      const overtaken = ours.length === 0 ? [] : await outbox.settle(ours);
      for (const { id, change } of ours) {
        if (standing.get(id)?.state !== 'inFlight') leases.free(id);
        if (change && !overtaken.includes(id)) notices.changed(node, change.schedule.id, change.at);
      }
      return [...others, ...overtaken];
    },
    async renew(ids) {
      const ours = ids.filter(isOurs);
      for (const id of ours) leases.renew(id);
      return ours.filter(id => standing.get(id)!.is_deleted === 0);
    },
    async recover(now) {
      const rows = (inFlight.all() as Row[]).filter(({ id }) => leases.isOver(id as string));
      for (const row of rows) {
        restore.run(now, ...restoredCells(row, now));
        leases.takeBack(row.id as string);
      }
      return rows.length;
    },
  };
}
