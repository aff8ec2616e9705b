/** The links of an item, set by the list; null while it is in none. */
export interface LinkedItem<Item> {
  list: object | null;
  previous: Item | null;
  next: Item | null;
}

/**
 * A list that items join at the end and leave at any position.
 *
 * The items themselves hold the links. A `Set` moves to a new table whenever it grows or shrinks, and the old table goes
 * on referring to its items. An old table is collected only with the whole heap, and so would be each of its items.
 */
export class LinkedList<Item extends LinkedItem<Item>> implements Iterable<Item> {
  #first: Item | null = null;
  #last: Item | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Item | null {
    return this.#first;
  }

  /** @param item in no other list, or in one that is no longer used */
  add(item: Item): void {
    item.list = this;
    item.previous = this.#last;
    item.next = null;
    if (this.#last === null) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
    this.#size += 1;
  }

  /** @returns whether it was there */
  remove(item: Item): boolean {
    if (item.list !== this) return false;
    const { previous: before, next: after } = item;
    if (before === null) this.#first = after;
    else before.next = after;
    if (after === null) this.#last = before;
    else after.previous = before;
    item.list = null;
    item.previous = null;
    item.next = null;
    this.#size -= 1;
    return true;
  }

  *[Symbol.iterator](): Generator<Item> {
    let next = this.#first;
    while (next !== null) {
      const item = next;
      next = item.next;
      yield item;
    }
  }
}
