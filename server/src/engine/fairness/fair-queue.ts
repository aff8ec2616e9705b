import { JOB_KINDS, type JobKind } from '../observer.ts';
import { type LinkedItem, LinkedList } from './linked-list.ts';

/** The client that an item belongs to, and the origin that its request goes to. */
export interface ClientHost {
  clientRowId: number;
  origin: string;
}

export interface FairItem extends ClientHost {
  kind: JobKind;
  /** Items of one lane are first in, first out; the origin where it is left out. */
  lane?: string;
}

/**
 * Fair queue: kinds take turns, the clients of each kind, and the hosts of each client.
 *
 * So a client with thousands of items does not delay a client with one. A slow host does not delay the others, and a flood
 * of callbacks does not delay firings. Items of one kind, client and host are first in, first out. Those of a destination
 * with limits have a lane of their own beside their host's.
 */
export class FairQueue<Item extends FairItem & LinkedItem<Item>> {
  readonly #kinds: Record<JobKind, ClientTurns<Item>> = {
    schedule: new ClientTurns(),
    manual: new ClientTurns(),
    callback: new ClientTurns(),
  };
  /** The first is next, and then goes to the end. */
  readonly #turns: JobKind[] = [...JOB_KINDS];

  get size(): number {
    const { schedule, manual, callback } = this.#kinds;
    return schedule.size + manual.size + callback.size;
  }

  sizeOf(kind: JobKind): number {
    return this.#kinds[kind].size;
  }

  add(item: Item): void {
    this.#kinds[item.kind].add(item);
  }

  /** @returns whether it was in the queue */
  remove(item: Item): boolean {
    return this.#kinds[item.kind].remove(item);
  }

  /**
   * Takes up to `limit` items, in turn.
   *
   * @param room how many of a kind may be taken
   * @param acquire called with the first item of each host; where it answers false, the other items of that host wait too
   */
  take(limit: number, room: (kind: JobKind) => number, acquire: (item: Item) => boolean): Item[] {
    const taken: Item[] = [];
    for (const kind of this.#turns) {
      const clients = this.#kinds[kind];
      if (clients.size > 0)
        clients.take(taken, Math.min(limit, taken.length + room(kind)), acquire);
    }
    this.#turns.push(this.#turns.shift()!);
    return taken;
  }

  /** Takes the last items of each kind, client and host, as many as `surplus` says. */
  takeLast(surplus: (item: Item, waiting: number) => number): Item[] {
    return Object.values(this.#kinds).flatMap(clients => clients.takeLast(surplus));
  }

  /** How many items of a kind wait, by client. */
  counts(kind: JobKind): Iterable<[clientRowId: number, count: number]> {
    return this.#kinds[kind].counts();
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const clients of Object.values(this.#kinds)) yield* clients;
  }
}

/** The items of one kind: clients take turns, and so do the hosts of each. */
class ClientTurns<Item extends FairItem & LinkedItem<Item>> {
  /** A map keeps the order in which its keys were set: the first client is next, and then goes to the end. */
  readonly #clients = new Map<number, Map<string, LinkedList<Item>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    const { clientRowId, lane = item.origin } = item;
    let hosts = this.#clients.get(clientRowId);
    if (hosts === undefined) {
      hosts = new Map();
      this.#clients.set(clientRowId, hosts);
    }
    let list = hosts.get(lane);
    if (list === undefined) {
      list = new LinkedList();
      hosts.set(lane, list);
    }
    list.add(item);
    this.#size += 1;
  }

  /** @returns whether it was in the queue */
  remove(item: Item): boolean {
    const { clientRowId, lane = item.origin } = item;
    const hosts = this.#clients.get(clientRowId);
    const list = hosts?.get(lane);
    if (!list?.remove(item)) return false;
    if (list.size === 0) hosts!.delete(lane);
    if (hosts!.size === 0) this.#clients.delete(clientRowId);
    this.#size -= 1;
    return true;
  }

  /** Adds items to `taken`, in turn, until it has `limit`. */
  take(taken: Item[], limit: number, acquire: (item: Item) => boolean): void {
    // A client that had its turn goes to the end; one without an acquired item does not move.
    for (const [clientRowId, hosts] of this.#clients) {
      if (taken.length >= limit) break;
      const item = firstOf(hosts, acquire);
      if (item === null) continue;
      taken.push(item);
      this.remove(item);
      if (hosts.size > 0) {
        this.#clients.delete(clientRowId);
        this.#clients.set(clientRowId, hosts);
      }
    }
  }

  /** Takes the last items of each client and host, as many as `surplus` says. */
  takeLast(surplus: (item: Item, waiting: number) => number): Item[] {
    const last: Item[] = [];
    for (const hosts of this.#clients.values()) {
      for (const list of hosts.values()) {
        const count = surplus(list.first!, list.size);
        if (count > 0) last.push(...[...list].slice(-count));
      }
    }
    for (const item of last) this.remove(item);
    return last;
  }

  /** How many items of each client wait. */
  *counts(): Generator<[clientRowId: number, count: number]> {
    for (const [clientRowId, hosts] of this.#clients) {
      let count = 0;
      for (const list of hosts.values()) count += list.size;
      yield [clientRowId, count];
    }
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const hosts of this.#clients.values()) for (const list of hosts.values()) yield* list;
  }
}

/** The first item that is acquired; its host goes to the end. */
function firstOf<Item extends LinkedItem<Item>>(
  hosts: Map<string, LinkedList<Item>>,
  acquire: (item: Item) => boolean,
): Item | null {
  for (const [origin, list] of hosts) {
    const item = list.first!;
    if (!acquire(item)) continue;
    if (hosts.size > 1) {
      hosts.delete(origin);
      hosts.set(origin, list);
    }
    return item;
  }
  return null;
}
