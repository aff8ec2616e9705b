import type { Listening, NodeListener } from '../../src/store/contract/cluster.ts';
import type { Machine, Owner } from '../machine.ts';
import type { Random } from '../random.ts';

/** Of what is told, so much is never heard: most of it where nodes find what others have written by looking for it. */
const LOST = 0.1;
export const MOST_LOST = 0.6;
/** Writes within this time are told together. */
const GATHER_MS = 10;
/** How late the node hears that is late to hear. */
const MOST_LATE_MS = 2_000;

/** What nodes that share a store tell each other. Some of it is lost, and one of them is late to hear. */
export class Notices {
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #lost: number;
  readonly #listeners = new Map<string, { owner: Owner; listener: NodeListener }>();
  readonly #owners = new Map<string, Owner>();
  #late: string | null = null;

  constructor(machine: Machine, random: Random, lost = LOST) {
    this.#machine = machine;
    this.#random = random;
    this.#lost = lost;
  }

  /** A node is there, and may listen. */
  join(node: string, owner: Owner): void {
    this.#owners.set(node, owner);
    this.#late ??= node;
  }

  listen(node: string, listener: NodeListener): Listening {
    this.#listeners.set(node, { owner: this.#owners.get(node)!, listener });
    return {
      close: async () => {
        this.#listeners.delete(node);
      },
    };
  }

  due(from: string, dueAt: number): void {
    this.#tell(from, listener => listener.wake(dueAt));
  }

  changed(from: string, scheduleId: string, changedAt: number): void {
    this.#tell(from, listener => listener.changed(scheduleId, changedAt));
  }

  manual(from: string, scheduleId: string): void {
    this.#tell(from, listener => listener.wakeOutbox(scheduleId));
  }

  rotated(from: string, clientRowId: number): void {
    this.#tell(from, listener => listener.rotated(clientRowId));
  }

  #tell(from: string, hear: (listener: NodeListener) => void): void {
    const random = this.#random;
    for (const [node, { owner, listener }] of this.#listeners) {
      if (node === from) continue;
      const lateMs = node === this.#late ? random.between(0, MOST_LATE_MS) : 0;
      const delayMs = GATHER_MS + random.between(0.1, 1) + lateMs;
      if (random.chance(this.#lost)) continue;
      this.#machine.after(delayMs, () => hear(listener), owner);
    }
  }
}
