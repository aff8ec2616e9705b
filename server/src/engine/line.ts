/** Where an item of a line stands, kept by the line. */
export interface Linked<Item> {
  line: object | null;
  before: Item | null;
  after: Item | null;
}

/** Of an item that stands in no line. */
export function loose<Item>(): Linked<Item> {
  return { line: null, before: null, after: null };
}

/**
 * A line that is taken from at its head, and that an item can leave wherever it stands.
 *
 * The items themselves are the links. A `Set` would move to a new table whenever it has grown or many have left
 * it, and each table that it leaves goes on naming its items: tables that are old enough are only collected with
 * the whole heap, and so would be every item that was ever named by one.
 */
export class Line<Item extends Linked<Item>> implements Iterable<Item> {
  #first: Item | null = null;
  #last: Item | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Item | null {
    return this.#first;
  }

  /** @param item one that stands in no other line, or in one that is given up as a whole */
  add(item: Item): void {
    item.line = this;
    item.before = this.#last;
    item.after = null;
    if (this.#last === null) this.#first = item;
    else this.#last.after = item;
    this.#last = item;
    this.#size += 1;
  }

  /** @returns whether it was there */
  remove(item: Item): boolean {
    if (item.line !== this) return false;
    const { before, after } = item;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    item.line = null;
    item.before = null;
    item.after = null;
    this.#size -= 1;
    return true;
  }

  *[Symbol.iterator](): Generator<Item> {
    let next = this.#first;
    while (next !== null) {
      const item = next;
      next = item.after;
      yield item;
    }
  }
}
