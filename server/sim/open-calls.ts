import { AGAIN_MS, type Asked } from './call-once.ts';
import type { Machine } from './machine.ts';
import type { Node } from './node.ts';

/** The store of a node that has died does what it was asked for within this time. */
const STORE_MS = 2_000;

/**
 * The calls of one change. Where nodes share a store, one that was not answered in time may be served later: a frozen node wakes up,
 * and the store goes on after a death. Who asks for the next change meanwhile would not know which one comes last.
 */
export class OpenCalls {
  /** The nodes of those that were not answered. */
  readonly #open = new Set<{ node: Node }>();
  #isCutOff = false;

  /** A node, as it is asked for the change. */
  through(node: Node): Asked {
    return {
      call: (call, wayMs, answered) => {
        const open = { node };
        this.#open.add(open);
        node.call(call, wayMs, answer => {
          this.#open.delete(open);
          this.#isCutOff ||= answer === null;
          answered(answer);
        });
      },
    };
  }

  /** Resolves when none of them changes anything any more. */
  async over(machine: Machine): Promise<void> {
    const isLate = this.#isCutOff || this.#open.size > 0;
    while ([...this.#open].some(({ node }) => !node.isGone))
      await machine.sleep(AGAIN_MS, machine.world);
    if (isLate) await machine.sleep(STORE_MS, machine.world);
  }
}
