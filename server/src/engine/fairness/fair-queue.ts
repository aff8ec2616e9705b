import { type LinkedItem, LinkedList } from './linked-list.ts';

/** The client that an item belongs to, and the origin that its request goes to. */
export interface ClientHost {
  clientRowId: number;
  origin: string;
}

/**
 * Fair queue: clients take turns, and the hosts of each client take turns. So a client with thousands of items does not
 * delay a client with one, and a slow host does not delay the others. Items of one client and host are first in, first out.
 */
export class FairQueue<Item extends ClientHost & LinkedItem<Item>> {
  /** A map keeps the order in which its keys were set: the first client is next, and then goes to the end. */
  readonly #clients = new Map<number, Map<string, LinkedList<Item>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    const { clientRowId, origin } = item;
    let hosts = this.#clients.get(clientRowId);
    if (hosts === undefined) {
      hosts = new Map();
      this.#clients.set(clientRowId, hosts);
    }
    let list = hosts.get(origin);
    if (list === undefined) {
      list = new LinkedList();
      hosts.set(origin, list);
    }
    list.add(item);
    this.#size += 1;
  }

  /** @returns whether it was in the queue */
  remove(item: Item): boolean {
    const { clientRowId, origin } = item;
    const hosts = this.#clients.get(clientRowId);
    const list = hosts?.get(origin);
    if (!list?.remove(item)) return false;
    if (list.size === 0) hosts!.delete(origin);
    if (hosts!.size === 0) this.#clients.delete(clientRowId);
    this.#size -= 1;
    return true;
  }

  /**
   * Takes up to `limit` items, in turn.
   *
   * @param acquire called with the first item of each host; where it answers false, the other items of that host wait too
   */
  take(limit: number, acquire: (item: Item) => boolean): Item[] {
    const taken: Item[] = [];
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
    return taken;
  }

  /** Takes the last items of each client and host, as many as `surplus` says. */
  takeLast(surplus: (clientHost: ClientHost, waiting: number) => number): Item[] {
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
