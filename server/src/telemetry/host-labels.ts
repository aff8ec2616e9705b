/** Hosts with a label of their own, at most: what callers choose must not make series without end. */
const MOST_HOSTS = 50;
export const OTHER_HOSTS = 'other';

/** How many breakers are open for each host; beyond 50 hosts the rest are counted together. */
export class HostLabels {
  readonly #set: (host: string, open: number) => void;
  readonly #remove: (host: string) => void;
  readonly #open = new Map<string, number>();
  #others = 0;

  /**
   * @param set told how many are open for a host
   * @param remove told of a host for which none is
   */
  constructor(set: (host: string, open: number) => void, remove: (host: string) => void) {
    this.#set = set;
    this.#remove = remove;
    set(OTHER_HOSTS, 0);
  }

  opened(host: string): void {
    const open = this.#open.get(host);
    if (open === undefined && this.#open.size >= MOST_HOSTS) {
      this.#others += 1;
      this.#set(OTHER_HOSTS, this.#others);
      return;
    }
    this.#open.set(host, (open ?? 0) + 1);
    this.#set(host, (open ?? 0) + 1);
  }

  closed(host: string): void {
    const open = this.#open.get(host);
    if (open === undefined) {
      this.#others -= 1;
      this.#set(OTHER_HOSTS, this.#others);
    } else if (open > 1) {
      this.#open.set(host, open - 1);
      this.#set(host, open - 1);
    } else {
      this.#open.delete(host);
      this.#remove(host);
    }
  }
}
