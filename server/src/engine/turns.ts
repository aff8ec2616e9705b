import { Line, type Linked } from './line.ts';

/** Whose an item is, and where it goes. */
export interface Bound {
  clientKey: number;
  origin: string;
}

/**
 * What waits for its turn: clients have theirs one after the other, and so have the hosts of each
 * client, so that a client with thousands of firings does not stand before one with a single one, nor
 * a slow host before the others. Those of one client to one host go in the order they came.
 */
export class Turns<Item extends Bound & Linked<Item>> {
  /** A map keeps the order in which its keys were set: the first is next, and goes to the end. */
  readonly #clients = new Map<number, Map<string, Line<Item>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    const { clientKey, origin } = item;
    let hosts = this.#clients.get(clientKey);
    if (hosts === undefined) {
      hosts = new Map();
      this.#clients.set(clientKey, hosts);
    }
    let line = hosts.get(origin);
    if (line === undefined) {
      line = new Line();
      hosts.set(origin, line);
    }
    line.add(item);
    this.#size += 1;
  }

  /** @returns whether it waited */
  remove(item: Item): boolean {
    const { clientKey, origin } = item;
    const hosts = this.#clients.get(clientKey);
    const line = hosts?.get(origin);
    if (!line?.remove(item)) return false;
    if (line.size === 0) hosts!.delete(origin);
    if (hosts!.size === 0) this.#clients.delete(clientKey);
    this.#size -= 1;
    return true;
  }

  /**
   * Takes out up to `limit` items, in turn.
   *
   * @param admit asked of the first for each host; where it says no, the others of that host wait too
   */
  take(limit: number, admit: (item: Item) => boolean): Item[] {
    const taken: Item[] = [];
    // A client that had its turn comes again at the end; one of which nothing may go does not.
    for (const [clientKey, hosts] of this.#clients) {
      if (taken.length >= limit) break;
      const item = firstOf(hosts, admit);
      if (item === null) continue;
      taken.push(item);
      this.remove(item);
      if (hosts.size > 0) {
        this.#clients.delete(clientKey);
        this.#clients.set(clientKey, hosts);
      }
    }
    return taken;
  }

  /** Takes out the last of each client and host, as many as `surplus` says of them. */
  takeLast(surplus: (bound: Bound, waiting: number) => number): Item[] {
    const last: Item[] = [];
    for (const hosts of this.#clients.values()) {
      for (const line of hosts.values()) {
        const count = surplus(line.first!, line.size);
        if (count > 0) last.push(...[...line].slice(-count));
      }
    }
    for (const item of last) this.remove(item);
    return last;
  }

  /** How many wait of each client. */
  *counts(): Generator<[clientKey: number, count: number]> {
    for (const [clientKey, hosts] of this.#clients) {
      let count = 0;
      for (const line of hosts.values()) count += line.size;
      yield [clientKey, count];
    }
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const hosts of this.#clients.values()) for (const line of hosts.values()) yield* line;
  }
}

/** The first that is admitted; its host goes to the end. */
function firstOf<Item extends Linked<Item>>(
  hosts: Map<string, Line<Item>>,
  admit: (item: Item) => boolean,
): Item | null {
  for (const [origin, line] of hosts) {
    const item = line.first!;
    if (!admit(item)) continue;
    if (hosts.size > 1) {
      hosts.delete(origin);
      hosts.set(origin, line);
    }
    return item;
  }
  return null;
}
