/**
 * A set that is taken from at its head. It goes on from where it was: whoever asks a set for its first
 * item passes, each time anew, all places of those that have left.
 */
export class Line<Item> implements Iterable<Item> {
  readonly #items = new Set<Item>();
  #rest = this.#items.values();
  #first: Item | undefined;

  get size(): number {
    return this.#items.size;
  }

  get first(): Item | undefined {
    if (this.#first === undefined && this.#items.size > 0) this.#first = this.#next();
    return this.#first;
  }

  add(item: Item): void {
    this.#items.add(item);
  }

  /** @returns whether it was there */
  remove(item: Item): boolean {
    if (this.#first === item) this.#first = undefined;
    return this.#items.delete(item);
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.values();
  }

  /** An iterator sees what is added while it goes, but once it has come to the end, it stays there. */
  #next(): Item {
    const next = this.#rest.next();
    if (!next.done) return next.value;
    this.#rest = this.#items.values();
    return this.#rest.next().value!;
  }
}
